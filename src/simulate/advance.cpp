#include "advance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lw {
namespace {

// Of loops: a step that ends in the mode in which it began, having been in it all along. Where modes meet on the way a shorter one is
// made, until nothing is left between the last good state and there.
void step_in_mode(Integrator& integrator, System& system, MotionState& state, double until) {
  constexpr double kLeastWay = 1e-9;  // s
  const MotionState start = state;
  MotionState between = start;
  for (;;) {
    double there = until;
    try {
      integrator.step(system, state, until);
      const double length = state.t - start.t;
      const int parts = system.parts(start, state);
      for (int k = 1; k < parts; ++k) {
        there = start.t + length * k / parts;
        look(integrator, system, there, between);
      }
      there = state.t;
      system.close(state);
      return;
    } catch (const ModesMeet& e) {
      state = start;
      integrator.restart();
      until = start.t + 0.5 * (there - start.t);
      if (there - start.t > kLeastWay * (1.0 + std::abs(start.t))) continue;
      throw Error(ErrorCode::data, fmt::format("{}, at {}", e.what(), system.describe(start)));
    }
  }
}

}  // namespace

void look(Integrator& integrator, System& system, double t, MotionState& state) {
  integrator.at(t, state);
  system.close(state);
}

Advance advance(Integrator& integrator, System& system, MotionState& state, double until) {
  Advance done;
  double before = state.t;
  if (system.model().loops.empty()) integrator.step(system, state, until);
  else step_in_mode(integrator, system, state, until);
  if (system.still_holds(state)) return done;
  const double length = state.t - before;
  double after = state.t;
  MotionState middle = state;
  while (after - before > 1e-15 * length) {
    const double t = before + 0.5 * (after - before);
    if (t <= before || t >= after) break;
    look(integrator, system, t, middle);
    if (system.still_holds(middle)) {
      before = t;
    } else {
      after = t;
      std::swap(state, middle);
    }
  }
  done.friction_changed = true;
  done.came_to_rest = system.settle(state);
  integrator.restart();
  return done;
}

}  // namespace lw
