#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/loops/loop_plan.hpp"
#include "../../model/entries.hpp"
#include "../../model/limits.hpp"
#include "../commands.hpp"
#include "../draw/run_files.hpp"
#include "../frame/progress.hpp"
#include "../frame/terminal.hpp"
#include "../io/model_input.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../io/scenario_option.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

constexpr double kPatience = 10.0, kLongRun = 600.0;  // seconds: until something is said, of a run that takes longer

const char* end_name(RunResult::End end) {
  switch (end) {
    case RunResult::End::duration: return "duration";
    case RunResult::End::event: return "event";
    case RunResult::End::interrupted: return "interrupted";
    case RunResult::End::failed: return "failed";
  }
  return "";
}
const char* way_name(DrivenOptions::Way way) {
  switch (way) {
    case DrivenOptions::Way::compiled: return "compiled";
    case DrivenOptions::Way::interpreted: return "interpreted";
    default: return "reference";
  }
}

// The accelerations and torques of the last row, for the results; and how far coordinates went.
struct LastRow : RunListener {
  std::vector<double> qdd, tau, low, high;
  double kinetic = 0.0, potential = 0.0, work = 0.0, losses = 0.0;
  void row(const RunRow& r) override {
    qdd.assign(r.qdd.begin(), r.qdd.end());
    tau.assign(r.tau.begin(), r.tau.end());
    kinetic = r.kinetic, potential = r.potential, work = r.work, losses = r.losses;
    if (low.empty()) low.assign(r.q.begin(), r.q.end()), high = low;
    for (std::size_t k = 0; k < low.size(); ++k) low[k] = std::min(low[k], r.q[k]), high[k] = std::max(high[k], r.q[k]);
  }
};

// Limits are no walls: nothing happens there unless the file gives them a stiffness or a scenario an event.
void note_limits(const LoadedModel& loaded, const LastRow& last) {
  for (const std::vector<double>* q : {&last.low, &last.high}) {
    if (q->empty()) continue;
    for (const PassedLimit& p : passed_limits(loaded.mechanism, loaded.model, *q)) {
      if (std::abs(p.value - p.limit) < 1e-9 * (1.0 + std::abs(p.limit))) continue;  // an event stopped it there
      say(fmt::format("note: `{}` reaches {:.6g}, {} limit of {:.6g}", p.joint->name, p.value, p.side, p.limit));
    }
  }
}

// Each is put in place, whatever becomes of the others; `written` keeps those that are whole.
std::optional<Error> finish_all(const std::vector<std::unique_ptr<RunFile>>& files, std::vector<std::string>& written) {
  std::optional<Error> first;
  std::vector<std::string> whole;
  for (std::size_t k = 0; k < files.size(); ++k) {
    try {
      if (files[k]->finish()) whole.push_back(written[k]);
    } catch (const Error& e) {
      if (!first) first = e;
    }
  }
  written = std::move(whole);
  return first;
}

struct Report {
  const Scenario& scenario;
  const lw::ScenarioDriven& scene;
  const RunResult& result;
  const LastRow& last;
  double seconds;  // that the run took
  std::vector<std::string> files;
};

// As far as loops opened; null if there are none.
Json closure(const Model<double>& model, const RunResult& run) {
  return model.loops.empty() ? Json(nullptr) : Json(run.closure);
}

Json as_json(const Arguments& arguments, const Report& r) {
  const RunResult& run = r.result;
  const Model<double>& model = r.scene.model();
  Json json{{"model", model.name},
            {"scenario", arguments.has("--scenario") ? Json(r.scenario.name) : Json(nullptr)},
            {"integrator", r.scenario.integrator},
            {"steps", run.counts.steps},
            {"rejected", run.counts.rejected},
            {"evaluations", run.counts.slopes},
            {"jacobians", run.counts.jacobians},
            {"rows", run.rows},
            {"friction", r.scenario.friction && r.scene.has_losses()},
            {"way", way_name(r.scene.way())},
            {"by_algorithms", r.scene.by_algorithms()},
            {"end", end_name(run.end)},
            {"ended_by", run.ended_by.empty() ? Json(nullptr) : Json(run.ended_by)},
            {"energy_residual", run.energy_residual},
            {"closure_residual", closure(model, run)},
            {"energy",
             {{"kinetic", r.last.kinetic},
              {"potential", r.last.potential},
              {"work", r.last.work},
              {"losses", r.last.losses}}},
            {"coordinate_names", model.coordinate_names},
            {"velocity_names", model.velocity_names},
            {"final",
             {{"t", run.final.t}, {"q", run.final.q}, {"qd", run.final.v}, {"qdd", r.last.qdd}, {"tau", r.last.tau}}},
            {"event_count", run.event_count},
            {"events", Json::array()},
            {"seconds", r.seconds},
            {"times_real_time", r.seconds > 0.0 ? run.final.t / r.seconds : 0.0},
            {"files", r.files}};
  for (const RunEvent& e : run.events) {
    json["events"].push_back({{"t", e.t}, {"name", e.name}, {"message", e.message}, {"q", e.q}, {"qd", e.qd}});
  }
  add_given(arguments, json);
  return json;
}

