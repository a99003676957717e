// A run: simulates a scenario from beginning to end, with events, and passes rows to a listener.
//
// Steps end at the corners of inputs and at the instants of timed events; outputs have their own time grid. A crossing
// is located on the integrator's interpolation between two instants at which the formula has different signs, by
// bisection to round-off; the state continues from just behind it. Whatever ends a run, even an error, listeners have
// received every row before.
#pragma once

#include <functional>

#include "../scenario/scene.hpp"

namespace lw {

struct RunRow {
  double t = 0.0;
  std::span<const double> q, qd, qdd, tau;
  double kinetic = 0.0, potential = 0.0, work = 0.0, losses = 0.0;
  double residual = 0.0;            // E − E(0) − work + losses, less what events changed
  std::span<const double> outputs;  // formulas of the scenario
};

struct RunEvent {
  double t = 0.0;
  std::string name, message;
  std::vector<double> q, qd;  // before its action
};

class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void row(const RunRow&) {}
  virtual void event(const RunEvent&) {}
};

struct RunOptions {
  double duration = 0.0;
  double sample = 0.0;  // seconds between rows
  std::vector<RunListener*> listeners = {};
  std::function<bool(double t)> proceed = {};  // called at every step; false ends the run
  bool guard = true;                           // the run watches its energy, closures and progress (run_guard.hpp)
};

struct RunResult {
  enum class End { duration, event, interrupted, failed } end = End::duration;
  std::string ended_by;  // the event, or what failed, with time and state
  IntegratorCounts counts;
  double energy_residual = 0.0;  // the largest of all rows, of the largest energy in play (energy_balance.hpp)
  double closure = 0.0;          // of loops: the largest residual of all rows, m or rad
  long rows = 0;
  MotionState final;
  std::vector<RunEvent> events;  // the first 1000
  long event_count = 0;
  std::string warning;  // of the guard, if the run continued
};

// Never throws for events in the run: see `end`. Throws Error(usage) for invalid times.
RunResult run(ScenarioDriven& scene, Integrator& integrator, const Scenario& scenario, const RunOptions& options);

}  // namespace lw
