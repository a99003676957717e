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
#include "../../model/random_state.hpp"
#include "../frame/terminal.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "backends.hpp"
#include "bench_closed.hpp"
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
constexpr int kLargestTraced = 300;        // velocities; the graph of a mass matrix grows with their square
constexpr int kLargestCompiled = 60;       // velocities; flat code of more takes the compiler minutes
constexpr int kLargestBatch = 24;          // velocities; vectors double what the compiler has to do
constexpr double kSecondsToCompare = 0.5;  // of one function, after the first state

struct NamedFunction {
  peer::Function function;
  const char* name;
};
constexpr NamedFunction kTimedFunctions[] = {{peer::Function::inverse, "inverse"},
                                             {peer::Function::mass_matrix, "mass-matrix"},
                                             {peer::Function::forward, "forward"},
                                             {peer::Function::bias, "bias"},
                                             {peer::Function::kinematics, "kinematics"},
                                             {peer::Function::inverse_derivatives, "inverse-derivatives"},
                                             {peer::Function::forward_derivatives, "forward-derivatives"}};
constexpr NamedFunction kWithFriction[] = {{peer::Function::inverse, "inverse"},
                                           {peer::Function::inverse_with_friction, "inverse, with friction"}};
std::span<const NamedFunction> timed_functions(const Arguments& arguments) {
  if (arguments.has("--friction")) return kWithFriction;
  return kTimedFunctions;
}

struct Backend {
  std::string name;
  std::unique_ptr<peer::Peer> peer;
  BatchPeer* batch = nullptr;  // the same, where it computes in many states at once
  bool ours = true;

  bool has(peer::Function f) const { return (ours || f != peer::Function::inverse_with_friction) && peer->supports(f); }
};

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
       "linkwright was built without optimisation: its figures mean nothing. Build with -DCMAKE_BUILD_TYPE=Release.");
#endif
  double load = 0.0;
  if (getloadavg(&load, 1) == 1 && load > 0.7) {
    warn(arguments,
         fmt::format("the machine is busy (load {:.1f}): figures are upper bounds and ratios doubtful", load));
  }
}

// One processor for all, so that the scheduler moves nothing between two repetitions.
void stay_on_this_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(std::max(0, sched_getcpu())), &set);
  sched_setaffinity(0, sizeof set, &set);  // where that is forbidden, the figures are a little worse
}

std::vector<Backend> make_backends(const Arguments& arguments, const LoadedModel& loaded,
                                   const std::vector<PeerLibrary>& libraries) {
  std::vector<Backend> backends;
  backends.push_back({"reference", reference_backend(loaded.model)});
  if (loaded.model.nv <= kLargestTraced) {
    backends.push_back({"interpreter", interpreter_backend(loaded.mechanism, arguments.has("--friction"))});
  } else {
    note(arguments,
         fmt::format("{}: the interpreter is left out; traced graphs of more than {} velocities are too large",
                     loaded.model.name, kLargestTraced));
  }
  if (loaded.model.nv <= kLargestCompiled) {
    note(arguments, fmt::format("{}: compiling", loaded.model.name));
    JitBackend made = jit_backend(loaded.mechanism, loaded.model.nv <= kLargestBatch, arguments.has("--friction"));
    for (const std::string& text : made.notes) note(arguments, text);
    note(arguments,
         fmt::format("{}: {} in {:.2f} s", loaded.model.name,
                     made.cached ? "generated, and its machine code found in the cache," : "generated and compiled",
                     made.seconds));
    if (made.native) backends.push_back({"jit", std::move(made.peer)});
    if (BatchPeer* batch = made.batch.get()) backends.push_back({"batch", std::move(made.batch), batch});
  }
  if (libraries.empty()) return backends;
  try {
    const std::vector<peer::Body> bodies = describe_bodies(loaded.model);
    for (const PeerLibrary& library : libraries) {
      if (auto made = make_peer(library, loaded.model, bodies)) {
        backends.push_back({library.name, std::move(made), nullptr, false});
      } else {
        note(arguments, fmt::format("{}: {} cannot represent it", loaded.model.name, library.name));
      }
    }
  } catch (const Error& e) {
    note(arguments, fmt::format("{}; timed without them", e.what()));
  }
  return backends;
}

void give_states(const Model<double>& model, const std::vector<Backend>& backends) {
  Random random(1);
  std::vector<double> q, qd, qdd, tau;
  for (int k = 0; k < kTimedStates; ++k) {
    const State s = random_state(model, random);
    q.insert(q.end(), s.q.begin(), s.q.end());
    qd.insert(qd.end(), s.qd.begin(), s.qd.end());
    qdd.insert(qdd.end(), s.qdd.begin(), s.qdd.end());
    tau.insert(tau.end(), s.tau.begin(), s.tau.end());
  }
  for (const Backend& b : backends) b.peer->set_states(kTimedStates, q.data(), qd.data(), qdd.data(), tau.data());
}

