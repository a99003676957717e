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
// The functions that there are, for the help.
Section functions_section();
// As given; throws Error(usage) for what is not one of the choices.
TraceOptions read_trace_options(const Arguments& arguments);

// All that decides what is written, as on the command line: what changed the model, what was kept, and these options
// with their values, given or not.
std::vector<std::pair<std::string, std::string>> resolved(const Arguments& arguments, const TraceOptions& options,
                                                          const Mechanism& mechanism, const Program& program,
                                                          const std::vector<FunctionName>& functions);
// Throws Error(usage) where --frame is given and none of the functions is of a frame.
void require_use_of_frame(const Arguments& arguments, const std::vector<FunctionName>& functions);

// Throws Error(data) where one of the functions has no answer for this mechanism: accelerations that the torques do not
// determine.
void judge_functions(const Arguments& arguments, const Model<double>& model,
                     const std::vector<FunctionName>& functions);

// Says on stderr what begins, where it takes longer than a reader expects.
void note_long_work(const Arguments& arguments, const Model<double>& model, const FunctionRow& function);

// "a,b,c" by its commas; empty entries are an error.
std::vector<std::string> names_in(const std::string& option, const std::string& text);
// The same, names of functions.
std::vector<FunctionName> functions_in(const std::string& option, const std::string& text);

}  // namespace lw::cli
