// What every file that is made says about itself: the robot and where it came from, with which options it was made and
// what they leave out, what the vectors hold, what each function costs, and whose it is.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace lw {

// "Linkwright 0.1.0"
std::string generator();
// Lines without comment signs.
std::vector<std::string> banner(const Program& program, const Form& form = {});
// The same and what the names of variables mean, where they mean something.
std::vector<std::string> banner_with_names(const Program& program, const Form& form = {});
// "178 multiplications, 142 additions, 12 trigonometric functions; longest path 55"
std::string described(const FunctionCost& cost);

}  // namespace lw
