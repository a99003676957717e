#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/process.hpp"
#include "../../base/text.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/c/c_text.hpp"
#include "../../codegen/strategies/strategy_cost.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../dynamics/tree/torque_terms.hpp"
#include "../../model/random_state.hpp"
#include "../../model/read/read.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/results.hpp"
#include "../report/emitted.hpp"

// The four ways to write inverse dynamics, on arms of more and more joints: what they take to make, to compile and to
// run.
namespace lw::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kTerms = 10'000, kLongTerms = 50'000;  // of an expansion
constexpr double kBytes = 350e3, kLongBytes = 4e6;           // of C that the compiler is given
constexpr int kLargestArm = 12;                              // what the closed forms take
constexpr int kComparedStates = 100;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What one strategy came to on one arm. Less than zero: not measured, `why` says why.
struct Measured {
  GenerationCost made;
  double bytes = -1, object_bytes = -1, compilation = -1, compilation_kb = -1, ns = -1, error = -1;
  std::string why;
};

// The compiled function beside rnea, and its time: the least of some repetitions over the states.
void run_compiled(const fs::path& library, const std::string& symbol, const Model<double>& model, Measured& m) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(ErrorCode::toolchain, fmt::format("cannot load compiled code: {}", dlerror()));
  const auto inverse =
      reinterpret_cast<void (*)(const double*, const double*, const double*, double*)>(dlsym(handle, symbol.c_str()));
  require(inverse != nullptr, "the compiled code does not contain its function");
  Random random(1);
  Workspace<double> work(model);
  std::vector<State> states;
  std::vector<double> tau(static_cast<std::size_t>(model.nv)), expected(tau.size());
  m.error = 0.0;
  for (int k = 0; k < kComparedStates; ++k) {
    states.push_back(random_state(model, random));
    const State& s = states.back();
    inverse(s.q.data(), s.qd.data(), s.qdd.data(), tau.data());
    rnea<double>(model, work, s.q, s.qd, s.qdd, expected);
    const std::vector<double> terms = torque_terms(model, work, s.q, s.qd, s.qdd);
    for (std::size_t i = 0; i < tau.size(); ++i)
      m.error = worse(m.error, std::abs(tau[i] - expected[i]) / std::max(1.0, terms[i]));
  }
  const auto begin = Clock::now();
  m.ns = HUGE_VAL;
  do {
    const auto start = Clock::now();
    for (const State& s : states) inverse(s.q.data(), s.qd.data(), s.qdd.data(), tau.data());
    m.ns = std::min(m.ns, 1e9 * seconds_since(start) / kComparedStates);
  } while (seconds_since(begin) < 0.05);
  dlclose(handle);
}

Measured measured(Strategy strategy, int joints, bool long_run, const fs::path& folder) {
  Measured m;
  const Mechanism arm = load(fmt::format("arm-{}", joints));
  fs::create_directories(folder);
  StrategyOptions options;
  options.program.trace.fused = strategy == Strategy::recursive && machine_has_fma();
  options.most_terms = long_run ? kLongTerms : kTerms;
  m.made = generation_cost(strategy, arm, options, folder.string());
  m.why = m.made.why;
  if (!m.made.made()) return m;
  const std::string name = identifier(arm.name);
  m.bytes = m.made.bytes;
  if (m.bytes > (long_run ? kLongBytes : kBytes)) {
    m.why = long_run ? "too long to compile here" : "not compiled without --long";
    return m;
  }
  std::vector<std::string> build = compiler(false);
  if (find_program(build[0]).empty()) {
    m.why = fmt::format("there is no `{}` here", build[0]);
    return m;
  }
  build.insert(build.end(), {"-std=c11", "-O2", "-march=native", "-fPIC"});
  build.insert(build.end(), kCFlags.begin(), kCFlags.end());
  std::vector<std::string> link = compiler(false);
  build.insert(build.end(), {"-c", name + ".c", "-o", "code.o"});
  link.insert(link.end(), {"-shared", "code.o", "-o", "code.so", "-lm"});
  const auto start = Clock::now();
  const Finished done = lw::run_program(build, folder.string());
  m.compilation = seconds_since(start);
  m.compilation_kb = static_cast<double>(done.peak_kilobytes);
  if (done.status != 0 || lw::run_program(link, folder.string()).status != 0)
    throw Error(ErrorCode::toolchain, "the compiler refuses the code:\n" + done.output);
  m.object_bytes = static_cast<double>(fs::file_size(folder / "code.o"));
  run_compiled(folder / "code.so", name + "_inverse", instantiate<double>(arm), m);
  return m;
}

