// The texts of --help: the list of commands, and one command in full.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace lw::cli {

std::string help(const std::vector<Command>& commands);
std::string help(const Command& command);

}  // namespace lw::cli
