#include "compile_strategy.hpp"

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../codegen/strategies/strategies.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../report/emitted.hpp"
#include "../report/test_vectors.hpp"

namespace lw::cli {
namespace {

Strategy strategy_named(const std::string& name) {
  for (const Strategy s : kStrategies) {
    if (name == to_string(s)) return s;
  }
  throw Error(ErrorCode::usage, fmt::format("unknown strategy `{}`", name));
}

}  // namespace

int compile_by_strategy(const Arguments& arguments) {
  const std::string name = arguments.text("--strategy"), language = arguments.text("--language", "c");
  if (language != "c" && language != "c++")
    throw Error(ErrorCode::usage, fmt::format("--strategy {} requires C or C++, not {}", name, language));
  if (arguments.text("--functions", "inverse") != "inverse")
    throw Error(ErrorCode::usage, fmt::format("--strategy {} is for `inverse` alone", name));
  for (const char* option :
       {"--float", "--batch", "--frame", "--no-lanes", "--name", "--objective", "--parameters", "--search"}) {
    if (arguments.has(option))
      throw Error(ErrorCode::usage, fmt::format("{} cannot be combined with --strategy {}", option, name));
  }
  const LoadedModel loaded = load_tree(
      arguments,
      "strategies are only available for trees\n  `compile` without --strategy writes code for closed-loop mechanisms");
  const std::filesystem::path folder = arguments.text("--out", ".");
  require_writable(folder);
  StrategyOptions options;
  options.program.trace = read_trace_options(arguments);
  options.program.libm = arguments.has("--libm");
  options.cpp = language == "c++";
  note_losses(arguments, loaded.mechanism);
  StrategyCode made = make_by(strategy_named(name), loaded.mechanism, options);
  if (made.check && !made.check->passed()) {
    say_error(fmt::format(
        "`inverse` does not agree with the reference: error {:.1e} at {} states (limit {:.0e}). Nothing is written",
        made.check->error, made.check->states, made.check->limit));
    return kCheckFailed;
  }
  CDialect dialect;
  dialect.cpp = options.cpp;
  for (Artefact& file : emit_selftest(made.program, {vectors_of(made.traced[0])}, dialect))
    made.files.push_back(std::move(file));
  const std::string ending = options.cpp ? ".cpp" : ".c";
  const std::vector<std::string> build =
      build_command(options.cpp, {made.program.name + ending, made.program.name + "_selftest" + ending});
  const SelfTest test = run_selftest({{language}, made.files, {build, {"./selftest"}}, build[0]});
  if (!holds(test, "the code")) return kToolchain;
  const OperationCount& c = made.operations;
  Json json{{"files", write_artefacts(folder, made.files)},
            {"strategy", name},
            {"functions",
             {{{"name", "inverse"},
               {"multiplications", c.multiplications},
               {"additions", c.additions},
               {"divisions", c.divisions},
               {"trig", c.trigonometric}}}},
            {"self_test", test.verdict}};
  if (arguments.json()) {
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  Table table({"function", "strategy", "×", "+", "sin, cos"});
  table.add({"inverse", name, std::to_string(c.multiplications), std::to_string(c.additions),
             std::to_string(c.trigonometric)});
  fmt::print("{}\n", table.str());
  for (const auto& file : json["files"]) fmt::print("  {}\n", file.get<std::string>());
  fmt::print("\n  {}\n", to_string(test, kVectors, "the library's algorithms"));
  return kOk;
}

}  // namespace lw::cli
