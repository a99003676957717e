// Forward dynamics with losses: the accelerations of the independent joints for which inverse dynamics with losses
// needs the given torques. In a tree all joints are independent.
//
//   total(q̈, F) = τ                       of each independent joint (affine_losses.hpp)
//   F_j = its law under the loads that belong to q̈ and F   of each joint that follows them, dependent or cut
//
// Newton's method solves these equations, with derivatives by dual numbers and no further recursion. If no loss depends
// on loads, H and h suffice, with one Cholesky factorisation of H without the sticking joints.
//
// A dry element at rest (a joint with its own drive, or one drive of a coupling) either slips or sticks. If it slips,
// it has the friction of σ = ±1 at velocity zero. If it sticks, its force is unknown and its acceleration
// s̈_j = a_j q̈ + b_j is zero; b_j = ȧ_j q̇ is the part due to the current motion, so that a rate that passes zero for
// kinematic reasons (a slider at its dead centre: a_j = 0, b_j ≠ 0) does not stick.
//   sticks   low ≤ F_j ≤ high, the holding range under the loads that belong to q̈
//   slips    σ s̈_j ≥ 0
// Elements that violate this are decided again, all together, by box_complementarity.hpp under the loads found; if this
// does not converge, only the first changes its state (principal pivoting: Murty 1974; Júdice, Pires 1994). If several
// joints hold one degree of freedom, their accelerations are unique, but their forces are not. Sticking independent
// joints have accelerations of exactly 0. With smooth laws (`width`) none of this is needed.
//
// Decisions and pivoting compare numbers, so this does not work with symbols. Generated code uses the directions of the
// current motion (codegen/functions/friction_methods.hpp).
//
// During integration, a decision is made at the beginning of a step, kept for its stages, and checked at its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "../linear/box_complementarity.hpp"
#include "../linear/partial_cholesky.hpp"
#include "affine_losses.hpp"

namespace lw {

struct ForwardLossesOptions {
  double rest = 0.0;  // slower velocities count as at rest
  // Keeps directions and sticking of the previous call, even if a velocity has changed its sign since: for the inner
  // stages of an integrator's step, which must not see the discontinuity that the integrator locates at its end.
  bool same_directions = false;
};

// For one model, which must outlive it. Of a tree nothing allocates after construction, couplings and errors apart.
class ForwardLosses {
 public:
  explicit ForwardLosses(const Model<double>& model) : ForwardLosses(model, plan_loops(model)) {}
  ForwardLosses(const Model<double>& model, LoopPlan plan);
  ForwardLosses(const ForwardLosses&) = delete;  // parts point to each other
  ForwardLosses& operator=(const ForwardLosses&) = delete;

  // q: all coordinates of the tree, closed; qd and qdd: of the independent velocities; tau: of the actuated joints.
  // Throws Error(data) that names a joint: if it jams (friction grows faster with the acceleration than inertia
  // resists, so that the torques correspond to no acceleration or to several), or if no solution is found.
  void operator()(In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                  const ForwardLossesOptions& options = {}, std::span<const Force<double>> external = {});

  // Of the last call, per independent velocity: the direction in which dry friction of the joint and its own drive
  // takes it to move, 1 or -1; 0 where it sticks or has none. And whether it sticks, be it by its own friction or by
  // the drives of its coupling.
  const std::vector<int>& directions() const { return directions_; }
  const std::vector<bool>& sticks() const { return sticks_; }
  // Joints and loops that stick, by name.
  std::vector<std::string> sticking() const;
  // Of the last call: torques and losses of the independent joints by the laws, taken in the directions that were
  // decided. What sticks loses nothing: what holds it is in `dynamic`.
  const Losses<double>& losses() const { return affine_.losses(); }
  // Power that friction, dampers and drives of all joints dissipate, by their laws.
  double lost_power(In<double> qd) const { return affine_.lost_power(qd); }
  // The motion of all joints and λ, with friction in it, of the last call.
  const PlantWorkspace<double>& motion(In<double> q, std::span<const Force<double>> external = {});

  // H (by columns) and h from generated code, say, where the losses need nothing else of the equations of motion: no
  // bearing feels reactions, no force elements act, and losses are those of independent joints. False, and not taken,
  // where they do.
  bool take_equations_from(AffineLosses::Equations equations) {
    return affine_.take_equations_from(std::move(equations));
  }

  // What has been decided of everything dry, to be taken by another plan of the same model, or later.
  struct Decided {
    bool at_rest = false, stopped = false;  // stopped: by settle, at the state that comes next
    bool idle = false;                      // at rest in a pose in which its force does nothing
    int direction = 0;                      // 0: sticks, or idle
    double fastest = 0.0;                   // the largest |s| so far
    bool sticks() const { return at_rest && !idle && direction == 0; }
  };
  struct Decisions {
    std::vector<Decided> of_each;
    bool made = false;
  };
  Decisions decisions() const { return {{dry_.begin(), dry_.end()}, decided_}; }
  void take(const Decisions& decisions);
  // To be called when the state was set from outside: sticking joints may move now.
  void forget();

