#include "../commands.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "backends.hpp"
#include "bench_cores.hpp"
#include "bench_simulation.hpp"
#include "peak.hpp"
#include "peers.hpp"
#include "timing.hpp"

#ifndef LINKWRIGHT_FLAGS
#define LINKWRIGHT_FLAGS "unknown flags"
#endif

namespace lw::cli {
namespace {

constexpr double kSeconds = 25.0;          // for timing all there is; reading, tracing and comparing come on top
constexpr double kSecondsToCompare = 0.5;  // of one function, after the first state

struct Disagreement : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Result {
  std::string function, backend;
  Timing timing;
  double operations = 0.0;  // of a batch, a state
};

void note(const Arguments& arguments, const std::string& text) {
  if (!arguments.quiet()) say(text);
}

void warn(const Arguments& arguments, const std::string& text) {
  if (!arguments.quiet()) say_warning(text);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// What would make the figures worthless or doubtful.
void warn_about_circumstances(const Arguments& arguments) {
#if !defined(__OPTIMIZE__)
  warn(arguments,
       "linkwright was built without optimisation, so its timings are meaningless. Build with "
       "-DCMAKE_BUILD_TYPE=Release.");
#endif
  double load = 0.0;
  if (getloadavg(&load, 1) == 1 && load > 0.7) {
    warn(arguments,
         fmt::format("the machine is busy (load {:.1f}): times are upper bounds and ratios unreliable", load));
  }
}

// One processor for all, so that the scheduler moves nothing between two repetitions.
void stay_on_this_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(std::max(0, sched_getcpu())), &set);
  sched_setaffinity(0, sizeof set, &set);  // where that is forbidden, the figures are a little worse
}

// Largest difference from the first backend over some states, relative to the largest number of its result.
double disagreement(const TimedFunction& f, Backend& a, Backend& b) {
  double worst = 0.0;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (int state = 0; state < kTimedStates && (state == 0 || spent() < kSecondsToCompare); state += kTimedStates / 32) {
    a.compute(f, state, 0.0);
    const std::vector<double> x = a.result(f);
    require_finite("the result", x, [&](std::size_t k) { return fmt::format("number {} of a random state", k + 1); });
    b.compute(f, state, 0.0);
    const std::vector<double> y = b.result(f);
    const double scale = std::max(1.0, largest(x));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double difference = std::abs(x[k] - y[k]) / scale;
      if (!std::isfinite(difference)) return HUGE_VAL;
      worst = std::max(worst, difference);
    }
  }
  return worst;
}

std::vector<Result> time_model(const Arguments& arguments, const LoadedModel& loaded,
                               const std::vector<PeerLibrary>& libraries, double seconds) {
  const bool friction = arguments.has("--friction");
  const std::vector<std::unique_ptr<Backend>> backends =
      make_backends(loaded, friction, libraries, [&](const std::string& text) { note(arguments, text); });
  std::vector<Result> results;
  const std::span<const TimedFunction> functions = timed_functions(friction);
  for (const TimedFunction& f : functions) {
    std::vector<TimedCall> calls;
    const std::size_t first = results.size();
    for (const std::unique_ptr<Backend>& b : backends) {
      if (!b->has(f)) continue;
      const double off = disagreement(f, *backends.front(), *b);
      if (!(off <= 1e-9)) {
        throw Disagreement(
            fmt::format("{}, {}: {} differs from the reference by {:.1e} of the result; functions that do not agree to "
                        "1e-9 are not timed",
                        loaded.model.name, f.name, b->name, off));
      }
      calls.push_back({[f, p = b.get()](int state, double nudge) { return p->compute(f, state, nudge); }, b->many(f)});
      results.push_back({f.name, b->name, {}, b->operations(f)});
    }
    const std::vector<Timing> timings = time_side_by_side(calls, seconds / static_cast<double>(functions.size()));
    for (std::size_t k = 0; k < timings.size(); ++k) results[first + k].timing = timings[k];
  }
  return results;
}

const Result* find(const std::vector<Result>& results, const std::string& function, const std::string& backend) {
  for (const Result& r : results) {
    if (r.function == function && r.backend == backend) return &r;
  }
  return nullptr;
}

