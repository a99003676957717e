// The contents of the vectors of traced functions, for users who have the code but not the mechanism's file.
#pragma once

#include "text/program.hpp"
#include "trace/traced.hpp"

namespace lw {

// For every group of inputs and outputs, in their order.
std::vector<Contents> contents(const Traced& traced);

}  // namespace lw
