// Names of operations that are written as functions: "atan2"; nullptr for operators and other nodes.
#pragma once

#include "expr.hpp"

namespace lw {

const char* function_name(Op op);

}  // namespace lw
