#include "bench_cores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../codegen/compile.hpp"
#include "../../model/read/read.hpp"
#include "../../schedule/choice.hpp"
#include "../../schedule/executor.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "timing.hpp"

namespace lw::cli {
namespace {

constexpr double kSuspect = 1.03;
constexpr int kRepeated = 4;
constexpr int kLargestDerivatives = 20;  // velocities; code of more takes the compiler minutes
constexpr FunctionId kDividedFunctions[] = {
    FunctionId::inverse,    FunctionId::forward,  FunctionId::mass_matrix,         FunctionId::bias,
    FunctionId::kinematics, FunctionId::jacobian, FunctionId::inverse_derivatives, FunctionId::forward_derivatives};

struct CoresRow {
  std::string function;
  int processors = 1;
  double one = 0.0, chosen = 0.0;  // seconds
  std::string why;

  double ratio() const { return chosen / one; }
};

std::string reason(const BestExecutor::Choice& c, const Machine& machine) {
  if (c.predicted.one == 0.0) return "there is one core";
  if (c.measured.one == 0.0) {
    return fmt::format("not divided: {} predicted, one core {}", time_text(machine, c.predicted.divided),
                       time_text(machine, c.predicted.one));
  }
  if (c.processors == 1) {
    return fmt::format("tried: {} divided, one core {}", time_text(machine, c.measured.divided),
                       time_text(machine, c.measured.one));
  }
  return "divided by " + c.predicted.way;
}

std::vector<CoresRow> time_choices(const Arguments& arguments, const LoadedModel& loaded, const Machine& machine) {
  std::vector<FunctionName> functions;
  for (const FunctionId id : kDividedFunctions) {
    const FunctionName f = id;
    try {
      judge_functions(arguments, loaded.model, {f});
    } catch (const Error&) {
      continue;  // accelerations that torques do not determine
    }
    const bool is_long = f.row.derivative_of && loaded.model.nv > kLargestDerivatives;
    if (is_long && !arguments.has("--long")) {
      if (!arguments.quiet())
        say(fmt::format("{}: `{}` is omitted because it takes minutes to compile; --long includes it",
                        loaded.model.name, f.row.name));
      continue;
    }
    functions.push_back(f);
  }
  ProgramOptions traced;
  traced.trace = native();
  traced.progress = [&](const FunctionRow& f) { note_long_work(arguments, loaded.model, f); };
  const Program program = make_program(loaded.mechanism, functions, traced);
  ExecutorOptions options;
  options.machine = machine;
  options.pin_caller = true;
  Compiled one = jit(program);
  if (!one.is_native()) throw Error(ErrorCode::toolchain, "--cores needs a C compiler (CC, cc, gcc, clang)");
  BestExecutor best(program, 0, options);
  std::vector<CoresRow> rows;
  for (const Function& f : program.functions) {
    std::vector<double> inputs(f.input_size()), outputs(f.output_size());
    for (std::size_t k = 0; k < inputs.size(); ++k)
      inputs[k] = 0.3 + 0.4 * std::sin(static_cast<double>(k + 1));  // any will do: no branches
    const auto repeat = [&](const auto& run) {
      return [&](int count) {
        for (int k = 0; k < count; ++k) run();
      };
    };
    // either as a control loop has it: found once, called again and again
    Compiled::Flat* const flat = one.flat(f.name());
    const BestExecutor::Callee& callee = best.called(f.name());
    const auto on_one = [&] { flat(inputs.data(), outputs.data()); };
    const auto as_chosen = [&] { callee(inputs.data(), outputs.data()); };
    const BestExecutor::Choice& choice = best.choice(f.name());
    CoresRow row{f.name(), choice.processors, 0.0, 0.0, reason(choice, machine)};
    std::vector<double> seconds = time_on_cores({repeat(on_one), repeat(as_chosen)});
    // a difference where there should be none: more repetitions tell it from a busy moment
    for (int again = 0; again < kRepeated && seconds[1] > kSuspect * seconds[0]; ++again) {
      const std::vector<double> more = time_on_cores({repeat(on_one), repeat(as_chosen)});
      for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] = std::min(seconds[k], more[k]);
    }
    row.one = seconds[0];
    row.chosen = seconds[1];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

int bench_cores(const Arguments& arguments) {
  const Machine machine = load_machine("host");
  const std::vector<std::string> names =
      arguments.has("MODEL") ? std::vector{arguments.text("MODEL")} : embedded_names();
  if (!arguments.quiet()) say("tracing, compiling and timing; results are best on an idle computer");
  Json json{{"cpu", machine.cpu}, {"cores", allowed_cores().size()}, {"results", Json::array()}};
  double worst = 0.0;
  std::string where;
  for (const std::string& name : names) {
    Arguments of = arguments;
    if (!of.has("MODEL")) of.add("MODEL", name);
    std::vector<CoresRow> rows;
    try {
      const LoadedModel loaded = load_tree(of);
      if (loaded.model.nv == 0)
        throw Error(ErrorCode::model, fmt::format("`{}` has no degrees of freedom: there is nothing to time", name));
      rows = time_choices(arguments, loaded, machine);
    } catch (const Error& e) {
      if (arguments.has("MODEL")) throw;
      if (!arguments.quiet()) say(fmt::format("{} is omitted: {}", name, e.what()));
      continue;
    }
    Table table({"function", "one core", "cores", "chosen", "chosen / one", "why"});
    for (const CoresRow& r : rows) {
      if (r.ratio() > worst) {
        worst = r.ratio();
        where = fmt::format("{} of {}", r.function, name);
      }
      json["results"].push_back({{"model", name},
                                 {"function", r.function},
                                 {"one", r.one},
                                 {"processors", r.processors},
                                 {"chosen", r.chosen},
                                 {"ratio", r.ratio()},
                                 {"why", r.why}});
      table.add({r.function, time_text(machine, r.one), std::to_string(r.processors), time_text(machine, r.chosen),
                 fmt::format("{:.3f}", r.ratio()), r.why});
    }
    if (arguments.json()) continue;
    fmt::print("\n{}\n\n{}", styled(name, Style::heading, stdout), table.str());
    std::fflush(stdout);
  }
  json["worst"] = {{"ratio", worst}, {"of", where}};
  if (arguments.json()) {
    print_json(json);
  } else {
    fmt::print("\nThe largest ratio is {:.3f}{}.\n{}, {}\n", worst, worst > 1.0 ? fmt::format(" ({})", where) : "",
               machine.cpu, counted(allowed_cores().size(), "core"));
  }
  return kOk;
}

}  // namespace lw::cli
