// A step with closed loops that ends where dry friction changes: where a joint comes to rest, breaks loose or reverses.
#pragma once

#include "integrator.hpp"

namespace lw {

struct Advance {
  double corrected = 0.0;  // largest change of a velocity by closing the loops
  bool friction_changed = false;
  bool crossed_branch = false;            // by branch_crossing.hpp
  std::vector<std::string> came_to_rest;  // velocities by name
};

// One step of the integrator towards `until`. It ends before a pose at which modes of loops meet; if the state is at
// such a pose, throws Error(data). If the decisions of `begin` no longer hold at its end, the instant at which they
// cease to hold is found by bisection, and the step ends there.
Advance advance(Integrator& integrator, System& system, MotionState& state, double until);

// A state within the last step, its loops closed.
void look(Integrator& integrator, System& system, double t, MotionState& state);

}  // namespace lw
