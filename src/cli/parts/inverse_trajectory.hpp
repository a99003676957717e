// inverse --trajectory: torques along a motion of the joints, as a table of peaks, JSON, CSV or a plot.
#pragma once

#include <vector>

#include "../frame/command.hpp"
#include "../io/plant_input.hpp"

namespace lw::cli {

std::vector<Option> trajectory_options();
// Throws Error(usage) if they contradict other options.
void check_trajectory_options(const Arguments& arguments);
int inverse_along_trajectory(const Arguments& arguments, const LoadedPlant& plant);

}  // namespace lw::cli
