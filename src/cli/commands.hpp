// All commands of the program, each in the file of its name.
#pragma once

#include <vector>

#include "frame/command.hpp"

namespace lw::cli {

Command models_command();
Command check_command();
Command inverse_command();
Command forward_command();
Command mass_matrix_command();
Command bias_command();
Command derivatives_command();
Command regressor_command();
Command kinematics_command();
Command ik_command();
Command assemble_command();
Command simulate_command();
Command verify_command();
Command identify_command();
Command excite_command();
Command sensitivity_command();
Command optimize_command();
Command convert_command();
Command count_command();
Command compile_command();
Command strategies_command();
Command schedule_command();
Command bench_command();
Command reproduce_command();
Command demo_command();
Command completion_command();

// In the order in which the help lists them.
std::vector<Command> commands();

}  // namespace lw::cli
