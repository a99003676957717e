// Forward dynamics of a closed mechanism with losses: the accelerations for which ClosedLosses::inverse needs the
// torques given.
//
//   H q̈ = f − h − (smooth friction) − Σ a_jᵀ F_j
//   s_j = a_j q̇,   s̈_j = a_j q̈ + b_j      velocity and acceleration in a joint with dry friction, cut joints and
//                   drives included;
//                                          b_j = ȧ_j q̇ is what the pose makes of the motion as it is
//
// A joint that slips has F_j = σ_j size_j. The forces of joints at rest are those of box_complementarity.hpp over s̈: a
// joint sticks where its acceleration is zero, and else begins to slip along it. So a rate that passes zero by
// kinematics (a slider at its dead centre: a_j = 0, b_j ≠ 0) does not stick, however large its friction, and nothing is
// taken from the motion. Accelerations are unique though the forces of several joints that hold one freedom are not.
//
// Sizes and drives depend on q̈ through reactions and efficiencies, and in a loop on the friction of other joints,
// including the forces that hold joints at rest. Accelerations and friction are one fixed point (fixed_point.hpp):
// loads of both give sizes, sizes give both. (Of friction alone, at given accelerations, there may be none: next to a
// dead centre of the independent joint its torque would have to hold what it cannot.) Where friction grows faster than
// its load, none or several accelerations belong to the torques (Painlevé 1895), and the joint is named.
//
// In time: a decision (who sticks, who slips which way) is made at the beginning of a step, kept through its stages,
// and judged at its end. Velocities are changed only to make exactly zero what already is so to rounding and is decided
// to stick.
#pragma once

#include <functional>
#include <memory>

#include <Eigen/Core>

#include "../friction/forward_friction.hpp"
#include "closed_losses.hpp"

namespace lw {

// For one model and plan, which must outlive it.
class ClosedForwardLosses {
 public:
  ClosedForwardLosses(const Model<double>& model, const LoopPlan& plan);

  // Throws Error(data) that names a joint where no accelerations are found, or more than one may be.
  // `same_directions`: with the last decision, whatever the velocities are now; for the stages of an integrator.
  void operator()(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                  std::span<const Force<double>> external = {}, bool same_directions = false);

  // Other external wrenches: one per external force of the model.
  void set_wrenches(const std::vector<ForceElement<double>>& forces);

  bool is_dry() const { return !directions().empty(); }
  // Of the last decision, one entry per dry friction: 0 held, else the sign of its velocity.
  std::vector<int> directions() const;
  // Where nothing dry is at rest, and no loads are shared in loops: decides by these velocities alone. False, and
  // nothing decided, elsewhere.
  bool decide_by_motion(In<double> qd);
  // Whether everything dry is known to move in the direction that was decided: then its laws are those of its
  // velocities.
  bool all_move(In<double> qd) const { return tree_ != nullptr && tree_->all_move(qd); }
  // M and h from generated code; false, and not taken, where losses need more than these (forward_friction.hpp).
  bool take_equations_from(ForwardWithLosses::Equations equations) {
    return tree_ != nullptr && tree_->take_equations_from(std::move(equations));
  }
  // Whether the decision still fits at this state: no slipping joint has turned round, and sticking ones can still be
  // held.
  bool still_fits(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau);
  // At the first state that it does not fit: decides anew for the joints that have turned round. Those that now stick
  // get a velocity of exactly zero; their names.
  std::vector<std::string> settle(PlantWorkspace<double>& work, In<double> q, Out<double> qd, In<double> tau);
  // The velocities nearest in kinetic energy at which sticking joints are at rest: takes out what integration has left
  // there.
  void hold(PlantWorkspace<double>& work, In<double> q, Out<double> qd);
  // The state has been set from outside: what stuck before may move now.
  void forget();
  // What has been decided of everything dry, to be taken by another plan of the same model, or later.
  // idle: at rest in a pose in which its force does nothing, so that its direction does not matter until it moves
  enum class Mode { slips, sticks, idle };
  struct Decided {
    Mode mode = Mode::slips;
    int direction = 0;                 // of one that slips
    bool stopped = false;              // by settle, at the state that comes next
    double fastest = 0.0, rest = 0.0;  // the largest |s| so far, and what counts as none
  };
  struct Decisions {
    std::vector<Decided> of_each;
    bool made = false;
  };
  Decisions decisions() const;
  void take(const Decisions& decisions);