void print_events(const RunResult& run) {
  if (run.events.empty()) return;
  fmt::print("\n{}:\n\n", counted(static_cast<std::size_t>(run.event_count), "event"));
  Table table({"t (s)", "event", ""});
  constexpr std::size_t kShown = 20;
  for (std::size_t k = 0; k < std::min(run.events.size(), kShown); ++k) {
    table.add({fmt::format("{:.6f}", run.events[k].t), run.events[k].name, run.events[k].message});
  }
  fmt::print("{}", table.str());
  if (run.event_count > static_cast<long>(kShown)) fmt::print("  … --json lists more\n");
}

void print_text(const Report& r) {
  const RunResult& run = r.result;
  const Model<double>& model = r.scene.model();
  const bool friction = r.scenario.friction && r.scene.has_losses();
  fmt::print("{}: {:.6g} s by {}{}\n\n", model.name, run.final.t, r.scenario.integrator,
             friction ? ", with friction" : "");
  const std::vector<Entry> q = coordinate_entries(model), v = velocity_entries(model);
  const double far = largest(run.final.q), fast = largest(run.final.v), rate = largest(r.last.qdd),
               effort = largest(r.last.tau);
  if (q.size() == v.size() && !r.last.qdd.empty()) {
    Table table({"joint", "q", "", "qd", "qdd", "tau", ""});
    for (std::size_t k = 0; k < v.size(); ++k) {
      table.add({v[k].name, readable(run.final.q[k], 6, far), v[k].unit, readable(run.final.v[k], 6, fast),
                 readable(r.last.qdd[k], 4, rate), readable(r.last.tau[k], 4, effort), force_unit(v[k])});
    }
    fmt::print("{}", table.str());
  } else {
    Table table({"coordinate", "q", ""});
    for (std::size_t k = 0; k < q.size(); ++k) table.add({q[k].name, readable(run.final.q[k], 6, far), q[k].unit});
    fmt::print("{}\n", table.str());
    Table rates({"velocity", "qd", "tau", ""});
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double tau = r.last.tau.empty() ? 0.0 : r.last.tau[k];
      rates.add({v[k].name, readable(run.final.v[k], 6, fast), readable(tau, 4, effort), force_unit(v[k])});
    }
    fmt::print("{}", rates.str());
  }
  print_events(run);
  fmt::print(
      "\nenergy      {:.6g} J kinetic, {:.6g} J potential, {:.6g} J work, {:.6g} J lost; residual {}\n", r.last.kinetic,
      r.last.potential, r.last.work, r.last.losses,
      std::isfinite(run.energy_residual) ? fmt::format("{:.1e} of the largest", run.energy_residual) : "without bound");
  if (const Json open = closure(model, run); open.is_number()) {
    fmt::print("loops       {} coordinates, open by {:.1e} m or rad at most\n",
               r.scenario.redundant ? "redundant" : "minimal", open.get<double>());
  }
  fmt::print("steps       {}{}, {} evaluations, {}\n", run.counts.steps,
             run.counts.rejected > 0 ? fmt::format(" ({} rejected)", run.counts.rejected) : "", run.counts.slopes,
             r.scene.way() == DrivenOptions::Way::compiled && r.scene.by_algorithms() > 0
                 ? fmt::format("compiled; {} by the library's algorithms, because friction sticks or reverses, or the "
                               "guess of loops was inaccurate",
                               r.scene.by_algorithms())
                 : way_name(r.scene.way()));
  fmt::print("time        {:.3g} s, {:.3g} × real time\n", r.seconds, run.final.t / std::max(r.seconds, 1e-9));
  for (const std::string& f : r.files) fmt::print("written     {}\n", f);
}

