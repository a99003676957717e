// What every file that is made says about itself: the robot and where it came from, the parameters that were kept, what
// each function costs, and whose it is.
#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace lw {

// "Linkwright 0.1.0"
std::string generator();
// Lines without comment signs.
std::vector<std::string> banner(const Program& program);
// The same and what the names of variables mean, where they mean something.
std::vector<std::string> banner_with_names(const Program& program);
// "178 multiplications, 142 additions, 12 trigonometric functions; longest path 55"
std::string described(const FunctionCost& cost);

}  // namespace lw
