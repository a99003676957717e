// Of a mechanism with loops: --q runs over its actuated joints, and --mode says which of the ways to assemble it is meant.
#pragma once

#include <string>
#include <vector>

#include "../dynamics/assembly.hpp"
#include "model_input.hpp"
#include "vectors.hpp"

namespace lw::cli {

// --mode K
Option mode_option();

// What stands at the places of vectors over the actuated joints.
std::vector<Entry> actuated_entries(const Model<double>& model);
std::vector<Entry> actuated_velocity_entries(const Model<double>& model);

// Coordinates of the actuated joints: those of the home pose where --q is absent.
std::vector<double> read_actuated(const Arguments& arguments, const LoadedModel& loaded);

// The whole configuration: with --mode K the K-th of what `assemble` lists, of the last frame; else the mode of home, continued along
// the straight line. Throws Error where it cannot be assembled.
Assembled read_assembled(const Arguments& arguments, const LoadedModel& loaded);

// Refuses --mode for a mechanism without loops.
void refuse_mode(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