int run_simulate(const Arguments& arguments) {
  require_ending(arguments, "--out", "CSV", ".csv");
  require_ending(arguments, "--mcap", "MCAP", ".mcap");
  require_ending(arguments, "--plot", "SVG", ".svg");
  for (const char* option : {"--out", "--mcap", "--plot"}) {
    require_other_file(arguments, option, "MODEL");
    require_other_file(arguments, option, "--scenario");
  }
  LoadedModel loaded = load_model(arguments);
  require_sound_loops(arguments, loaded.model);
  loaded.model = with_drivers(std::move(loaded.model));
  const Scenario scenario = read_scenario_options(arguments, loaded);
  if (!scenario.duration) {
    throw Error(ErrorCode::usage,
                "the duration is missing: use --duration 5 (in seconds), or `duration` in a scenario");
  }
  const std::unique_ptr<Integrator> integrator = make_integrator(scenario.integrator, scenario.options);
  lw::ScenarioDriven scene(
      loaded.mechanism, scenario,
      arguments.has("--no-compile") ? DrivenOptions::Way::reference : DrivenOptions::Way::automatic);
  for (const std::string& note : scene.notes()) {
    if (!arguments.quiet()) say("note: " + note);
  }

  std::vector<std::unique_ptr<RunFile>> files;
  std::vector<std::string> written;
  const auto open = [&](const char* option, const auto& make) {
    if (!arguments.has(option)) return;
    files.push_back(make(arguments.text(option)));
    written.push_back(arguments.text(option));
  };
  open("--out", [&](const std::string& path) { return csv_file(path, loaded.model, scenario); });
  open("--mcap", [&](const std::string& path) { return mcap_file(path, loaded.mechanism, loaded.model, scenario); });
  open("--plot", [&](const std::string& path) { return plot_file(path, loaded.model, scenario); });
  LastRow last;
  RunOptions options{*scenario.duration, scenario.sample, {&last}, {}, !arguments.has("--no-guard")};
  for (const auto& f : files) options.listeners.push_back(f.get());

  RunResult result;
  std::optional<Error> unwritten;
  double seconds = 0.0;
  {
    const Interrupts interrupts;
    Progress progress(arguments, loaded.model.name);
    options.proceed = [&](double t) {
      progress.at(t / options.duration, [t] { return fmt::format("t = {:.4g} s", t); });
      return !interrupts.asked();
    };
    const auto start = std::chrono::steady_clock::now();
    // One who waits without a picture of it should know why.
    bool told = arguments.quiet();
    const auto tell_of_long_run = [&, steps = integrator.get()](double t) {
      if (told || steps->counts().steps % 1000 != 0) return;
      const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (passed < kPatience || passed * (options.duration - t) < kLongRun * t) return;
      told = true;
      say(fmt::format("note: after {:.0f} s the motion has reached t = {:.3g} s of {:g}, in steps of {:.1e} s{}",
                      passed, t, options.duration, t / static_cast<double>(std::max(1L, steps->counts().steps)),
                      scenario.integrator == "cvode" || !is_adaptive(scenario.integrator, scenario.options)
                          ? ""
                          : "; it may be stiff (try --integrator cvode), or the tolerances may be too small"));
    };
    options.proceed = [&, shown = options.proceed](double t) {
      tell_of_long_run(t);
      return shown(t);
    };
    result = run(scene, *integrator, scenario, options);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    unwritten = finish_all(files, written);
  }
  if (!arguments.quiet()) note_limits(loaded, last);
  if (!arguments.quiet() && !result.warning.empty()) say("warning: " + result.warning);
  const Report report{scenario, scene, result, last, seconds, written};
  if (arguments.json()) {
    print_json(as_json(arguments, report));
  } else {
    print_text(report);
  }
  if (result.end == RunResult::End::failed) throw Error(ErrorCode::data, result.ended_by);
  if (unwritten) throw *unwritten;
  if (result.end == RunResult::End::interrupted) {
    say(fmt::format("interrupted at t = {:.6g} s of {:.6g}{}", result.final.t, *scenario.duration,
                    written.empty() ? "" : "; the files are complete up to that moment"));
    return kInterrupted;
  }
  return kOk;
}

}  // namespace

Command simulate_command() {
  std::vector<Option> own = scenario_options();
  own.push_back(text_option("--out", "FILE.csv", "writes t,q1..,qd1..,qdd1..,tau1..,energy", "Output"));
  own.push_back(text_option("--mcap", "FILE.mcap", "writes motion, frames and shapes for Foxglove", "Output"));
  own.push_back(
      text_option("--plot", "FILE.svg", "draws coordinates, velocities, torques and energy over time", "Output"));
  own.push_back(flag_option("--no-compile", "uses the library's algorithms instead of compiled code"));
  own.push_back(flag_option("--no-guard", "continues even if energy does not balance or time does not advance"));
  Command c = dynamics_command(own);
  c.name = "simulate";
  c.summary = "simulates the motion of a mechanism";
  c.description =
      "Integrates the equations of motion from a state: free motion under constant torques (--q, --qd, --tau), or a "
      "scenario file (docs/scenarios.md) with inputs as formulas, tables, recordings or controllers, events that stop, "
      "record or change the run, and outputs. Options take precedence over the file.\n\nJoint friction and drive "
      "losses act unless --no-friction is given. Energy and work are integrated with the motion, and the residual of "
      "their balance is always reported. If energy does not balance, loops open or time does not advance, the run ends "
      "with an error and complete files (--no-guard continues). Ctrl-C ends the run and leaves complete files.\n\nFor "
      "closed-loop mechanisms, --q, --qd and --tau list the actuated joints; the others follow, in the mode of the "
      "home pose or --mode K. `--coordinates redundant` passes through dead centres of the actuated joints. Where "
      "branches of the motion meet, the motion stays on its branch.";
  c.examples = {"linkwright simulate double-pendulum --duration 5 --plot swing.svg --out run.csv",
                "linkwright simulate puma560 --duration 0.5 --step 0.001 --tau 10,0,0,0,0,0 --no-friction --json",
                "linkwright simulate four-bar --duration 2 --qd 8",
                "linkwright simulate quadruped --duration 0.2 --integrator rk4 --step 0.001 --mcap fall.mcap"};
  c.sections = {integrator_section()};
  c.run = run_simulate;
  return c;
}

}  // namespace lw::cli