// A line per function with independent calls, then one with dependent ones; each cell ns and ratio to the reference.
void print_table(const Arguments& arguments, const Model<double>& model, const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result& r : results) {
    if (std::find(names.begin(), names.end(), r.backend) == names.end()) names.push_back(r.backend);
  }
  fmt::print("\n{} ({} velocities)\n\n", styled(model.name, Style::heading, stdout), model.nv);
  std::vector<std::string> header{"ns per call", "calls"};
  header.insert(header.end(), names.begin(), names.end());
  Table table(header);
  for (const TimedFunction& f : timed_functions(arguments.has("--friction"))) {
    for (const bool dependent : {false, true}) {
      const auto ns = [&](const Result& r) { return dependent ? r.timing.ns_dependent : r.timing.ns; };
      const double reference = ns(*find(results, f.name, "reference"));
      std::vector<std::string> row{dependent ? "" : f.name, dependent ? "dependent" : "independent"};
      for (const std::string& backend : names) {
        const Result* r = find(results, f.name, backend);
        const int digits = r != nullptr && ns(*r) < 100.0 ? 1 : 0;
        row.push_back(r == nullptr             ? "-"
                      : backend == "reference" ? fmt::format("{:.{}f}", ns(*r), digits)
                                               : fmt::format("{:.{}f} ({:.2f}x)", ns(*r), digits, ns(*r) / reference));
      }
      table.add(std::move(row));
    }
  }
  fmt::print("{}", table.str());
}

// What batches make of the processor: additions and multiplications a second, of those that it could do at most.
void print_rates(const std::vector<Result>& results, double peak) {
  std::vector<std::string> rates;
  for (const Result& r : results) {
    if (r.operations > 0.0)
      rates.push_back(fmt::format("{} {:.0f} %", r.function, 100.0 * r.operations / r.timing.ns / peak));
  }
  if (!rates.empty())
    fmt::print("batch, as a fraction of this core's peak of {:.0f} Gflop/s: {}\n", peak, fmt::join(rates, ", "));
}

std::vector<LoadedModel> load_models(const Arguments& arguments) {
  if (arguments.has("MODEL")) {
    LoadedModel loaded = load_model(arguments);
    for (const char* option : {"--friction", "--simulate"}) {
      if (arguments.has(option)) require_tree(loaded.model, fmt::format(": {} requires a tree", option));
    }
    if (loaded.model.nv == 0) {
      throw Error(ErrorCode::model,
                  fmt::format("`{}` has no degrees of freedom: there is nothing to time", loaded.model.name));
    }
    judge_mass_matrix(arguments, loaded.model);
    return {std::move(loaded)};
  }
  std::vector<LoadedModel> models;
  for (const char* name : {"arm6", "arm7", "quadruped", "humanoid"}) {
    Arguments one = arguments;
    one.add("MODEL", name);
    models.push_back(load_tree(one));
  }
  return models;
}

PeerSearch look_for_peers(const Arguments& arguments) {
  PeerSearch search;
  if (arguments.text("--peers", "auto") == "auto") search = find_peers(peer_folders());
  for (const std::string& failure : search.failures) warn(arguments, failure);
  if (!search.missing.empty()) {
    note(arguments, fmt::format("Not found and not compared: {} (to add them, see bench/README.md)",
                                fmt::join(search.missing, ", ")));
  }
  return search;
}

