// The implementation of Driven: accelerations of a mechanism in all coordinates of its spanning tree.
//
// The integrator's values of dependent joints are only a guess of their position: every state is closed before it is
// used, and derivatives are those of the independent joints with everything else derived from them. The motion is
// therefore that of local minimal coordinates, independently of the integrator's other values, and closure errors never
// act as forces. A tree has no dependent joints, and nothing to close.
//
// minimal: the actuated joints are the coordinates; at a dead centre, where they do not determine the others, the
// motion ends. redundant: the coordinates are chosen again wherever others have a larger margin
// (dynamics/loops/loop_coordinates.hpp).
//
// The class in three files: its motion (driven_dynamics.cpp), how it starts (loop_start.cpp), and poses in which
// branches meet (loop_branches.cpp). Generated code that does the same: motion_functions.hpp.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "../../dynamics/loops/forward_losses.hpp"
#include "../../dynamics/loops/loop_coordinates.hpp"
#include "../../graph/interpreter.hpp"
#include "driven.hpp"
#include "motion_functions.hpp"

namespace lw {

inline bool all_finite(std::span<const double> numbers) {
  double sum = 0.0;
  for (const double x : numbers) sum += 0.0 * x;
  return sum == 0.0;
}
inline double power_of(std::span<const double> torques, std::span<const double> velocities) {
  return std::inner_product(torques.begin(), torques.end(), velocities.begin(), 0.0);
}

class DrivenDynamics {
 public:
  DrivenDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques,
                 DrivenOptions options);
  DrivenDynamics(const DrivenDynamics&) = delete;
  DrivenDynamics& operator=(const DrivenDynamics&) = delete;

  // As System has them; dz empty, or work and losses.
  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
              std::span<double> dz);
  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v);
  bool begin(const MotionState& s);
  bool still_holds(const MotionState& s);
  std::vector<std::string> settle(MotionState& s);
  void close(MotionState& s);
  void assemble(MotionState& s);
  void complete(MotionState& s);
  double opening(const MotionState& s);
  int parts(const MotionState& from, const MotionState& to) const;
  System::Passage passage(const MotionState& from, const MotionState& to);
  bool is_near_branch(const MotionState& s);
  bool may_pass_by(const MotionState& s);
  double time_to_branch(const MotionState& s);
  std::string describe_branch(const MotionState& s);
  Energy<double> energy(const MotionState& s);

  const std::optional<Mechanism> mechanism_;
  const DrivenOptions options_;
  Torques torques_;
  Model<double> model_;  // external forces at the time of the last call
  const std::size_t nq_, nv_;
  const bool lossy_, timed_;  // timed: external forces are functions of t
  bool dry_ = false;
  const LoopPlan given_;
  std::unique_ptr<MotionFunctions> functions_;
  long plain_ = 0;  // accelerations that the algorithms have computed, not generated code
  std::vector<double> tau_;

 private:
  PlantWorkspace<double>& work() { return coordinates_->work(); }
  // Into model_, and into the external forces alone.
  void set_time(double t);
  void trace_wrenches();
  // Of external forces, at q.
  double outer_power(std::span<const double> q, std::span<const double> v);
  // Bearings are loaded by the rule that the plan's equations state (undetermined_loads.hpp).
  bool keeps_equations() const { return lossy_ && feels_reactions_; }
  void use(LoopPlan plan, std::span<const double> q);
  bool branches_are_near(std::span<const double> q) const;
  const LoopCoordinates::Margin& margin_at(std::span<const double> q);
  bool is_fixed() const { return fixed_ && !other_; }
  void choose(std::span<const double> q);
  void choose_again(std::span<const double> q);
  void split(std::span<const double> v);
  void stand(double t, std::span<const double> q, std::span<const double> v);
  void accelerate(std::span<double> a, std::span<double> dz);
  bool is_at_branch() { return !(work().factors.smallest_pivot() > kAtBranch * usual_pivot_); }
  void limit_of_slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
                       std::span<double> dz);
  void leave(MotionState& s, bool posed = false);
  std::vector<double> assembled(const std::vector<double>& q);
  void start_at(MotionState& s, const std::function<void()>& refuse);
  void require_closed_velocities(const MotionState& s, const std::function<void()>& refuse);
  void command(double t, std::span<const double> q, std::span<const double> v);
  std::string independent_names() const;
  [[noreturn]] void end_at_dead_centre() const;

  // Advice for a pose that the actuated joints do not determine.
  static std::string way_through() { return "use `--coordinates redundant`, or actuate another joint"; }
  static constexpr double kSmallMargin = 0.15;  // of the margin of a general pose: branches may be near
  static constexpr double kNearBranch = 0.15;   // of the independence there: they are
  static constexpr double kAtBranch = 1e-6;     // of pivots: there closures tell nothing

  Workspace<double> work_;
  Model<double> outer_;  // its external forces and no other element
  std::optional<Interpreter<double>> wrenches_;
  std::vector<double> wrench_, outer_torques_;
  const bool fixed_;         // the coordinates are those of the plan, except beside branches,
  bool other_ = false;       // where others are in use now
  const Model<double> led_;  // the same with the independent joints alone actuated
  bool feels_reactions_ = false;
  std::unique_ptr<LoopCoordinates> coordinates_;
  std::unique_ptr<ForwardLosses> friction_;
  std::optional<ForwardLosses::Decisions> settled_;  // at the end of the last step
  double independence_ = 0.0;                              // of the closures in general
  double chosen_margin_ = 0.0;                             // of the coordinates in use, where they were chosen
  double looked_at_ = HUGE_VAL;  // the margin when a better choice was last looked for, in vain
  double usual_margin_ = 0.0;    // in general, or there if that is more
  double usual_pivot_ = 0.0;
  LoopCoordinates::Margin margin_;
  std::vector<double> margin_q_;
  bool near_branch_ = false;  // in this step: code, whose pivots are fixed, is not asked
  std::vector<double> q_, v_, a_,
      motors_;                // closed pose, independent velocities and accelerations, torques of the actuated joints
  std::vector<int> passive_;  // velocities
  std::vector<double> moved_, d_tau_, tau_q_, tau_v_;
};

}  // namespace lw
