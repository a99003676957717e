#include "schedule_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../codegen/compile.hpp"
#include "../../codegen/trace/function_derivatives.hpp"
#include "../../schedule/choice.hpp"
#include "../../schedule/executor.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/results.hpp"
#include "peers.hpp"
#include "timing.hpp"

namespace lw::cli {
namespace {

// For this computer, as `lw::compile` makes it.
Program fastest_program(const Arguments& arguments, const Mechanism& mechanism, const std::string& function) {
  ProgramOptions options;
  options.trace = native(read_trace_options(arguments));
  if (find_function(function) != nullptr) return make_program(mechanism, {function}, options);
  std::vector<Traced> traced;
  Program program = make_program(mechanism, {"inverse-derivatives"}, options, &traced);
  const Arithmetic arithmetic = program.functions[0].arithmetic();
  const Function second = second_derivatives(traced[0].model, traced[0].function);
  program.functions = {optimize(second, Objective::latency).with(arithmetic)};
  return program;
}

struct CoresRun {
  int processors = 1;
  PredictedTimes predicted;
  double seconds = 0.0;
};

// The same tasks by another library.
struct PeerRow {
  std::string name, about;
  int processors = 2;
  std::unique_ptr<peer::Flow> flow;
  double seconds = 0.0;
};

FlowSearch look_for_flows(const Arguments& arguments) {
  FlowSearch search;
  if (arguments.text("--peers", "auto") == "auto") search = find_flows(peer_folders());
  if (arguments.quiet()) return search;
  for (const std::string& failure : search.failures) say_warning(failure);
  if (!search.missing.empty()) {
    say(fmt::format("Not found and not compared: {} (to add it, see bench/README.md)",
                    fmt::join(search.missing, ", ")));
  }
  return search;
}

struct DividedRuns {
  const std::string &model, &function;
  const Machine& machine;
  const std::vector<CoresRun>& rows;  // the first on one core
  const std::vector<PeerRow>& peers;
  bool same;  // bits
};

void give_runs(const Arguments& arguments, const DividedRuns& r) {
  const CoresRun& one = r.rows[0];
  const auto fastest = std::min_element(r.rows.begin(), r.rows.end(),
                                        [](const CoresRun& a, const CoresRun& b) { return a.seconds < b.seconds; });
  if (arguments.json()) {
    Json json{{"model", r.model},
              {"function", r.function},
              {"same_bits", r.same},
              {"best", fastest->processors},
              {"runs", Json::array()}};
    for (const CoresRun& run : r.rows) {
      json["runs"].push_back({{"processors", run.processors},
                              {"measured", run.seconds},
                              {"predicted", run.predicted.divided},
                              {"speedup", one.seconds / run.seconds},
                              {"messages", run.predicted.messages},
                              {"division", run.predicted.way}});
    }
    if (!r.peers.empty()) json["peers"] = Json::array();
    for (const PeerRow& run : r.peers) {
      json["peers"].push_back({{"name", run.name},
                               {"about", run.about},
                               {"processors", run.processors},
                               {"measured", run.seconds},
                               {"speedup", one.seconds / run.seconds}});
    }
    add_given(arguments, json);
    print_json(json);
  } else {
    fmt::print("{} of {} on this computer ({})\n\n", styled(r.function, Style::heading, stdout), r.model,
               r.machine.cpu);
    Table table({"cores", "measured", "predicted", "speed-up", "messages", "divided by"});
    for (const CoresRun& run : r.rows) {
      table.add({std::to_string(run.processors), time_text(r.machine, run.seconds),
                 time_text(r.machine, run.predicted.divided), fmt::format("{:.2f}", one.seconds / run.seconds),
                 run.processors > 1 ? std::to_string(run.predicted.messages) : "",
                 run.processors > 1 ? run.predicted.way : ""});
    }
    for (const PeerRow& run : r.peers) {
      table.add({std::to_string(run.processors), time_text(r.machine, run.seconds), "",
                 fmt::format("{:.2f}", one.seconds / run.seconds), "",
                 fmt::format("the same tasks run by {}", run.about)});
    }
    fmt::print("{}\n{}\nFastest on {}.\n", table.str(),
               r.same ? "All results have the same bits." : "The results DIFFER.",
               counted(static_cast<std::size_t>(fastest->processors), "core"));
  }
}

}  // namespace

int run_divided(const Arguments& arguments, const LoadedModel& loaded, const std::string& function,
                const Machine& machine, const std::vector<int>& processors) {
  if (machine.name != "host" || machine.cpu.empty()) {
    throw Error(ErrorCode::usage, "--run measures this computer: use --machine host");
  }
  const auto cores = static_cast<int>(allowed_cores().size());
  if (processors.back() > cores) {
    throw Error(ErrorCode::usage, fmt::format("--run: {} processors requested, but this process may use only {}",
                                              processors.back(), counted(static_cast<std::size_t>(cores), "core")));
  }
  if (!arguments.quiet()) say("tracing, compiling and timing; results are best on an idle computer");
  const Program program = fastest_program(arguments, loaded.mechanism, function);
  const Function& f = program.functions[0];
  if (f.output_size() == 0)
    throw Error(ErrorCode::model,
                fmt::format("`{}` has no degrees of freedom: there is nothing to time", loaded.model.name));
  Compiled compiled = jit(program);
  if (!compiled.is_native()) throw Error(ErrorCode::toolchain, "--run needs a C compiler (CC, cc, gcc, clang)");
  ExecutorOptions options;
  options.machine = machine;
  options.pin_caller = true;
  std::vector<int> counts{1};
  std::copy_if(processors.begin(), processors.end(), std::back_inserter(counts), [](int p) { return p > 1; });
  std::vector<double> inputs(f.input_size()), outputs(f.output_size());
  for (std::size_t k = 0; k < inputs.size(); ++k)
    inputs[k] = 0.3 + 0.4 * std::sin(static_cast<double>(k + 1));  // any will do: no branches
  std::vector<std::function<void(int)>> calls{[&](int count) {
    for (int k = 0; k < count; ++k) compiled(f.name(), inputs, outputs);
  }};
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<CoresRun> rows;
  for (const int p : counts) {
    Executor& run = *executors.emplace_back(std::make_unique<Executor>(program, p, options));
    rows.push_back({p, run.predicted(f.name()), 0.0});
    if (p == 1) rows.back().predicted.divided = rows.back().predicted.one;
    calls.push_back([&](int count) {
      for (int k = 0; k < count; ++k) run(f.name(), inputs, outputs);
    });
  }
  std::vector<PeerRow> peers;
  const std::vector<int> allowed = allowed_cores();
  for (const auto& library : look_for_flows(arguments).found) {
    for (std::size_t k = 1; k < counts.size(); ++k) {
      std::vector<peer::FlowTask> tasks;
      for (const SegmentTask& t : executors[k]->tasks(f.name()))
        tasks.push_back({t.run, static_cast<int>(t.before.size()), t.before.data()});
      const peer::FlowDescription d{static_cast<int>(tasks.size()), tasks.data(), counts[k], allowed.data()};
      peers.push_back({library.name, library.about, counts[k], std::unique_ptr<peer::Flow>(library.make(&d)), 0.0});
      calls.push_back([&, flow = peers.back().flow.get(), shared = executors[k]->shared(f.name())](int count) {
        flow->evaluate(count, shared, inputs.data(), outputs.data());
      });
    }
  }
  std::vector<double> first;
  bool same = true;
  for (const auto& call : calls) {
    std::fill(outputs.begin(), outputs.end(), 12345.0);
    call(1);
    if (first.empty()) first = outputs;
    same = same && std::memcmp(first.data(), outputs.data(), outputs.size() * sizeof(double)) == 0;
  }
  const std::vector<double> seconds = time_on_cores(calls, arguments.number("--seconds", 8.0));
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].seconds = seconds[1 + k];
  for (std::size_t k = 0; k < peers.size(); ++k) peers[k].seconds = seconds[1 + rows.size() + k];
  // one core: the faster of two forms, in which equal calls are loops, or stand side by side in vectors
  rows[0].seconds = std::min(rows[0].seconds, seconds[0]);
  give_runs(arguments, {loaded.model.name, function, machine, rows, peers, same});
  return same ? kOk : kCheckFailed;
}

}  // namespace lw::cli