struct Range {
  int first = 2, last = kLargestArm;
};
Range read_range(const Arguments& arguments) {
  if (!arguments.has("--joints")) return {};
  const std::string text = arguments.text("--joints");
  const std::size_t dots = text.find("..");
  Range range;
  const auto number = [&](const std::string& part, int& to) {
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), to);
    return fault == std::errc() && end == part.data() + part.size();
  };
  const bool fine = dots == std::string::npos
                        ? number(text, range.first) && number(text, range.last)
                        : number(text.substr(0, dots), range.first) && number(text.substr(dots + 2), range.last);
  if (!fine || range.first < 1 || range.last < range.first || range.last > kLargestArm) {
    throw Error(ErrorCode::usage, fmt::format("--joints needs a range such as 2..{}, within 1 and {}, not `{}`",
                                              kLargestArm, kLargestArm, text));
  }
  return range;
}

int run_strategies(const Arguments& arguments) {
  const Range range = read_range(arguments);
  const ScratchFolder scratch;
  Json json{{"results", Json::array()}};
  Table table({"joints", "strategy", "×", "+", "bytes of C", "generated (s)", "MB", "compiled (s)", "MB",
               "bytes of code", "ns per call", "error"});
  const auto shown = [](double x, const char* format, double unit = 1.0) {
    return x < 0.0 ? std::string("–") : fmt::format(fmt::runtime(format), x / unit);
  };
  bool right = true;
  for (int n = range.first; n <= range.last; ++n) {
    for (const Strategy s : kStrategies) {
      if (!arguments.quiet()) say(fmt::format("arm-{}: {}", n, to_string(s)));
      const Measured m = measured(s, n, arguments.has("--long"), scratch.path / fmt::format("{}-{}", n, to_string(s)));
      const auto number = [](double x) { return x < 0.0 ? Json() : Json(x); };
      const bool made = m.made.made();
      json["results"].push_back({{"joints", n},
                                 {"strategy", to_string(s)},
                                 {"multiplications", made ? Json(m.made.multiplications) : Json()},
                                 {"additions", made ? Json(m.made.additions) : Json()},
                                 {"source_bytes", number(m.bytes)},
                                 {"generation_seconds", number(m.made.seconds)},
                                 {"generation_kilobytes", number(m.made.kilobytes)},
                                 {"compilation_seconds", number(m.compilation)},
                                 {"compilation_kilobytes", number(m.compilation_kb)},
                                 {"object_bytes", number(m.object_bytes)},
                                 {"ns", number(m.ns)},
                                 {"error", number(m.error)},
                                 {"why", m.why}});
      right = right && (m.error < 0.0 || m.error <= 1e-12);
      if (!made) {
        table.add({std::to_string(n), to_string(s), "–", "–", "–", "–", "–", "–", "–", "–", "–", m.why});
        continue;
      }
      table.add({std::to_string(n), to_string(s), std::to_string(m.made.multiplications),
                 std::to_string(m.made.additions), shown(m.bytes, "{:.0f}"), shown(m.made.seconds, "{:.2f}"),
                 shown(m.made.kilobytes, "{:.0f}", 1024.0), shown(m.compilation, "{:.2f}"),
                 shown(m.compilation_kb, "{:.0f}", 1024.0), shown(m.object_bytes, "{:.0f}"), shown(m.ns, "{:.0f}"),
                 m.why.empty() ? fmt::format("{:.0e}", m.error) : m.why});
    }
  }
  if (arguments.json())
    print_json(json);
  else
    fmt::print("{}\n", table.str());
  if (!right) say_error("a strategy does not agree with recursive Newton-Euler (limit 1e-12 of the terms)");
  return right ? kOk : kCheckFailed;
}

}  // namespace

Command strategies_command() {
  Command c;
  c.name = "strategies";
  c.summary = "compares four ways to write inverse dynamics, on arms of 2 to 12 joints";
  c.description =
      "Writes the inverse dynamics of arm-N with four strategies (compile --strategy): expand, Lagrange's equations "
      "expanded; loops, matrices of the joints and loops over groups of them, as in Twu 1987; cse, Lagrange's closed "
      "equations with common subexpressions shared; recursive, the default of compile. For each: operations, size of "
      "the code, time and memory of generation and compilation, time per call, and largest difference from recursive "
      "Newton-Euler at random states, relative to the terms of each torque.";
  c.options = {
      text_option("--joints", "A..B", "numbers of joints of the arms; default: 2..12"),
      flag_option(
          "--long",
          fmt::format("allows expansions to {} terms instead of {}, and compiles {:.0f} kB of C instead of {:.0f}",
                      kLongTerms, kTerms, kLongBytes / 1e3, kBytes / 1e3)),
      json_option()};
  c.examples = {"linkwright strategies --joints 2..3", "linkwright compile arm-4 --strategy loops --out code"};
  c.run = run_strategies;
  return c;
}

}  // namespace lw::cli
