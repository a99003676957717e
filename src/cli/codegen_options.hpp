// Options that `count` and `compile` share: what is traced, and how.
#pragma once

#include <vector>

#include "../codegen/roads.hpp"
#include "command.hpp"

namespace lw::cli {

std::vector<Option> trace_options();
// The functions that there are, for the help.
Section functions_section();
// As given; throws Error(usage) for what is not one of the choices.
TraceOptions read_trace_options(const Arguments& arguments);

// Throws Error(data) where one of the functions has no answer for this mechanism: accelerations that the torques do not
// determine.
void judge_functions(const Arguments& arguments, const Model<double>& model, const std::vector<std::string>& functions);

// "a,b,c" by its commas; empty entries are an error.
std::vector<std::string> names_in(const std::string& option, const std::string& text);

}  // namespace lw::cli
