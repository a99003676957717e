#include "commands.hpp"

namespace lw::cli {

std::vector<Command> commands() {
  return {demo_command(),      models_command(),      check_command(),       inverse_command(),
          forward_command(),   mass_matrix_command(), bias_command(),        derivatives_command(),
          regressor_command(), kinematics_command(),  ik_command(),          assemble_command(),
          simulate_command(),  verify_command(),      sensitivity_command(), optimize_command(),
          identify_command(),  excite_command(),      convert_command(),     count_command(),
          compile_command(),   strategies_command(),  schedule_command(),    bench_command(),
          reproduce_command(), completion_command()};
}

}  // namespace lw::cli
