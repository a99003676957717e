#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/process.hpp"
#include "../../base/text.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/c/emit_c.hpp"
#include "../../codegen/c/selftest.hpp"
#include "../../codegen/compile.hpp"
#include "../../codegen/languages/emit_dot.hpp"
#include "../../codegen/languages/emit_fortran.hpp"
#include "../../codegen/languages/emit_latex.hpp"
#include "../../codegen/languages/emit_python.hpp"
#include "../../codegen/languages/emit_text.hpp"
#include "../../codegen/text/report.hpp"
#include "../../codegen/text/statements.hpp"
#include "../../codegen/trace/traced.hpp"
#include "../../graph/interpreter.hpp"
#include "../../model/random_state.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../parts/compile_divided.hpp"
#include "../parts/compile_simulator.hpp"
#include "../parts/compile_strategy.hpp"
#include "../report/emitted.hpp"
#include "../report/test_vectors.hpp"

namespace lw::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kStatesBeforeWriting = 1000;  // before anything is written

const std::vector<std::string> kLanguages{"c", "c++", "fortran", "python", "latex", "text", "dot"};

constexpr double kLoudSnapping = 1e-6;  // what snapping may change without a word of its own

// Lanes of --batch, or 0.
int read_batch(const Arguments& arguments, const std::string& language) {
  if (!arguments.has("--batch")) return 0;
  if (language != "c" && language != "c++") {
    throw Error(ErrorCode::usage, fmt::format("--batch requires C or C++, not {}", language));
  }
  const double lanes = arguments.number("--batch", 0.0);
  if (lanes != 4.0 && lanes != 8.0 && lanes != 16.0) {
    throw Error(ErrorCode::usage, fmt::format("--batch takes 4, 8 or 16 lanes, not {}", lanes));
  }
  return static_cast<int>(lanes);
}

// Options that only some languages have.
void require_language(const Arguments& arguments, const std::string& language) {
  for (const char* option : {"--float", "--libm", "--no-fma", "--no-lanes"}) {
    if (arguments.has(option) && language != "c" && language != "c++") {
      throw Error(ErrorCode::usage, fmt::format("{} requires C or C++, not {}", option, language));
    }
  }
}

Emitted emit(const Form& form, int batch, const Program& program, const std::vector<DividedFunction>& divided,
             const std::vector<TestVectors>& vectors) {
  const std::string& language = form.language;
  const bool single = form.single_precision;
  Emitted out;
  out.form = form;
  const auto add = [&](std::vector<Artefact> files) {
    for (Artefact& a : files) out.files.push_back(std::move(a));
  };
  const std::string name = program.name + (single ? "f" : "");
  if (language == "c" || language == "c++") {
    const bool cpp = language == "c++";
    CDialect dialect;
    dialect.cpp = cpp;
    dialect.single_precision = single;
    add(cpp ? emit_cpp(program, {.single_precision = single, .batch = batch})
            : emit_c(program, {.single_precision = single, .batch = batch}));
    const std::size_t processors = divided.empty() ? 1 : divided.front().shares.size();
    if (processors > 1) add(emit_divided(program, divided));
    add(emit_selftest(program, vectors, dialect, {.batch = batch != 0, .processors = processors}));
    const std::string ending = cpp ? ".cpp" : ".c";
    std::vector<std::string> sources;
    for (const char* part : {"", "_batch", "_selftest"}) {
      if (batch != 0 || std::string_view(part) != "_batch") sources.push_back(name + part + ending);
    }
    if (processors > 1) sources.insert(sources.end(), {c_divided_name(program, processors) + ending, "-pthread"});
    const std::vector<std::string> build = build_command(cpp, sources);
    out.tool = build[0];
    out.commands = {build, {"./selftest"}};
  } else if (language == "fortran") {
    add(emit_fortran(program));
    add({emit_fortran_selftest(program, vectors), emit_vectors(program, vectors, form)});
    out.tool = "gfortran";
    out.commands = {{"gfortran", "-std=f2008", "-O2", name + ".f90", name + "_selftest.f90", "-o", "selftest"},
                    {"./selftest"}};
  } else if (language == "python") {
    add(emit_python(program));
    add({emit_python_selftest(program, vectors), emit_vectors(program, vectors, form)});
    out.tool = "python3";
    for (const char* python : {"/usr/bin/python3", "python3"}) {
      if (find_program(python).empty() || lw::run_program({python, "-c", "import numpy"}).status != 0) continue;
      out.tool = python;
      out.commands = {{python, "-B", name + "_selftest.py"}};
      break;
    }
  } else {
    add(language == "latex" ? emit_latex(program) : language == "text" ? emit_text(program) : emit_dot(program));
  }
  return out;
}

