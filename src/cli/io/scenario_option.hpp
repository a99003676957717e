// What is simulated: --scenario FILE, and the options that say or change parts of it. The same for all commands that
// move something.
#pragma once

#include "../../simulate/scenario/scenario.hpp"
#include "model_input.hpp"

namespace lw::cli {

std::vector<Option> scenario_options();
Section integrator_section();  // of the help
// Shows what is wrong with the file on stderr, each with its line. `sample` is set; `duration` where one is given.
Scenario read_scenario_options(const Arguments& arguments, const LoadedModel& loaded);

}  // namespace lw::cli
