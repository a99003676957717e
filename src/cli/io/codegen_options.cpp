#include "codegen_options.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../frame/terminal.hpp"
#include "judgements.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

bool is_of_a_frame(const std::vector<FunctionName>& functions) {
  return std::any_of(functions.begin(), functions.end(), [](const FunctionName& f) { return f.row.has_frame; });
}

}  // namespace

std::vector<Option> trace_options() {
  return {text_option("--keep", "NAME,...", "parameters of the file that stay symbols, as the last input p", "Code"),
          choice_option(
              "--parameters", "base|full",
              "base: regroups inertial parameters, which preserves only torques; full: as in the file. Default: base",
              {"base", "full"}, "Code"),
          choice_option("--objective", "operations|latency|depth",
                        "what is minimised: arithmetic, time on one core, or the longest path. Default: operations",
                        {"operations", "latency", "depth"}, "Code"),
          text_option("--snap", "ANGLE",
                      "rounds angles within this distance (rad, or 0.1deg) of multiples of 90 degrees to these; 0: "
                      "never. Default: 1e-10",
                      "Code"),
          flag_option("--friction",
                      "includes joint friction and drive losses in inverse (tau is the total) and in forward", "Code"),
          text_option("--frame", "LINK", "for kinematics and jacobian; default: the last link", "Code"),
          number_option("--search", "TRIALS",
                        fmt::format("number of random trials after the passes, a few thousand per second. Default: {}",
                                    kSearchTrials),
                        "Code"),
          number_option("--newton-steps", "N",
                        fmt::format("loops: Newton steps from the guess to the pose; 3 reach machine precision if the "
                                    "guess is within 0.02 rad. Default: {}",
                                    kNewtonStepsOfLoops),
                        "Code")};
}

Section functions_section() {
  Section section{"Functions", {}};
  for (const FunctionRow& row : function_table())
    section.rows.emplace_back(row.name, fmt::format("{}: {}", signature(row), row.summary));
  return section;
}

TraceOptions read_trace_options(const Arguments& arguments) {
  TraceOptions o;
  if (arguments.has("--keep")) o.keep = names_in("--keep", arguments.text("--keep"));
  o.friction = arguments.has("--friction");
  o.base_parameters = arguments.text("--parameters", "base") == "base";
  const std::string objective = arguments.text("--objective", "operations");
  o.objective = objective == "latency" ? Objective::latency
                : objective == "depth" ? Objective::depth
                                       : Objective::operations;
  const bool degrees = arguments.text("--snap").ends_with("deg");
  o.snap = degrees ? parse_value(arguments.text("--snap"), true, "--snap") : arguments.number("--snap", o.snap);
  if (o.snap < 0.0 || o.snap > 0.01) throw Error(ErrorCode::usage, "--snap needs an angle from 0 to 0.01 rad");
  o.frame = arguments.text("--frame");
  const double trials = arguments.number("--search", kSearchTrials);
  if (trials < 0.0 || trials > 1e9) throw Error(ErrorCode::usage, "--search needs a number of trials from 0 to 1e9");
  o.search.trials = static_cast<int>(trials);
  const double steps = arguments.number("--newton-steps", kNewtonStepsOfLoops);
  if (steps < 1.0 || steps > 50.0 || steps != std::floor(steps))
    throw Error(ErrorCode::usage, "--newton-steps needs an integer from 1 to 50");
  o.newton_steps = static_cast<int>(steps);
  return o;
}

std::vector<std::pair<std::string, std::string>> resolved(const Arguments& arguments, const TraceOptions& options,
                                                          const Mechanism& mechanism, const Program& program,
                                                          const std::vector<FunctionName>& functions) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const char* name : {"--set", "--payload", "--elastic", "--floating-base", "--allow-unphysical"}) {
    for (const std::string& value : arguments.texts(name)) list.emplace_back(name, value);
  }
  if (!options.keep.empty()) list.emplace_back("--keep", fmt::format("{}", fmt::join(options.keep, ",")));
  if (options.friction) list.emplace_back("--friction", "");
  list.emplace_back("--parameters", options.base_parameters ? "base" : "full");
  list.emplace_back("--objective", arguments.text("--objective", "operations"));
  list.emplace_back("--snap", fmt::format("{}", options.snap));
  list.emplace_back("--search", std::to_string(options.search.trials));
  const auto is_guess = [](const Group& g) { return g.name == "guess"; };
  if (std::ranges::any_of(program.functions,
                          [&](const Function& f) { return std::ranges::any_of(f.inputs(), is_guess); }))
    list.emplace_back("--newton-steps", std::to_string(options.newton_steps));
  if (is_of_a_frame(functions)) {
    list.emplace_back("--frame", !options.frame.empty()    ? options.frame
                                 : mechanism.links.empty() ? "base"
                                                           : mechanism.links.back().name);
  }
  return list;
}

void require_use_of_frame(const Arguments& arguments, const std::vector<FunctionName>& functions) {
  if (!arguments.has("--frame") || is_of_a_frame(functions)) return;
  std::vector<std::string> names;
  for (const FunctionName& f : functions) names.emplace_back(f.row.name);
  throw Error(ErrorCode::usage,
              fmt::format("--frame is for `kinematics` and `jacobian`, not for `{}`", fmt::join(names, "`, `")));
}

void judge_functions(const Arguments& arguments, const Model<double>& model,
                     const std::vector<FunctionName>& functions) {
  const auto accelerates = [](const FunctionName& f) { return f.row.takes(kTau); };
  if (std::any_of(functions.begin(), functions.end(), accelerates)) judge_mass_matrix(arguments, model);
}

void note_long_work(const Arguments& arguments, const Model<double>& model, const FunctionRow& function) {
  constexpr int kQuick = 12;  // velocities, for which it takes a second or two
  if (model.nv > kQuick && !arguments.quiet()) {
    constexpr int kLong = 24;  // velocities, from which on the solves of forward derivatives are most of the code
    const bool is_long = model.nv > kLong && function.derivative_of && function.takes(kTau);
    say(fmt::format(
        "{}: deriving and simplifying `{}`{}", model.name, function.name,
        is_long ? ", which takes minutes and gives megabytes of code (lw::forward_derivatives is faster)" : ""));
  }
}

std::vector<std::string> names_in(const std::string& option, const std::string& text) {
  std::vector<std::string> names;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = text.find(',', start);
    std::string name = text.substr(start, comma == std::string::npos ? comma : comma - start);
    while (!name.empty() && name.front() == ' ') name.erase(name.begin());
    while (!name.empty() && name.back() == ' ') name.pop_back();
    if (name.empty()) throw Error(ErrorCode::usage, fmt::format("{} `{}`: a name is missing", option, text));
    for (const std::string& known : names) {
      if (known == name) throw Error(ErrorCode::usage, fmt::format("{}: `{}` is named twice", option, name));
    }
    names.push_back(std::move(name));
    if (comma == std::string::npos) return names;
    start = comma + 1;
  }
}

std::vector<FunctionName> functions_in(const std::string& option, const std::string& text) {
  return functions_named(names_in(option, text));
}

}  // namespace lw::cli
