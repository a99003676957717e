// A model that is nothing but joints: those of another that some velocities belong to, with their names, coordinates
// and home. It says what vectors over these joints hold (entries.hpp), and reads and prints them; nothing moves in it.
#pragma once

#include "model.hpp"

namespace lw {

// A joint of several coordinates appears as one for each velocity named; a spherical or floating one as a whole.
Model<double> joints_alone(const Model<double>& model, const std::vector<int>& velocities);

}  // namespace lw
