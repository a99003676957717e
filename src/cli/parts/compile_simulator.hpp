// compile --simulator: a stand-alone simulator (simulate/standalone/standalone.hpp), tested before it is written.
#pragma once

#include "../frame/command.hpp"

namespace lw::cli {

int compile_simulator(const Arguments& arguments);

}  // namespace lw::cli
