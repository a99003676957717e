#include "advance.hpp"

#include <algorithm>

namespace lw {

void look(Integrator& integrator, System& system, double t, MotionState& state) {
  integrator.at(t, state);
  system.close(state);
}

Advance advance(Integrator& integrator, System& system, MotionState& state, double until) {
  Advance done;
  double before = state.t;
  integrator.step(system, state, until);
  system.close(state);
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
