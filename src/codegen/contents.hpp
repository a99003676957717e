// What the vectors of traced functions hold: for users who have the code and not the mechanism's file.
#pragma once

#include "text/program.hpp"
#include "trace/traced.hpp"

namespace lw {

// Of every group of inputs and outputs, in their order.
std::vector<Contents> contents(const Traced& traced);

}  // namespace lw
