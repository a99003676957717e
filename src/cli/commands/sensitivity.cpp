#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/parameters/parameter_derivatives.hpp"
#include "../../simulate/design/design_scenario.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/design_input.hpp"
#include "../io/motion_csv.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../report/design_check.hpp"
#include "../report/design_instants.hpp"

namespace lw::cli {
namespace {

struct SensitivityInput {
  LoadedPlant plant;
  std::vector<std::string> parameters;
  std::vector<DesignFunctional> functionals;
  DesignMethod method = DesignMethod::automatic;
};

DesignMethod design_method(const Arguments& arguments) {
  const std::string name = arguments.text("--method", "automatic");
  for (const DesignMethod m : {DesignMethod::direct, DesignMethod::adjoint, DesignMethod::cvodes}) {
    if (name == to_string(m)) return m;
  }
  return DesignMethod::automatic;
}

ForwardDesignOptions design_run_options(const Arguments& arguments, const SensitivityInput& input) {
  const LoadedModel& loaded = input.plant.loaded;
  ForwardDesignOptions options;
  if (arguments.has("--scenario")) {
    for (const char* option : {"--q", "--qd", "--mode", "--torque", "--friction"}) {
      if (arguments.has(option))
        throw Error(ErrorCode::usage, fmt::format("{} cannot be combined with --scenario, which defines it", option));
    }
    options =
        design_options(load_scenario(arguments.text("--scenario"), loaded.mechanism, loaded.model), loaded.mechanism);
    if (arguments.has("--no-friction")) options.system.friction = false;
  } else {
    options.pose = read_pose(arguments, input.plant).q;
    options.q = input.plant.independent(options.pose);
    options.at_home.assign(options.q.size(), !arguments.has("--q"));
    options.qd = read_velocity(arguments, "--qd", input.plant.joints);
    options.drive.torques = torque_formulas(arguments, input.plant);
    options.system.friction = arguments.has("--friction");
  }
  options.duration = arguments.number("--duration", options.duration);
  options.steps.integrator = arguments.text("--integrator", options.steps.integrator);
  options.steps.step = arguments.number("--step", options.steps.step);
  options.steps.rtol = arguments.number("--rtol", options.steps.rtol);
  options.steps.atol = arguments.number("--atol", options.steps.atol);
  if (arguments.has("--at")) options.instants = parse_values(arguments.text("--at"), "--at");
  for (const double t : options.instants) {
    if (t < 0.0 || t > options.duration) {
      throw Error(ErrorCode::usage, fmt::format("--at {}: the run lasts from 0 to {} s", t, options.duration));
    }
  }
  std::sort(options.instants.begin(), options.instants.end());
  return options;
}

void say_notes(const Arguments& arguments, const std::vector<std::string>& notes) {
  if (arguments.quiet()) return;
  for (const std::string& note : notes) say("note: " + note);
}

// What forward and inverse runs have in common: functionals and their derivatives by parameters.
struct Gradients {
  std::vector<std::string> functionals, parameters;
  std::vector<double> at, values;
  GradientRows rows;

