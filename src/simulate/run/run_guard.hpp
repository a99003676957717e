// Monitors a run: energy balance, closures, velocities and progress.
//
//   energy      |E − E(0) − work + losses| ≤ max(10 × the integrator's own estimate, 1e-6 of the energy in play)
//   closures    loops stay closed to 1e-8 m or rad
//   velocities  change by no more than 1 % of the fastest so far where a step's end is put on the closures (100 × the
//               tolerance, if that is more)
//   progress    so many steps in a row advance the time by next to nothing
//
// The estimate: for adaptive methods their tolerance, step by step; for fixed steps the difference between one step and
// two half steps, measured from time to time, times the number of steps. First-order methods are not stopped because of
// their energy; their drift is reported once. A residual above a hundredth of the energy in play is reported, above a
// tenth it ends the run with any method. Energy is checked whenever a row is written, and every `kEvery` steps, at
// negligible cost.
#pragma once

#include <optional>

#include "../integrate/advance.hpp"
#include "../integrate/integrator.hpp"
#include "../motion/energy_balance.hpp"
#include "../scenario/scene.hpp"

namespace lw {

class RunGuard {
 public:
  // All must outlive it.
  RunGuard(ScenarioDriven& scene, const Scenario& scenario, EnergyBalance& balance, double duration);

  // After each step. Throws Error(data) if the motion cannot be right.
  void step(const MotionState& before, const MotionState& after, const Advance& done);
  // At a state whose balance was just taken.
  void judge(const MotionState& state, double residual, double opening);
  // A warning about the run although it continued; empty if there is none.
  const std::string& warning() const { return warning_; }

 private:
  double energy_of_tolerance(const MotionState& state) const;
  double bound(const MotionState& state) const;
  const char* advice() const;
  void estimate();

  ScenarioDriven& scene_;
  const Scenario& scenario_;
  EnergyBalance& balance_;
  const bool adaptive_;
  const double duration_;
  MotionState from_;     // the last step within which friction did not change,
  double length_ = 0.0;  // and how long it was
  long steps_ = 0, estimated_ = 0;
  int slow_ = 0;
  double fastest_ = 0.0;  // of all joints so far
  double slow_since_ = 0.0;
  double per_step_ = 0.0, drift_ = 0.0;  // J that a fixed step makes of nothing, the latest, and all so far
  std::string warning_;
};

}  // namespace lw
