#include "schedule_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "../codegen/compile.hpp"
#include "../codegen/function_derivatives.hpp"
#include "../schedule/choice.hpp"
#include "../schedule/executor.hpp"
#include "codegen_options.hpp"
#include "results.hpp"
#include "terminal.hpp"

namespace lw::cli {
namespace {

// For this computer, as `lw::compile` makes it.
Program fastest_program(const Arguments& arguments, const Mechanism& mechanism, const std::string& function) {
  ProgramOptions options;
  options.trace = native(read_trace_options(arguments));
  if (function != kSecondDerivatives) return make_program(mechanism, {function}, options);
  std::vector<Traced> traced;
  Program program = make_program(mechanism, {"inverse-derivatives"}, options, &traced);
  const Arithmetic arithmetic = program.functions[0].arithmetic();
  const Function second = second_derivatives(traced[0].model, traced[0].function);
  program.functions = {optimize(second, Objective::latency).with(arithmetic)};
  return program;
}

constexpr double kSeconds = 4.0;  // of each measurement

struct RunRow {
  int processors = 1;
  PredictedTimes predicted;
  double seconds = 0.0;
  bool same = true;
};

}  // namespace

int run_divided(const Arguments& arguments, const LoadedModel& loaded, const std::string& function, const Machine& machine,
                const std::vector<int>& processors) {
  if (!machine.in_seconds || machine.cpu.empty()) {
    throw Error(ErrorCode::usage, "--run is for this computer: --machine host");
  }
  const auto cores = static_cast<int>(allowed_cores().size());
  if (processors.back() > cores) {
    throw Error(ErrorCode::usage, fmt::format("--run on {} processors: this process may use {}", processors.back(),
                                              counted(static_cast<std::size_t>(cores), "core")));
  }
  if (!arguments.quiet()) say("tracing, compiling and timing: best while the computer does nothing else");
  const Program program = fastest_program(arguments, loaded.mechanism, function);
  const Function& f = program.functions[0];
  Compiled compiled = jit(program);
  if (!compiled.is_native()) throw Error(ErrorCode::toolchain, "--run needs a C compiler (CC, cc, gcc, clang)");
  ExecutorOptions options;
  options.machine = machine;
  options.pin_caller = true;
  // one core: the faster of two forms, in which equal calls are loops, or stand side by side in vectors
  RunRow one;
  std::vector<RunRow> rows;
  {
    Executor alone(program, 1, options);
    const MeasuredTimes t = measure(compiled, alone, f, kSeconds);
    one.seconds = std::min(t.one, t.divided);
    one.same = t.same;
    one.predicted = alone.predicted(f.name());
    one.predicted.divided = one.predicted.one;
  }
  for (const int p : processors) {
    if (p == 1) continue;
    Executor several(program, p, options);
    const MeasuredTimes t = measure(compiled, several, f, kSeconds);
    one.seconds = std::min(one.seconds, t.one);
    rows.push_back({p, several.predicted(f.name()), t.divided, t.same});
  }
  rows.insert(rows.begin(), one);
  const auto fastest = std::min_element(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) { return a.seconds < b.seconds; });
  const bool same = std::all_of(rows.begin(), rows.end(), [](const RunRow& r) { return r.same; });
  if (arguments.json()) {
    Json json{{"model", loaded.model.name}, {"function", function}, {"same_bits", same}, {"best", fastest->processors}, {"runs", Json::array()}};
    for (const RunRow& r : rows) {
      json["runs"].push_back({{"processors", r.processors}, {"measured", r.seconds}, {"predicted", r.predicted.divided},
                              {"speedup", one.seconds / r.seconds}, {"messages", r.predicted.messages}, {"division", r.predicted.way}});
    }
    add_given(arguments, json);
    print_json(json);
  } else {
    fmt::print("{} of {} on this computer ({})\n\n", styled(function, Style::heading, stdout), loaded.model.name, machine.cpu);
    Table table({"cores", "measured", "predicted", "speed-up", "messages", "divided by"});
    for (const RunRow& r : rows) {
      table.add({std::to_string(r.processors), time_text(machine, r.seconds), time_text(machine, r.predicted.divided),
                 fmt::format("{:.2f}", one.seconds / r.seconds), r.processors > 1 ? std::to_string(r.predicted.messages) : "",
                 r.processors > 1 ? r.predicted.way : ""});
    }
    fmt::print("{}\n{}\nFastest on {}.\n", table.str(), same ? "All give the same bits." : "The results DIFFER.",
               counted(static_cast<std::size_t>(fastest->processors), "core"));
  }
  return same ? kOk : kCheckFailed;
}

}  // namespace lw::cli
