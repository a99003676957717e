// A step that ends where dry friction changes, where a joint comes to rest, breaks loose or turns round; and with its
// loops closed.
#pragma once

#include "integrator.hpp"

namespace lw {

struct Advance {
  double corrected = 0.0;  // by how much closing the loops has changed a velocity, at most
  bool friction_changed = false;
  bool crossed_branch = false;            // by a method of its own (branch_crossing.hpp)
  std::vector<std::string> came_to_rest;  // velocities by name
};

// One step of the integrator towards `until`. Where modes of loops meet it ends before; where the state stands there,
// Error(data). Where what `begin` decided does not hold at its end, the instant from which it does not is found by
// bisection, and the state is that one.
Advance advance(Integrator& integrator, System& system, MotionState& state, double until);

// A state within the last step, its loops closed.
void look(Integrator& integrator, System& system, double t, MotionState& state);

}  // namespace lw