  bool is_dry() const { return !dry_.empty(); }
  // Of everything dry: the direction of the last call, 0 where it sticks. Empty where no friction jumps.
  std::vector<int> modes() const;
  // Where nothing dry is at rest: decides for the directions of these velocities without solving anything, if all that
  // is dry is independent. False, and nothing of use decided, else.
  bool decide_by_motion(In<double> qd);
  // Whether all dry elements move in the directions decided: then their laws are those of their velocities.
  bool all_move(In<double> qd) const;
  // At a slightly later state: whether the directions and the sticking of the last call still apply: no slipping
  // element has reversed, and no sticking element is loaded beyond its limit.
  bool still_fits(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external = {});
  // At the first state at which they do not. In a tree: stops what has turned round, a velocity or what a drive of a
  // coupling turns with; the names of the joints that stop. Around loops a velocity cannot be stopped by itself:
  // decides anew for what has turned round; what now sticks gets a velocity of exactly zero, and is named.
  std::vector<std::string> settle(In<double> q, Out<double> qd, In<double> tau);
  // The velocities nearest in kinetic energy at which sticking joints are at rest: removes integration errors.
  void hold(In<double> q, Out<double> qd);

 private:
  // An element with one direction: the dry friction of a joint and of its own drive, or a drive of a coupling.
  struct Dry : Decided {
    enum class Of { joint, follower, drive };
    std::string name;
    Of of = Of::joint;
    std::size_t place = 0;                           // of the joint, the follower; of a drive its place in Losses
    bool joint = false, drive = false;               // what jumps
    const Transmission<double>* coupling = nullptr;  // that moves the joint, or that the drive is of
    std::size_t k = 0;                               // the drive in it
    std::size_t unknown = 0;                         // where its acceleration or force stands among the unknowns
    bool spare = false;                              // sticks where others hold its freedom: its force is as it is
    double velocity = 0.0, rest = 0.0, force = 0.0, low = 0.0, high = 0.0;
    double reach = 0.0;  // of what sticks beyond the independent joints: the acceleration that a unit force gives it
    Eigen::VectorXd a;
    double b = 0.0;
  };

  void collect();
  double along(const Dry& d, In<double> x) const;
  double rounding(const Dry& d, In<double> qd) const;
  bool has_turned(const Dry& d, In<double> qd) const;

  // Accelerations under the decisions.
  void set_state(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external);
  void set_velocities(In<double> qd);
  void evaluate();
  void find_slopes();
  void border_matrix();
  int pushing_joint();
  bool is_solved() const;
  bool is_nearly_solved() const;
  double size_of_residual() const;
  double& unknown(std::size_t k);
  void go(const Eigen::VectorXd& from, double factor);
  void begin();
  void correct();
  bool solve_plain();
  void solve_by_newton();
  void solve();
  void stop_couplings();
  void report();

  // Decisions (friction_decisions.cpp).
  void find_rest(In<double> qd, double rest);
  std::vector<std::string> stop_turned(Out<double> qd) const;
  void choose_holding();
  void settle_decisions(In<double> qd);
  void find_bounds();
  double acceleration(const Dry& d) const;
  bool is_consistent(const Dry& d, double fastest, int& other) const;
  double parts(const Dry& d) const;
  bool fits(double fastest) const;
  void change_first(double fastest);
  void change_together();
  double firm_enough(const Dry& d) const;

  [[noreturn]] void refuse_jam(int unknown) const;
  [[noreturn]] void refuse_solution() const;
  [[noreturn]] void refuse_directions() const;

  const Model<double>& model_;
  const LoopPlan plan_;
  AffineLosses affine_;
  const std::size_t n_;
  std::vector<Dry> dry_;
  std::size_t bordered_ = 0, couplings_ = 0;  // unknowns beyond the n; those of drives of couplings
  std::vector<int> of_joint_, of_follower_;   // place in dry_, or -1
  double size_;                               // of the mechanism

  Losses<double> limit_;
  std::vector<double> limit_velocity_, qdd_, force_, F_;
  Eigen::MatrixXd matrix_, pivots_, L_, B_, D_;  // L_: of H; B_ = L⁻¹ a of what is at rest, D_ = BᵀB
  Eigen::VectorXd residual_, noise_, weight_, step_, from_, c_, low_, high_, F_rest_;
  PartialCholesky free_;  // of H, without what sticks
  BoxForces box_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  std::string last_changed_;
  bool decided_ = false;
  std::vector<int> directions_;
  std::vector<bool> sticks_;
};

}  // namespace lw