  // Of the last call: power that friction, dampers and drives dissipate, by their laws; and joints and loops that
  // stick, by name.
  double lost_power() const { return lost_power_; }
  std::vector<std::string> sticking() const;
  bool sticks(std::size_t v) const { return tree_ != nullptr && tree_->sticks()[v]; }

 private:
  // Dry friction that has a direction: of a joint of the tree, of a cut one, or of an actuated joint's drive.
  struct Dry : Decided {
    std::string name;
    const JointLoss<double>* loss = nullptr;
    int body = -1;   // of the tree, or
    int cut = -1;    // in ClosedLosses::cuts(), or
    int drive = -1;  // a place among the actuated joints, and
    double breakaway = 0.0;
    std::size_t v = 0;  // of the tree's joint
    // at the state of the last call
    Eigen::VectorXd a;
    double b = 0.0, velocity = 0.0, size = 0.0, force = 0.0;
    bool at_rest = false;
  };
  enum class Decision { keep, make };
  using Push = std::function<Eigen::VectorXd(const Eigen::VectorXd& now)>;  // push() at a state, under the loads of q̈
  static constexpr double kOneFreedom = 1e-9;                               // rows that hold the same freedom

  void collect();
  std::size_t velocity_of(const Dry& d) const;  // of the tree, where it is not a cut
  void set_state(PlantWorkspace<double>& work, In<double> q, In<double> qd);
  void find_biases(PlantWorkspace<double>& work, In<double> q);
  void find_rest(const PlantWorkspace<double>& work);
  Eigen::VectorXd push(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau,
                       const Eigen::VectorXd& now, std::span<const Force<double>> external);
  void find_sizes(const PlantWorkspace<double>& work);
  void find_forces();
  void sum_forces();
  Eigen::VectorXd drive_outputs(In<double> tau, const Eigen::VectorXd& qdd, In<double> qd);
  Eigen::MatrixXd sticking_rows(Eigen::VectorXd* biases = nullptr) const;
  Eigen::VectorXd accelerations(const Eigen::VectorXd& pushed) const;
  double firm_enough(const Dry& d, const PlantWorkspace<double>& work) const;
  bool decide(const Eigen::VectorXd& pushed, const PlantWorkspace<double>& work);
  Eigen::VectorXd settle_loads(const Push& push, Decision decision, const PlantWorkspace<double>& work);
  [[noreturn]] void refuse_jam() const;
  [[noreturn]] void refuse_decision(const Dry& d) const;
  void find_lost_power(In<double> qd);

  const Model<double>& model_;
  const LoopPlan& plan_;
  ClosedLosses<double> losses_;
  Model<double> smooth_;  // without dry friction that jumps
  ClosedLosses<double> smooth_losses_;
  std::vector<Dry> dry_;
  bool loads_matter_ = false;
  // Of a tree, whose torques and reactions are affine in q̈: then Newton's method finds what passes from loads to
  // friction and back do not.
  std::shared_ptr<ForwardWithLosses> tree_;
  struct Moving;  // cut rows over dual numbers
  std::shared_ptr<Moving> moving_;

  double size_;  // of the mechanism
  bool decided_ = false;
  Eigen::MatrixXd H_, L_;     // and its Cholesky factor
  Eigen::VectorXd spare_;     // forces that accelerations of the last pass leave for dry friction
  std::vector<double> rubs_;  // of smooth_losses_, of the last pass
  double sum_of_forces_ = 0.0, drive_loss_ = 0.0, lost_power_ = 0.0;
  std::vector<double> torques_;            // that come out of the drives
  std::vector<double> of_tree_, of_cuts_;  // dry friction, as torques of the tree's joints and along the cuts' freedoms
  std::string last_changed_;
};

}  // namespace lw
