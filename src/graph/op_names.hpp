// What operations that are written as functions are called: "atan2"; nullptr for operators and what is no operation.
#pragma once

#include "expr.hpp"

namespace lw {

const char* function_name(Op op);

}  // namespace lw