// Largest difference from the first backend over some states, relative to the largest number of its result.
double disagreement(const Model<double>& model, peer::Function f, peer::Peer& a, peer::Peer& b) {
  std::vector<double> x(result_size(model, f)), y(x.size());
  double worst = 0.0;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (int state = 0; state < kTimedStates && (state == 0 || spent() < kSecondsToCompare); state += kTimedStates / 32) {
    a.compute(f, state, 0.0);
    a.result(f, x.data());
    require_finite("the result", x, [&](std::size_t k) { return fmt::format("number {} of a random state", k + 1); });
    b.compute(f, state, 0.0);
    b.result(f, y.data());
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
  if (!loaded.model.loops.empty()) {
    std::vector<Result> results;
    for (const ClosedTiming& t :
         time_closed(loaded, seconds, [&](const std::string& text) { note(arguments, text); })) {
      results.push_back({t.function, t.backend, t.timing, t.operations});
    }
    return results;
  }
  const std::vector<Backend> backends = make_backends(arguments, loaded, libraries);
  give_states(loaded.model, backends);
  std::vector<Result> results;
  const std::span<const NamedFunction> functions = timed_functions(arguments);
  for (const auto& [function, name] : functions) {
    std::vector<TimedCall> calls;
    const std::size_t first = results.size();
    for (const Backend& b : backends) {
      if (!b.has(function)) continue;
      const double off = disagreement(loaded.model, function, *backends.front().peer, *b.peer);
      if (!(off <= 1e-9)) {
        throw Disagreement(
            fmt::format("{}, {}: {} differs from the reference by {:.1e} of the result; nothing is timed "
                        "that does not agree to 1e-9",
                        loaded.model.name, name, b.name, off));
      }
      TimedCall call{[f = function, p = b.peer.get()](int state, double nudge) { return p->compute(f, state, nudge); }};
      if (b.batch != nullptr) {
        call.many = [f = function, p = b.batch](int from, int count) { return p->compute_all(f, from, count); };
      }
      calls.push_back(std::move(call));
      results.push_back({name, b.name, {}, b.batch != nullptr ? b.batch->operations(function) : 0.0});
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
  for (const auto& [function, name] : timed_functions(arguments)) {
    for (const bool dependent : {false, true}) {
      const auto ns = [&](const Result& r) { return dependent ? r.timing.ns_dependent : r.timing.ns; };
      const double reference = ns(*find(results, name, "reference"));
      std::vector<std::string> row{dependent ? "" : name, dependent ? "dependent" : "independent"};
      for (const std::string& backend : names) {
        const Result* r = find(results, name, backend);
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
    fmt::print("batch, of the {:.0f} Gflop/s that this core does at most: {}\n", peak, fmt::join(rates, ", "));
}

std::vector<LoadedModel> load_models(const Arguments& arguments) {
  if (arguments.has("MODEL")) {
    LoadedModel loaded = load_model(arguments);
    for (const char* option : {"--friction", "--simulate"}) {
      if (loaded.model.loops.empty() || !arguments.has(option)) continue;
      throw Error(ErrorCode::model, fmt::format("{} is for trees: `{}` has closed loops", option, loaded.model.name));
    }
    if (loaded.model.nv == 0) {
      throw Error(ErrorCode::model, fmt::format("nothing moves in `{}`: there is nothing to time", loaded.model.name));
    }
    if (loaded.model.loops.empty()) judge_mass_matrix(arguments, loaded.model);
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
    note(arguments, fmt::format("Not found, so not compared: {} (bench/README.md says how to add them)",
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
        "\nLeast of up to {} repetitions, ways in turn; work is integrated along. Other libraries give the "
        "accelerations "
        "in the same loop.\n",
        kRepetitions);
  } else {
    fmt::print(
        "\nLeast of up to {} repetitions over up to {} random states, of loops states a millisecond apart; backends in "
        "turn; (ratio to the reference).\n",
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
        throw Error(ErrorCode::usage, fmt::format("--cores does not go with {}: one or the other", option));
    }
    warn_about_circumstances(arguments);
    return bench_cores(arguments);
  }
  if (arguments.has("--long")) throw Error(ErrorCode::usage, "--long goes with --cores");
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
      {{"--peers",
        "auto|none",
        "auto: all that are found; none: ours only",
        Option::Kind::text,
        {"auto", "none"},
        "Options"},
       {"--friction",
        "",
        "inverse dynamics alone, without and with what joints and drives lose",
        Option::Kind::flag,
        {},
        "Options"},
       {"--cores",
        "",
        "instead: each function on one core and on as many as are chosen for it; without MODEL for every model "
        "that comes along",
        Option::Kind::flag,
        {},
        "Options"},
       {"--long",
        "",
        "with --cores: also derivatives of large mechanisms, which take minutes to compile",
        Option::Kind::flag,
        {},
        "Options"},
       {"--simulate",
        "",
        "whole simulations instead: Runge-Kutta steps of 1 ms, and eight at once",
        Option::Kind::flag,
        {},
        "Options"}});
  c.name = "bench";
  c.summary = "nanoseconds per call, beside other libraries";
  c.description =
      "Times every function in every way of computing it, side by side in one run: ours (reference, interpreter, jit, "
      "and "
      "batch: many states at once in vectors) and those other dynamics libraries whose adapters stand beside the "
      "program "
      "(bench/README.md). Results are compared first, and nothing is timed that does not agree. Independent calls show "
      "throughput, dependent ones latency (of a batch: of one state). With --simulate whole motions are timed. Without "
      "MODEL: arm6, arm7, quadruped, humanoid.";
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