// Notes parameters that were kept and change nothing.
void note_idle_parameters(const Arguments& arguments, const Program& program) {
  std::vector<bool> used(program.kept.size(), false);
  for (const Function& f : program.functions) {
    for (const NodeId id : f.order()) {
      if (f.graph()[id].op != Op::input) continue;
      const Place at = place(f.inputs(), f.graph()[id].a);
      if (f.inputs()[at.group].name == "p") used[at.element] = true;
    }
  }
  for (std::size_t k = 0; k < used.size() && !arguments.quiet(); ++k) {
    if (!used[k]) say(fmt::format("note: no written function depends on `{}`", program.kept[k]));
  }
}

// Whether so much may change: where nobody asked for snapping, not more than files are rounded to.
bool judge_snapping(const Arguments& arguments, double snap, double change) {
  if (change <= kLoudSnapping) return true;
  const std::string what = fmt::format(
      "rounding angles within {:g} rad of multiples of 90° to these, and lengths likewise, changes results by {:.1e}",
      snap, change);
  if (arguments.has("--snap")) {
    say_warning(what);
    return true;
  }
  say_error(fmt::format("{}. Nothing is written; --snap 0 keeps the file's numbers, --snap {:g} accepts the change",
                        what, snap));
  return false;
}

// Options with which a function that did not agree with the reference does: each is tried.
std::vector<std::string> options_that_agree(const Mechanism& mechanism, const std::string& function,
                                            const TraceOptions& without) {
  std::vector<std::string> list;
  const auto attempt = [&](const char* option, const auto& change) {
    TraceOptions options = without;
    change(options);
    try {
      if (verify(trace_function(mechanism, function, options), kStatesBeforeWriting).passed())
        list.emplace_back(option);
    } catch (const Error&) {
      // not for this function
    }
  };
  attempt("--search 0", [](TraceOptions& o) { o.search.trials = 0; });
  attempt("--parameters full", [](TraceOptions& o) { o.base_parameters = false; });
  attempt("--snap 0", [](TraceOptions& o) { o.snap = 0.0; });
  return list;
}
std::string advice(const std::vector<std::string>& options) {
  if (options.empty())
    return "--search 0, --parameters full and --snap 0 were tried without success: this is a defect of Linkwright; "
           "please report it with the file";
  return fmt::format("it agrees with {}", fmt::join(options, ", or with "));
}

std::vector<FunctionName> read_functions(const Arguments& arguments) {
  const std::vector<FunctionName> functions = functions_in("--functions", arguments.text("--functions", "inverse"));
  require_use_of_frame(arguments, functions);
  if (arguments.has("--name") && identifier(arguments.text("--name")) != arguments.text("--name")) {
    const std::string name = arguments.text("--name");
    throw Error(ErrorCode::usage, fmt::format("--name `{}` is not an identifier; `{}` is", name, identifier(name)));
  }
  return functions;
}

ProgramOptions read_program_options(const Arguments& arguments, const Form& form, const LoadedModel& loaded) {
  const bool of_c = form.language == "c" || form.language == "c++";
  ProgramOptions options;
  options.trace = read_trace_options(arguments);
  options.trace.fused = of_c && !arguments.has("--no-fma");  // the others have none
  options.trace.limbs = of_c && !arguments.has("--no-lanes");
  options.libm = arguments.has("--libm");
  options.progress = [&](const FunctionRow& function) { note_long_work(arguments, loaded.model, function); };
  return options;
}

