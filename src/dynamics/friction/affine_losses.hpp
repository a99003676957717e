// Torques with losses at one state, as a function of the accelerations, without a further recursion:
//
//   dynamic = M q̈ + h,   reactions w = W q̈ + w₀      from nv + 1 runs of rnea; where no law reads reactions, M and h
//                         alone
//   total = losses added to these (friction.hpp), and its slopes by dual numbers through the same laws
//
// For one model, which must outlive it. Nothing allocates after construction.
#pragma once

#include <functional>

#include <Eigen/Core>

#include "friction.hpp"

namespace lw {

class AffineLosses {
 public:
  explicit AffineLosses(const Model<double>& model);

  // Whether no loss depends on what the joints carry, and so none on accelerations: ∂total/∂q̈ = M.
  bool is_plain() const { return plain_; }
  // M (by columns) and h by other means than the algorithms. Not taken (false) where the laws read more than that, or
  // where force elements act.
  using Equations = std::function<void(In<double> q, In<double> qd, Out<double> M, Out<double> h)>;
  bool take_equations_from(Equations equations);

  // M, h, W and w₀ of a state.
  void set_state(In<double> q, In<double> qd, std::span<const Force<double>> external);
  const Eigen::MatrixXd& M() const { return M_; }
  const Eigen::VectorXd& h() const { return h_; }

  // Where the laws are taken: velocities of the joints, and losses().velocity of the drives.
  std::vector<double>& velocity() { return velocity_; }
  Losses<double>& losses() { return losses_; }
  const Losses<double>& losses() const { return losses_; }

  // losses() at accelerations, where besides M q̈ + h the joints take `force`.
  void evaluate(In<double> qdd, In<double> force);
  // The same accelerations and reactions, but other velocities: other.velocity, and `dynamic` as it stands in it.
  void evaluate_at(In<double> velocity, Losses<double>& other) const;
  // What rounding makes of the torque at a joint: the last bits of its terms.
  double rounding(std::size_t v) const;

  // After evaluate: how total changes with the acceleration of joint j, or with the force that it takes.
  enum class By { acceleration, force };
  void slopes(std::size_t j, By by, Eigen::Ref<Eigen::VectorXd> of_total);

 private:
  void set_equations(In<double> q, In<double> qd, std::span<const Force<double>> external);

  const Model<double>& model_;
  const Model<double> inertial_;
  const Model<Dual> laws_;  // the same over dual numbers
  Workspace<double> work_;
  const std::size_t nv_;
  std::vector<std::size_t> felt_;  // bodies whose reactions the laws read
  const bool plain_, elements_;
  Equations equations_;
  std::vector<double> state_;  // q and q̇ of M and h, where nothing else has a part in them
  Eigen::MatrixXd M_;
  Eigen::VectorXd h_;
  std::vector<Force<double>> W_, w0_;  // of these bodies, W_ by columns
  std::vector<double> unit_, column_, qdd_, velocity_;
  std::vector<Force<double>> reactions_;
  Losses<double> losses_;
  std::vector<Force<Dual>> reactions_dual_;
  std::vector<Dual> velocity_dual_, qdd_dual_;
  Losses<Dual> losses_dual_;
};

}  // namespace lw
