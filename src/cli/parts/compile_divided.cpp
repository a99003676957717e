#include "compile_divided.hpp"

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "../../schedule/choice.hpp"
#include "../../schedule/divided.hpp"

namespace lw::cli {
namespace {

constexpr int kMostDivided = 64;

}  // namespace

Processors read_processors(const Arguments& arguments, const Form& form) {
  if (!arguments.has("--processors")) {
    if (arguments.has("--machine")) throw Error(ErrorCode::usage, "--machine requires --processors");
    return {};
  }
  const double wish = arguments.number("--processors", 0.0);
  const int count = wish >= 2.0 && wish <= kMostDivided ? static_cast<int>(wish) : 0;
  if (count == 0 || count != wish) {
    throw Error(ErrorCode::usage,
                fmt::format("--processors needs an integer from 2 to {}, not {}; omit it for one processor",
                            kMostDivided, arguments.text("--processors")));
  }
  if (form.language != "c") {
    throw Error(ErrorCode::usage, fmt::format("--processors requires C with C11 atomics, not {}", form.language));
  }
  for (const char* option : {"--float", "--batch"}) {
    if (arguments.has(option))
      throw Error(ErrorCode::usage, fmt::format("--processors and {} cannot be combined", option));
  }
  const Machine machine = load_machine(arguments.text("--machine", "host"));
  if (machine.processors > 0 && count > machine.processors) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--processors {}: {} has {}; --machine FILE says what another takes (docs/machines.md)", count,
                    in_quotes(machine.name), counted(static_cast<std::size_t>(machine.processors), "processor")));
  }
  return {count, machine};
}

DividedProgram divide_program(const Program& program, const Processors& processors, Json& functions) {
  DividedProgram divided;
  if (processors.count < 2) return divided;
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    PredictedTimes times;
    divided.functions.push_back(divide_over(f, processors.machine, processors.count, &times));
    divided.predictions.push_back(fmt::format("{} on {} processors: {}, on one {} (predicted for {}); {}{}", f.name(),
                                              processors.count, time_text(processors.machine, times.divided),
                                              time_text(processors.machine, times.one), processors.machine.name,
                                              counted(static_cast<std::size_t>(times.messages), "message"),
                                              times.divided < times.one ? "" : "; there is no gain: use one"));
    functions[k]["divided"] = {{"processors", processors.count}, {"machine", processors.machine.name},
                               {"predicted", times.divided},     {"predicted_on_one", times.one},
                               {"messages", times.messages},     {"division", times.way}};
  }
  return divided;
}

}  // namespace lw::cli
