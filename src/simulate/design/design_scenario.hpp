// A scenario as the run of a design: its state, duration, inputs and integrator.
#pragma once

#include "../scenario/scenario.hpp"
#include "design_run.hpp"

namespace lw {

// Formulas, tables, controllers without an integral and events are taken over; controllers of computed torque keep the
// values that the model has now, whatever becomes of the design. Throws Error(data) for what has no derivatives here:
// integrals of controllers, with loops events and computed torques, limits that depend on parameters as events,
// integrators whose steps are not differentiated.
ForwardDesignOptions design_options(const Scenario& scenario, const Mechanism& mechanism);

}  // namespace lw
