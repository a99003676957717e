// A model that contains only joints: those of another model to which some velocities belong, with names, coordinates
// and home. It serves to describe (entries.hpp), read and print vectors over these joints; it has no dynamics.
#pragma once

#include "model.hpp"

namespace lw {

// A joint with several coordinates appears once for each of the velocities given; spherical and floating joints as a
// whole.
Model<double> joints_alone(const Model<double>& model, const std::vector<int>& velocities);

}  // namespace lw
