// The header comment of every generated file: the robot and its source, the options and what they leave out, the
// contents of the vectors, the cost of each function, and the generator.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace lw {

// "Linkwright 0.1.0"
std::string generator();
// Lines without comment characters.
std::vector<std::string> banner(const Program& program, const Form& form = {});
// The same, with the meanings of variable names.
std::vector<std::string> banner_with_names(const Program& program, const Form& form = {});
// "178 multiplications, 142 additions, 12 trigonometric functions; longest path 55"
std::string described(const FunctionCost& cost);

}  // namespace lw