  template <class Design>
  Gradients(Design& design, const SensitivityInput& input)
      : parameters(input.parameters),
        at(design.start().begin(), design.start().end()),
        values(design.values(design.start())),
        rows(design.gradients(input.method)) {
    for (const DesignFunctional& f : input.functionals) functionals.push_back(f.name);
    require_finite("functionals", values, [&](std::size_t k) { return "`" + functionals[k] + "`"; });
    for (std::size_t f = 0; f < rows.size(); ++f)
      require_finite(functionals[f], rows[f],
                     [&](std::size_t k) { return "its derivative by `" + parameters[k] + "`"; });
  }
};

void add_gradients(Json& json, const Gradients& g) {
  json["parameters"] = Json::object();
  for (std::size_t k = 0; k < g.parameters.size(); ++k) json["parameters"][g.parameters[k]] = g.at[k];
  json["functionals"] = Json::array();
  for (std::size_t f = 0; f < g.functionals.size(); ++f) {
    Json one{{"functional", g.functionals[f]}, {"value", g.values[f]}, {"gradient", Json::object()}};
    for (std::size_t k = 0; k < g.parameters.size(); ++k) one["gradient"][g.parameters[k]] = g.rows[f][k];
    json["functionals"].push_back(std::move(one));
  }
}

// A line per parameter, a column per functional.
void print_gradients(const Gradients& g) {
  if (g.functionals.empty()) return;
  fmt::print("\n");
  std::vector<std::string> header{"parameter", "value"};
  for (std::size_t f = 0; f < g.functionals.size(); ++f) {
    fmt::print("  {} = {}\n", g.functionals[f], readable(g.values[f], 9));
    header.push_back("d " + g.functionals[f]);
  }
  Table table(header);
  for (std::size_t k = 0; k < g.parameters.size(); ++k) {
    std::vector<std::string> line{g.parameters[k], readable(g.at[k])};
    for (const auto& row : g.rows) line.push_back(readable(row[k], 9, largest(row)));
    table.add(std::move(line));
  }
  fmt::print("\n{}", table.str());
}

// Which joints vectors list, if others follow them.
void add_joints(Json& json, const LoadedPlant& plant) {
  if (plant.joints.nv == plant.loaded.model.nv) return;
  json["velocity_names"] = plant.joints.velocity_names;
  json["actuated"] = plant.motors.velocity_names;
}

// --- forward

// Those that changed or ended the run.
Json event_list(const EventfulRun& run) {
  Json list = Json::array();
  for (const EventfulRun::Part& part : run.parts()) {
    if (!part.passage) continue;
    for (const std::size_t k : part.passage->events)
      list.push_back({{"t", part.passage->t}, {"name", run.events()[k].name}});
  }
  return list;
}

int forward_sensitivity(const Arguments& arguments, SensitivityInput& input) {
  ForwardDesignOptions options = design_run_options(arguments, input);
  const std::vector<double> asked = options.instants;
  if (arguments.has("--out")) {
    const double sample = arguments.number("--sample", 0.01);
    if (!(sample > 0.0) || options.duration / sample > 1e6) {
      throw Error(ErrorCode::usage, "--sample: --out would have more than a million lines");
    }
    for (int k = 0; k * sample <= options.duration * (1.0 + 1e-12); ++k)
      options.instants.push_back(std::min(k * sample, options.duration));
    std::sort(options.instants.begin(), options.instants.end());
    options.instants.erase(std::unique(options.instants.begin(), options.instants.end()), options.instants.end());
  } else if (input.functionals.empty() && options.instants.empty()) {
    options.instants = {options.duration};
  }
  const bool shows_end = !arguments.has("--out") && asked.empty();
  ForwardDesign design(input.plant.loaded.mechanism, input.parameters, input.functionals, options);
  const Gradients gradients(design, input);
  say_notes(arguments, design.system().notes());
  const double end = design.run().times().back();
  if (const std::string event = design.ending(); !event.empty()) {
    for (const double t : asked) {
      if (t <= end) continue;
      throw Error(ErrorCode::data, fmt::format("--at {}: the event `{}` has ended the run at {:.9g} s", t, event, end));
    }
    if (!arguments.quiet())
      say(fmt::format("note: the event `{}` ends the run at t = {:.9g} s; `end:` is there", event, end));
  }
  std::vector<ForwardDesign::Instant> instants;
  if (!options.instants.empty()) instants = design.trajectory();
  if (arguments.has("--out") && !instants.empty())
    write_file(arguments.text("--out"), trajectory_csv(instants, input.plant, input.parameters));
  std::erase_if(instants, [&](const ForwardDesign::Instant& i) {
    return !shows_end && std::find(asked.begin(), asked.end(), i.t) == asked.end();
  });

  std::optional<DesignCheck> check;
  if (arguments.has("--check")) {
    options.instants = asked;
    check = check_design(input.plant.loaded.mechanism, input.parameters, input.functionals, options);
  }
  const bool failed = check && !check->passed();
  if (arguments.json()) {
    Json json{{"model", input.plant.loaded.model.name},
              {"run", "forward"},
              {"duration", end},
              {"steps", design.run().steps()},
              {"events", event_list(design.run())}};
    add_joints(json, input.plant);
    add_gradients(json, gradients);
    json["instants"] = Json::array();
    for (const auto& i : instants) json["instants"].push_back(instant_json(i, input.plant, input.parameters));
    if (check) {
      Json& list = json["check"] = Json::object();
      for (const DesignCheck::Method& method : check->methods) list[method.key] = method.difference;
      list["passed"] = !failed;
    }
    if (arguments.has("--out")) json["out"] = arguments.text("--out");
    add_given(arguments, json);
    print_json(json);
    return failed ? kCheckFailed : kOk;
  }
  fmt::print("{}: {:.6g} s in {} steps; derivatives by {} (SI units)\n", input.plant.loaded.model.name, end,
             design.run().steps(), counted(input.parameters.size(), "parameter"));
  for (const Json& e : event_list(design.run())) {
    fmt::print("  at {:.9g} s `{}`\n", e["t"].get<double>(), e["name"].get<std::string>());
  }
  print_gradients(gradients);
  for (const auto& i : instants) print_instant(i, input.plant.loaded.model, input.parameters);
  if (check) {
    fmt::print("\nlargest differences, relative to the largest derivative of each functional{}\n\n",
               input.functionals.empty() ? " (q, qd and qdd at the instants shown)" : "");
    Table table({"methods", "difference", "allowed"});
    for (const DesignCheck::Method& method : check->methods)
      table.add({method.name, fmt::format("{:.1e}", method.difference), fmt::format("{:.0e}", method.allowed)});
    fmt::print("{}", table.str());
    if (failed) say_error("the methods should agree within the limits");
  }
  if (arguments.has("--out")) fmt::print("\n{}\n", arguments.text("--out"));
  return failed ? kCheckFailed : kOk;
}

// --- inverse

int inverse_sensitivity(const Arguments& arguments, SensitivityInput& input) {
  for (const char* option :
       {"--scenario", "--q", "--qd", "--mode", "--torque", "--duration", "--check", "--integrator", "--step"}) {
    if (arguments.has(option))
      throw Error(ErrorCode::usage, fmt::format("with --motion, torques follow from the motion: omit {}", option));
  }
  const Model<double>& model = input.plant.motors;
  std::vector<double> t;
  GradientRows q, qd, qdd;
  for (const JointSample& s : read_motion(arguments.text("--motion"), input.plant.joints)) {
    t.push_back(s.t);
    q.push_back(s.q);
    qd.push_back(s.qd);
    qdd.push_back(s.qdd);
  }
  InverseDesignOptions options;
  options.motion = WeighedMotion::of_samples(t, q, qd, qdd);
  options.friction = arguments.has("--friction");
  InverseDesign design(input.plant.loaded.mechanism, input.parameters, input.functionals, options);
  const Gradients gradients(design, input);
  const std::vector<InverseDesign::Torques> torques = design.torques();
  if (arguments.has("--out")) {
    std::string text = "t";
    for (std::size_t v = 1; v <= model.velocity_names.size(); ++v) text += fmt::format(",tau{}", v);
    for (const std::string& p : input.parameters) {
      for (std::size_t v = 1; v <= model.velocity_names.size(); ++v) text += fmt::format(",d_tau{}.{}", v, p);
    }
    for (const auto& i : torques) {
      text += fmt::format("\n{}", i.t);
      for (const double x : i.tau) text += fmt::format(",{}", x);
      for (const auto& by : i.by) {
        for (const double x : by) text += fmt::format(",{}", x);
      }
    }
    write_file(arguments.text("--out"), text + "\n");
  }
  // of each parameter and joint, the largest along the motion
  GradientRows peaks(input.parameters.size(), std::vector<double>(model.velocity_names.size(), 0.0));
  for (const auto& i : torques) {
    for (std::size_t k = 0; k < peaks.size(); ++k) {
      for (std::size_t v = 0; v < peaks[k].size(); ++v) {
        if (std::abs(i.by[k][v]) > std::abs(peaks[k][v])) peaks[k][v] = i.by[k][v];
      }
    }
  }
  if (arguments.json()) {
    Json json{{"model", model.name}, {"run", "inverse"}, {"samples", t.size()}};
    add_joints(json, input.plant);
    add_gradients(json, gradients);
    json["largest_d_tau"] = Json::object();
    for (std::size_t k = 0; k < input.parameters.size(); ++k) json["largest_d_tau"][input.parameters[k]] = peaks[k];
    if (arguments.has("--out")) json["out"] = arguments.text("--out");
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: torques along {} samples of {}; derivatives by {} (SI units)\n", model.name, t.size(),
             arguments.text("--motion"), counted(input.parameters.size(), "parameter"));
  print_gradients(gradients);
  std::vector<std::string> header{"parameter"};
  for (const std::string& v : model.velocity_names) header.push_back("d tau " + v);
  Table table(header);
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    std::vector<std::string> line{input.parameters[k]};
    for (const double x : peaks[k]) line.push_back(readable(x, 6, largest(peaks[k])));
    table.add(std::move(line));
  }
  fmt::print("\nlargest along the motion\n\n{}", table.str());
  if (arguments.has("--out")) fmt::print("\n{}\n", arguments.text("--out"));
  return kOk;
}

// --- what gradients cost

// Of each, the quickest of many calls, taken in turn: whatever else the machine does meets all alike.
std::vector<double> quickest_calls(const std::vector<std::function<void()>>& calls) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  std::vector<double> least(calls.size(), HUGE_VAL);
  const auto begin = Clock::now();
  for (int round = 0; round < 20 || (round < 2000 && seconds(begin) < 0.5); ++round) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto from = Clock::now();
      calls[k]();
      if (round > 0) least[k] = std::min(least[k], seconds(from));
    }
  }
  return least;
}