// Functions as they are checked one after the other, for JSON, for the table and for the report.
class CheckedFunctions {
 public:
  CheckedFunctions(const Arguments& arguments, const Form& form, const LoadedModel& loaded,
                   const std::vector<FunctionName>& functions, const ProgramOptions& options)
      : single_(form.single_precision), loaded_(loaded), options_(options), table(header(single_)) {
    judge_functions(arguments, loaded.model, functions);
    const bool lossless = std::none_of(functions.begin(), functions.end(), [&](const FunctionName& f) {
      return f.row.losses == FunctionRow::Losses::always || options.trace.friction;
    });
    if (lossless) note_losses(arguments, loaded.mechanism);
    program = make_program(loaded.mechanism, functions, options, &traced_);
    if (arguments.has("--name")) program.name = arguments.text("--name");
    program.options = resolved(arguments, options.trace, loaded.mechanism, program, functions);
    for (const char* option : {"--functions", "--batch", "--processors", "--machine", "--name", "--float", "--libm",
                               "--no-fma", "--no-lanes"}) {
      if (arguments.has(option)) program.options.emplace_back(option, arguments.text(option));
    }
    if (const std::string losses = losses_left_out(loaded.mechanism); lossless && !losses.empty())
      program.left_out.push_back(losses);
    note_idle_parameters(arguments, program);
    proof.states = kStatesBeforeWriting;
  }

  // Whether they all agree with the reference.
  bool verify_all() {
    return std::ranges::all_of(traced_, [&](const Traced& t) { return verify_one(t); });
  }

 private:
  static std::vector<std::string> header(bool single) {
    std::vector<std::string> columns{"function", "×", "+", "÷", "sin, cos", "longest path"};
    if (single)
      columns.insert(columns.end(), {"error in double", "in float"});
    else
      columns.emplace_back("error");
    return columns;
  }

  bool verify_one(const Traced& t) {
    const Verification check = verify(t, kStatesBeforeWriting);
    if (!check.passed()) {
      say_error(fmt::format(
          "`{}` does not agree with the reference: error {:.1e} at {} states (limit {:.0e}). Nothing is written; {}",
          t.function.name(), check.error, check.states, check.limit,
          advice(options_that_agree(loaded_.mechanism, t.function.name(), options_.trace))));
      return false;
    }
    proof.errors.push_back(check.error);
    proof.snapping = worse(proof.snapping, check.snapping);
    const FunctionCost cost = lw::cost(t.function);
    const OperationCount& c = cost.operations;
    json.push_back({{"name", t.function.name()},
                    {"multiplications", c.multiplications},
                    {"additions", c.additions},
                    {"divisions", c.divisions},
                    {"trig", c.trigonometric},
                    {"depth", cost.depth},
                    {"road", t.methods.front().name},
                    {"error", check.error}});
    std::vector<std::string> row{t.function.name(),
                                 std::to_string(c.multiplications),
                                 std::to_string(c.additions),
                                 std::to_string(c.divisions),
                                 std::to_string(c.trigonometric),
                                 std::to_string(cost.depth),
                                 fmt::format("{:.1e}", check.error)};
    vectors.push_back(vectors_of(t, single_));
    if (single_) {
      const double error = lw::float_error(t, kStatesBeforeWriting);
      json.back()["float_error"] = error;
      proof.float_errors.push_back(error);
      program.notes.push_back(
          fmt::format("{}: largest error in single precision {:.1e} of the terms of the result, at {} random states",
                      t.function.name(), error, kStatesBeforeWriting));
      row.push_back(fmt::format("{:.1e}", error));
    }
    table.add(row);
    return true;
  }

  const bool single_;
  const LoadedModel& loaded_;
  const ProgramOptions& options_;
  std::vector<Traced> traced_;

 public:
  Program program;
  Json json = Json::array();
  Table table;
  std::vector<TestVectors> vectors;
  Proof proof;
};

