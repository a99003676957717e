// The rows of the table.
#pragma once

#include "function_row.hpp"

namespace lw {

#define LINKWRIGHT_ROW(function) FunctionRow function##_row();
LINKWRIGHT_FUNCTIONS(LINKWRIGHT_ROW)
#undef LINKWRIGHT_ROW

}  // namespace lw
