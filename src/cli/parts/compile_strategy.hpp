// compile --strategy expand|loops|cse: inverse dynamics written in another way (codegen/strategies/strategies.hpp),
// proven before it is written.
#pragma once

#include "../frame/command.hpp"

namespace lw::cli {

int compile_by_strategy(const Arguments& arguments);

}  // namespace lw::cli