int run_compile(const Arguments& arguments) {
  if (arguments.has("--simulator")) return compile_simulator(arguments);
  if (arguments.has("--inertias")) throw Error(ErrorCode::usage, "--inertias requires --simulator");
  if (arguments.text("--strategy", "recursive") != "recursive") return compile_by_strategy(arguments);
  const Form form{arguments.text("--language", "c"), arguments.has("--float")};
  require_language(arguments, form.language);
  const LoadedModel loaded = load_model(arguments);
  const std::vector<FunctionName> names = read_functions(arguments);
  const fs::path folder = arguments.text("--out", ".");
  require_writable(folder);
  const ProgramOptions options = read_program_options(arguments, form, loaded);
  const int batch = read_batch(arguments, form.language);
  const Processors processors = read_processors(arguments, form);
  CheckedFunctions functions(arguments, form, loaded, names, options);
  if (!functions.verify_all()) return kCheckFailed;
  Program& program = functions.program;
  Proof& proof = functions.proof;
  if (!judge_snapping(arguments, options.trace.snap, proof.snapping)) return kCheckFailed;
  if (proof.snapping > 0.0) {
    program.notes.push_back(
        fmt::format("angles rounded to multiples of 90°: results differ from the file's by {:.1e}", proof.snapping));
  }
  const DividedProgram divided = divide_program(program, processors, functions.json);
  program.notes.insert(program.notes.end(), divided.predictions.begin(), divided.predictions.end());
  Emitted made = emit(form, batch, program, divided.functions, functions.vectors);
  const SelfTest test = run_selftest(made);
  if (!holds(test, "the code")) return kToolchain;
  proof.self_test = test.verdict;
  if (!made.commands.empty()) proof.build = made.commands[0];
  made.files.push_back(emit_report(program, made.files, form, proof));
  const std::vector<std::string> files = write_artefacts(folder, made.files);
  if (arguments.json()) {
    Json json{
        {"files", files}, {"functions", functions.json}, {"self_test", test.verdict}, {"snapping", proof.snapping}};
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}\n", functions.table.str());
  for (const std::string& file : files) fmt::print("  {}\n", file);
  if (!divided.predictions.empty()) fmt::print("\n  {}\n", fmt::join(divided.predictions, "\n  "));
  if (proof.snapping > 0.0) fmt::print("\n  snapping changes results by {:.1e}\n", proof.snapping);
  if (test.verdict != "none") fmt::print("\n  {}\n", to_string(test, kVectors, "the library's algorithms"));
  return kOk;
}

}  // namespace

Command compile_command() {
  std::vector<Option> own{
      text_option("--functions", "F,...", "the functions to write, listed below; default: inverse"),
      choice_option("--language", "NAME", "c, c++, fortran, python, latex, text or dot; default: c", kLanguages),
      text_option("--out", "DIR", "output folder; default: the current folder"),
      text_option("--name", "NAME", "name of files and functions; default: the model's name"),
      flag_option("--float", "single precision (C and C++)"),
      number_option("--batch", "LANES", "also for many states at once, 4, 8 or 16 in vector registers (C and C++)"),
      number_option("--processors", "P", "also divided over P cores that share memory, with C11 atomics (C)"),
      text_option("--machine", "MACHINE",
                  "cost model for the division: host, or a file (docs/machines.md); default: host"),
      flag_option("--libm", "sines and cosines by the C library instead of the kernel in the file"),
      flag_option("--no-fma", "no fused multiply-adds, so that machines without them give the same bits"),
      flag_option("--no-lanes",
                  "no vectors for equal limbs (four legs, two arms): for compilers other than gcc and clang"),
      choice_option("--strategy", "NAME",
                    "how inverse is written: recursive (default), expand, loops or cse; `strategies` compares them",
                    {"expand", "loops", "cse", "recursive"}),
      flag_option("--simulator",
                  "writes a stand-alone program in one C++ file: forward and inverse runs, sensitivities, self-test; "
                  "parameters from a data file"),
      flag_option(
          "--inertias",
          "with --simulator: masses, centres of mass and moments of inertia given as numbers are parameters too")};
  for (Option& o : trace_options()) own.push_back(std::move(o));
  Command c = dynamics_command(std::move(own));
  c.name = "compile";
  c.summary = "writes code for a mechanism: C, C++, Fortran, Python, or its equations to read";
  c.description =
      "Writes functions of a mechanism as code without dependencies. Each is derived by several methods, simplified, "
      "and verified at random states; the cheapest is chosen. Test vectors, a self-test and a report are written too; "
      "the self-test is built and run before anything is written. In C: void NAME_inverse(const double *q, const "
      "double *qd, const double *qdd, double *tau); kept parameters are the last input, const double *p. The generated "
      "code is yours, without restrictions.";
  c.sections.push_back(functions_section());
  c.examples = {"linkwright compile puma560 --functions inverse,forward --out code",
                "linkwright compile puma560 --keep a2,d4 --language fortran --out code",
                "linkwright compile puma560 --batch 8 --out code",
                "linkwright compile arm6 --functions inverse-derivatives --processors 2 --out code",
                "linkwright compile double-pendulum --language text",
                "linkwright compile twu-rrrp --simulator --out simulator"};
  c.run = run_compile;
  return c;
}

}  // namespace lw::cli
