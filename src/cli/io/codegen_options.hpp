// Options that `count` and `compile` share: what is traced, and how.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../codegen/text/program.hpp"
#include "../../codegen/trace/traced.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

inline constexpr int kSearchTrials = 1000;  // unless --search says otherwise

std::vector<Option> trace_options();
// The list of functions, for the help.
Section functions_section();
// The value given; throws Error(usage) if it is not one of the choices.
TraceOptions read_trace_options(const Arguments& arguments);

// Everything that determines the generated code, as on the command line: changes of the model, kept parameters, and
// these options with their values, given or default.
std::vector<std::pair<std::string, std::string>> resolved(const Arguments& arguments, const TraceOptions& options,
                                                          const Mechanism& mechanism, const Program& program,
                                                          const std::vector<FunctionName>& functions);
// Throws Error(usage) if --frame is given but no function has a frame.
void require_use_of_frame(const Arguments& arguments, const std::vector<FunctionName>& functions);

// Throws Error(data) if a function has no solution for this mechanism, because the torques do not determine the
// accelerations.
void judge_functions(const Arguments& arguments, const Model<double>& model,
                     const std::vector<FunctionName>& functions);

// Announces long operations on stderr.
void note_long_work(const Arguments& arguments, const Model<double>& model, const FunctionRow& function);

// Splits "a,b,c" at commas; empty entries are an error.
std::vector<std::string> names_in(const std::string& option, const std::string& text);
// The same, names of functions.
std::vector<FunctionName> functions_in(const std::string& option, const std::string& text);

}  // namespace lw::cli