int bench(const Arguments& arguments) {
  const std::vector<LoadedModel> models = load_models(arguments);
  warn_about_circumstances(arguments);
  const PeerSearch search = look_for_peers(arguments);
  const std::string build = fmt::format("{} {}", peer::compiler(), LINKWRIGHT_FLAGS);
  Json json{{"processor", processor()}, {"compiler", build}, {"peers", Json::array()}, {"missing", search.missing}};
  for (const PeerLibrary& library : search.found)
    json["peers"].push_back({{"name", library.name}, {"about", library.about}});
  json["results"] = Json::array();

  stay_on_this_processor();
  const double peak = peak_rate();
  json["peak_gflops"] = peak;
  for (const LoadedModel& loaded : models) {
    if (arguments.has("--simulate")) {
      const std::vector<SimulationTiming> timings =
          time_simulations(loaded, search.found, kSeconds / static_cast<double>(models.size()));
      for (const SimulationTiming& t : timings) json["results"].push_back(to_json(loaded.model.name, t));
      if (!arguments.json()) print_simulations(loaded.model.name, timings);
      std::fflush(stdout);
      continue;
    }
    const std::vector<Result> results =
        time_model(arguments, loaded, search.found, kSeconds / static_cast<double>(models.size()));
    for (const Result& r : results) {
      json["results"].push_back({{"model", loaded.model.name},
                                 {"function", r.function},
                                 {"backend", r.backend},
                                 {"ns", r.timing.ns},
                                 {"ns_dependent", r.timing.ns_dependent},
                                 {"repetitions", r.timing.repetitions}});
      if (r.operations > 0.0) json["results"].back()["share_of_peak"] = r.operations / r.timing.ns / peak;
    }
    if (!arguments.json()) {
      print_table(arguments, loaded.model, results);
      print_rates(results, peak);
      std::fflush(stdout);
    }
  }
  if (arguments.json()) {
    print_json(json);
    return kOk;
  }
  if (arguments.has("--simulate")) {
    fmt::print(
        "\nMinimum of up to {} repetitions, methods in turn; work is integrated too. Other libraries compute the "
        "accelerations in the same loop.\n",
        kRepetitions);
  } else {
    fmt::print(
        "\nMinimum of up to {} repetitions over up to {} random states (for closed loops, states a millisecond apart); "
        "backends in turn; (ratio to the reference).\n",
        kRepetitions, kTimedStates);
  }
  fmt::print("{}\nlinkwright: {}\n", processor(), build);
  for (const PeerLibrary& library : search.found) fmt::print("{}: {}\n", library.name, library.about);
  return kOk;
}

int run_bench(const Arguments& arguments) {
  if (arguments.has("--cores")) {
    for (const char* option : {"--peers", "--friction"}) {
      if (arguments.has(option))
        throw Error(ErrorCode::usage, fmt::format("--cores and {} cannot be combined", option));
    }
    warn_about_circumstances(arguments);
    return bench_cores(arguments);
  }
  if (arguments.has("--long")) throw Error(ErrorCode::usage, "--long requires --cores");
  try {
    return bench(arguments);
  } catch (const Disagreement& e) {
    say_error(e.what());
    return kCheckFailed;
  }
}

}  // namespace

Command bench_command() {
  Command c = elastic_command(
      {choice_option("--peers", "auto|none", "auto: all libraries found; none: Linkwright only", {"auto", "none"}),
       flag_option("--friction", "only inverse dynamics, without and with losses of joints and drives"),
       flag_option("--cores",
                   "each function on one core and on the number of cores chosen for it; without MODEL for every "
                   "built-in model"),
       flag_option("--long", "with --cores: also derivatives of large mechanisms, which take minutes to compile"),
       flag_option("--simulate", "whole simulations: Runge-Kutta steps of 1 ms, singly and eight at once")});
  c.name = "bench";
  c.summary = "time per call, compared with other libraries";
  c.description =
      "Times every function with every backend in one run: reference, interpreter, jit, and batch (many states at once "
      "in vectors), and the other dynamics libraries whose adapters are installed next to the program "
      "(bench/README.md). Results are compared first, and functions that disagree are not timed. Independent calls "
      "show throughput, dependent calls latency (for a batch, of one state). With --simulate, whole motions are timed. "
      "Without MODEL: arm6, arm7, quadruped, humanoid.";
  c.examples = {"linkwright bench",
                "linkwright bench puma560 --json",
                "linkwright bench chain-30 --peers none",
                "linkwright bench puma560-dhanaraj --friction",
                "linkwright bench quadruped --cores",
                "linkwright bench puma560 --simulate"};
  c.positionals[0].required = false;
  c.run = run_bench;
  return c;
}

}  // namespace lw::cli
