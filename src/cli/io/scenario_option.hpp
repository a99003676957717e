// --scenario FILE and the options that override parts of it, common to all commands that simulate.
#pragma once

#include "../../simulate/scenario/scenario.hpp"
#include "model_input.hpp"

namespace lw::cli {

std::vector<Option> scenario_options();
Section integrator_section();  // of the help
// Reports errors of the file on stderr with their lines. `sample` is set; `duration` if given.
Scenario read_scenario_options(const Arguments& arguments, const LoadedModel& loaded);

}  // namespace lw::cli