int sensitivity_cost(const Arguments& arguments, SensitivityInput& input) {
  ForwardDesignOptions options = design_run_options(arguments, input);
  options.instants.clear();
  std::vector<DesignFunctional> functionals = input.functionals;
  if (functionals.empty()) functionals = {functional_of("--functional", "integral: tau1^2 + qd1^2")};
  if (functionals.size() != 1) throw Error(ErrorCode::usage, "--cost requires exactly one --functional");
  ForwardDesign plain(input.plant.loaded.mechanism, {}, functionals, options);
  Table table({"parameters", "simulation (ms)", "with adjoint (ms)", "ratio", "with direct (ms)", "ratio"});
  Json list = Json::array();
  for (const std::size_t n : {1, 2, 5, 10, 20, 50, 100, 200}) {
    if (n > input.parameters.size() && n > 1) break;
    const std::vector<std::string> names(input.parameters.begin(),
                                         input.parameters.begin() + static_cast<std::ptrdiff_t>(n));
    if (!arguments.quiet()) say(fmt::format("{} …", counted(n, "parameter")));
    ForwardDesign design(input.plant.loaded.mechanism, names, functionals, options);
    const auto gradient = [&](DesignMethod method) {
      return [&design, method] {
        design.values(design.start());
        design.gradients(method);
      };
    };
    std::vector<std::function<void()>> calls{[&] { plain.values({}); }, gradient(DesignMethod::adjoint)};
    if (n <= 20) calls.emplace_back(gradient(DesignMethod::direct));  // above, it takes long and tells nothing new
    const std::vector<double> times = quickest_calls(calls);
    const double run = times[0], adjoint = times[1], direct = times.back();
    table.add({std::to_string(n), fmt::format("{:.3f}", 1e3 * run), fmt::format("{:.3f}", 1e3 * adjoint),
               fmt::format("{:.2f}", adjoint / run), n > 20 ? "" : fmt::format("{:.3f}", 1e3 * direct),
               n > 20 ? "" : fmt::format("{:.1f}", direct / run)});
    Json one{{"parameters", n}, {"simulation", run}, {"adjoint", adjoint}, {"adjoint_ratio", adjoint / run}};
    if (n <= 20) one["direct"] = direct, one["direct_ratio"] = direct / run;
    list.push_back(std::move(one));
  }
  if (arguments.json()) {
    print_json({{"model", input.plant.loaded.model.name}, {"duration", options.duration}, {"cost", list}});
    return kOk;
  }
  fmt::print(
      "{}: a run of {:.6g} s and its gradient, minimum of many; the simulation alone has constant parameters\n\n{}",
      input.plant.loaded.model.name, options.duration, table.str());
  return kOk;
}

