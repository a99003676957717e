#include "compile_simulator.hpp"

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../codegen/text/report.hpp"
#include "../../simulate/standalone/standalone.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../report/emitted.hpp"

namespace lw::cli {
namespace {

void require_options_of_simulators(const Arguments& arguments) {
  for (const char* option : {"--functions", "--float", "--batch", "--no-lanes", "--frame", "--strategy"}) {
    if (arguments.has(option))
      throw Error(ErrorCode::usage, fmt::format("{} cannot be combined with --simulator", option));
  }
  if (arguments.has("--language") && arguments.text("--language") != "c++") {
    throw Error(ErrorCode::usage, fmt::format("a simulator is written in C++, not {}", arguments.text("--language")));
  }
  if (arguments.has("--name") && identifier(arguments.text("--name")) != arguments.text("--name")) {
    throw Error(ErrorCode::usage, fmt::format("--name `{0}` is not an identifier; `{1}` is", arguments.text("--name"),
                                              identifier(arguments.text("--name"))));
  }
}

}  // namespace

int compile_simulator(const Arguments& arguments) {
  require_options_of_simulators(arguments);
  LoadedModel loaded =
      load_tree(arguments,
                "stand-alone simulators are only available for trees\n  `simulate` runs closed-loop mechanisms; "
                "`compile` without --simulator writes their functions, `forward` included, in C");
  const std::filesystem::path folder = arguments.text("--out", ".");
  require_writable(folder);
  judge_functions(arguments, loaded.model, {"forward"});
  StandaloneOptions options;
  options.program.trace = read_trace_options(arguments);
  options.program.trace.fused = !arguments.has("--no-fma");
  options.program.libm = arguments.has("--libm");
  options.program.progress = [&](const FunctionRow& function) { note_long_work(arguments, loaded.model, function); };
  if (!options.program.trace.friction) note_losses(arguments, loaded.mechanism);
  if (arguments.has("--inertias")) name_inertias(loaded.mechanism);
  if (arguments.has("--name")) loaded.mechanism.name = arguments.text("--name");
  const std::vector<std::string> jumping =
      options.program.trace.friction ? jumping_joints(loaded.model) : std::vector<std::string>{};
  if (!jumping.empty()) {
    say_warning(fmt::format(
        "dry friction of {} is discontinuous: the simulator handles it while joints slide or reverse, and stops with a "
        "message if one comes to rest; a `width` makes the friction smooth, and `simulate` handles sticking joints",
        fmt::join(jumping, ", ")));
  }
  Standalone made = make_standalone(loaded.mechanism, options);
  made.program.options = resolved(arguments, options.program.trace, loaded.mechanism, made.program, {"forward"});
  made.program.options.emplace_back("--simulator", "");
  if (arguments.has("--inertias")) made.program.options.emplace_back("--inertias", "");
  std::vector<std::string> build = compiler(true);
  build.insert(build.end(), made.compile.begin(), made.compile.end());
  const SelfTest test = run_selftest({{"c++"}, made.files, {build, {"./" + made.program.name, "selftest"}}, build[0]});
  if (!holds(test, "the simulator")) return kToolchain;
  Proof proof;
  proof.states = options.vectors;
  proof.errors = made.errors;
  proof.snapping = made.snapping;
  proof.self_test = test.verdict;
  proof.build = build;
  made.files.push_back(emit_report(made.program, made.files, {"c++"}, proof));
  const std::vector<std::string>& kept = made.parameters;
  Json json{{"files", write_artefacts(folder, made.files)}, {"functions", Json::array()}, {"parameters", kept}};
  Table table({"function", "×", "+", "÷", "sin, cos", "error"});
  for (std::size_t k = 0; k < made.program.functions.size(); ++k) {
    const Function& f = made.program.functions[k];
    const FunctionCost cost = lw::cost(f);
    const OperationCount& c = cost.operations;
    json["functions"].push_back({{"name", f.name()},
                                 {"multiplications", c.multiplications},
                                 {"additions", c.additions},
                                 {"divisions", c.divisions},
                                 {"trig", c.trigonometric},
                                 {"depth", cost.depth},
                                 {"error", made.errors[k]}});
    table.add({f.name(), std::to_string(c.multiplications), std::to_string(c.additions), std::to_string(c.divisions),
               std::to_string(c.trigonometric), fmt::format("{:.1e}", made.errors[k])});
  }
  json["self_test"] = test.verdict;
  json["snapping"] = made.snapping;
  if (arguments.json()) {
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}\n", table.str());
  for (const auto& file : json["files"]) fmt::print("  {}\n", file.get<std::string>());
  fmt::print("\n  parameters of the data file: {}\n", kept.empty() ? "none" : fmt::format("{}", fmt::join(kept, ", ")));
  fmt::print("  {}\n", to_string(test, options.vectors, "other algorithms"));
  fmt::print("\n  make -C {0}, then {0}/{1} forward {0}/{1}.data\n", folder.string(), made.program.name);
  return kOk;
}

}  // namespace lw::cli
