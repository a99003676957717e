// `compile --processors`: functions divided over cores that share memory, beside those for one.
#pragma once

#include <vector>

#include "../../codegen/c/emit_divided.hpp"
#include "../../schedule/machine.hpp"
#include "../frame/command.hpp"
#include "../io/results.hpp"

namespace lw::cli {

struct Processors {
  int count = 1;    // 1: no division
  Machine machine;  // cost model for the division
};
// --processors and --machine. Throws Error(usage) for other languages and for options that they do not go with.
Processors read_processors(const Arguments& arguments, const Form& form);

struct DividedProgram {
  std::vector<DividedFunction> functions;  // of the program, in its order; none where nothing is to be divided
  std::vector<std::string> predictions;    // for a reader, one a function
};
// What is predicted goes into `functions` too, the entries of what the command prints as JSON.
DividedProgram divide_program(const Program& program, const Processors& processors, Json& functions);

}  // namespace lw::cli