int run_sensitivity(const Arguments& arguments) {
  require_ending(arguments, "--out", "CSV", ".csv");
  require_other_file(arguments, "--out", "MODEL");
  require_other_file(arguments, "--out", "--motion");
  SensitivityInput input{load_plant(arguments), {}, {}, design_method(arguments)};
  if (!arguments.has("--scenario")) note_losses(arguments, input.plant.loaded.mechanism);
  const bool named = !input.plant.loaded.mechanism.parameters.empty();
  input.parameters = design_parameters("--parameters", arguments.text("--parameters", named ? "all" : "inertial"),
                                       input.plant.loaded.mechanism, input.plant.joints);
  for (const std::string& text : arguments.texts("--functional"))
    input.functionals.push_back(functional_of("--functional", text));
  if (arguments.has("--cost")) return sensitivity_cost(arguments, input);
  return arguments.has("--motion") ? inverse_sensitivity(arguments, input) : forward_sensitivity(arguments, input);
}

}  // namespace

Command sensitivity_command() {
  std::vector<Option> own{
      text_option("--parameters", "P1,P2,...",
                  "parameters of the file (`all`), of links such as link3.mx (`inertial`), or of the initial state "
                  "such as start.qd.JOINT (`start`); default: all"),
      texts_option(
          "--functional", "KIND: FORMULA",
          "functionals to differentiate: `integral: tau1^2`, `end: hand.x`, or `0.5: q1` for that instant; repeatable"),
      text_option(
          "--at", "T1,T2,...",
          "instants at which the derivatives of q, qd, qdd and tau are shown; default without functionals: the end"),
      choice_option("--method", "NAME", "method for functionals; default: the cheaper of direct and adjoint",
                    {"direct", "adjoint", "cvodes"}),
      flag_option("--check",
                  "compares all methods, a complex step through the integration, and differences of whole runs with "
                  "all parameters varied; without functionals for q, qd and qdd; exit code 1 if they differ"),
      flag_option("--cost",
                  "cost of gradients with respect to 1, 2, 5, ... of the parameters, as multiples of the simulation"),
      text_option("--out", "FILE.csv", "writes q, qd, qdd, tau and all their derivatives over time"),
      number_option("--sample", "SECONDS", "time between lines of --out; default: 0.01"),
      number_option("--duration", "SECONDS", "duration of the run; default: 1", "Run"),
      text_option(
          "--scenario", "FILE.yaml",
          "initial state, inputs, events, duration and integrator (docs/scenarios.md); friction acts as it says",
          "Run"),
      texts_option("--torque", "JOINT=FORMULA",
                   "torque of a joint as a formula of t, q.JOINT, qd.JOINT and parameters; default: none", "Run"),
      text_option("--motion", "FILE.csv",
                  "a prescribed motion (t, q1.., qd1.., qdd1..), whose torques are differentiated", "Run"),
      flag_option("--friction", "includes joint friction and drive losses", "Run"),
      flag_option("--no-friction", "without friction, even if the scenario has it", "Run"),
      choice_option("--integrator", "NAME", "default: dormand-prince; rk4 and gill require a --step, verner allows one",
                    recordable_integrators(), "Run"),
      number_option("--step", "SECONDS", "size of fixed steps", "Run"),
      number_option("--rtol", "X", "relative tolerance of a step; default: 1e-10", "Run"),
      number_option("--atol", "X", "absolute tolerance of a step; default: 1e-12", "Run"),
      q_option(),
      velocity_option("--qd", "initial velocities"),
      mode_option()};
  Command c = dynamics_command(own);
  c.name = "sensitivity";
  c.summary = "sensitivities of a motion and its cost to the design";
  c.description =
      "Derivatives of a run with respect to parameters: of q, qd, qdd and tau at instants, and of functionals, which "
      "are integrals over the run or values at an instant of formulas of t, q.JOINT, qd.JOINT, qdd.JOINT, "
      "tau.JOINT (or q1, qd1, ...), LINK.x, LINK.y, LINK.z, kinetic, potential and the file's parameters. They are "
      "exact for the steps taken: the direct method runs forward, one parameter after the other; the adjoint method "
      "runs backward, for all parameters at once. Derivatives of q are along the velocities. For closed-loop "
      "mechanisms, the state, --q and --qd are those of the independent joints; the others follow, also for varying "
      "link lengths, and formulas may name all of them.";
  c.examples = {
      "linkwright sensitivity twu-3r --qd 12deg,-8deg,-4deg --torque \"link1=10*sqrt(t)+6\" --duration 0.18",
      "linkwright sensitivity double-pendulum --functional \"integral: kinetic\" --functional \"end: lower.z\" --check",
      "linkwright sensitivity four-bar --qd 6 --torque \"crank=0.2-0.05*qd.crank\" --duration 0.3 --parameters "
      "l_crank,l_rocker,start.qd.crank --functional \"end: q.rocker\" --check",
      "linkwright sensitivity puma560 --parameters inertial --duration 0.2 --functional \"end: q1\" --method adjoint "
      "--json"};
  c.run = run_sensitivity;
  return c;
}

}  // namespace lw::cli
