#include "scenario_option.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../dynamics/loops/undetermined_loads.hpp"
#include "../../model/joints_alone.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"
#include "plant_input.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

constexpr double kUsualSample = 0.01;

double positive_option(const Arguments& arguments, const std::string& option) {
  const double x = arguments.number(option, 0.0);
  if (!(x > 0.0))
    throw Error(ErrorCode::usage, fmt::format("{} must be positive, not {}", option, arguments.text(option)));
  return x;
}

// Velocities of joints that are independent as a whole: those that options can name.
std::vector<int> whole_joints(const Model<double>& model, const std::vector<int>& independent) {
  std::vector<int> list;
  for (const JointInfo& joint : model.joints) {
    std::vector<int> own;
    for (const int v : independent) {
      if (v >= joint.v && v < joint.v + velocities(joint.type)) own.push_back(v);
    }
    const bool ball = joint.type == JointType::spherical || joint.type == JointType::floating;
    if (!ball || own.size() == static_cast<std::size_t>(velocities(joint.type)))
      list.insert(list.end(), own.begin(), own.end());
  }
  return list;
}

// Options that name joints name those that are free to be chosen; the others follow.
void read_state(const Arguments& arguments, const LoadedModel& loaded, Scenario& s) {
  const Model<double> model = with_drivers(loaded.model);
  const LoopPlan plan = plan_coordinates(model);
  const std::vector<int> named = whole_joints(model, plan.independent);
  const Model<double> led = led_by(model, named);
  if (named.size() < plan.independent.size()) {
    // something spins by itself: the pose is the nearest to home
    if (arguments.has("--mode"))
      throw Error(
          ErrorCode::usage,
          fmt::format(
              "--mode: some joints of `{}` are not determined by the actuated ones, so its modes cannot be numbered",
              model.name));
    Workspace<double> work(model);
    std::vector<double> near = assemble_home(led).q, given = near;
    if (arguments.has("--q")) {
      const Model<double> joints = joints_alone(model, named);
      const std::vector<double> q = read_q(arguments, {loaded.mechanism, joints});
      const std::vector<int> places = actuated_coordinates(led);
      for (std::size_t k = 0; k < q.size(); ++k) given[static_cast<std::size_t>(places[k])] = q[k];
    }
    const Assembled there = assemble_from(model, work, given, named);
    if (!there.closed)
      throw Error(ErrorCode::data,
                  fmt::format("`{}` cannot be assembled there: {}", model.name, open_loop(model, work, there.q)));
    s.q = there.q;
  } else if (arguments.has("--q") || arguments.has("--mode") || !arguments.has("--scenario")) {
    s.q = read_pose(arguments, LoadedModel{loaded.mechanism, model}, led).q;
  }
  if (arguments.has("--qd")) {
    const std::vector<double> qd = read_velocity(arguments, "--qd", joints_alone(model, named));
    std::ranges::fill(s.qd, 0.0);
    for (std::size_t k = 0; k < qd.size(); ++k) s.qd[static_cast<std::size_t>(named[k])] = qd[k];
  }
  if (s.friction && !arguments.quiet()) {
    // as at the start, where nothing is accelerated
    PlantWorkspace<double> work(model, plan);
    std::vector<double> qd, still(plan.freedoms(), 0.0), force(still);
    for (const int v : plan.independent) qd.push_back(s.qd[static_cast<std::size_t>(v)]);
    generalised_forces<double>(model, plan, work, s.q, qd, still, force);
    const std::string warning = to_string(undetermined_loads(model, plan, work, s.q), model.name);
    if (!warning.empty()) say_warning(warning);
  }
  if (!arguments.has("--tau")) return;
  const std::vector<double> tau = read_velocity(arguments, "--tau", joints_alone(model, plan.actuated), false);
  for (std::size_t k = 0; k < tau.size(); ++k) {
    ScenarioInput& in = s.inputs[static_cast<std::size_t>(plan.actuated[k])];
    in = {};
    in.formula = tau[k];
  }
}

Scenario scenario_file(const std::string& path, const LoadedModel& loaded) {
  ScenarioResult result = read_scenario(path, loaded.mechanism, loaded.model);
  for (const Diagnostic& d : result.diagnostics) say_marked(show(d, result.text), "error:", Style::error);
  if (!result.scenario) throw Error(result.code, std::vector<Diagnostic>{});
  return std::move(*result.scenario);
}

}  // namespace

std::vector<Option> scenario_options() {
  const IntegratorOptions usual;
  return {text_option("--scenario", "FILE.yaml", "inputs, initial state, events, outputs (docs/scenarios.md)"),
          number_option("--duration", "SECONDS", "simulated time; takes precedence over the scenario"),
          choice_option("--integrator", "NAME", "default: dormand-prince, or rk4 with --step", integrator_names()),
          number_option("--step", "SECONDS", "step size; for adaptive integrators, time between rows"),
          number_option("--sample", "SECONDS", "time between rows; default: the step, or 0.01"),
          number_option("--rtol", "R",
                        fmt::format("relative tolerance of adaptive integrators; default: {:g}", usual.rtol)),
          number_option("--atol", "A", fmt::format("absolute tolerance; default: {:g}", usual.atol)),
          flag_option("--no-friction", "omits joint friction and drive losses"),
          q_option(),
          mode_option(),
          choice_option("--coordinates", "WHICH",
                        "for closed loops: minimal integrates the actuated joints and stops at their dead centres, "
                        "redundant passes through them",
                        {"minimal", "redundant"}),
          velocity_option("--qd", "velocities"),
          velocity_option("--tau", "constant torques that replace all inputs")};
}

Section integrator_section() {
  return {"Integrators",
          {{"dormand-prince", "order 5(4), adaptive"},
           {"verner", "order 6(5), adaptive unless --step is given"},
           {"rk4, gill", "order 4, with --step"},
           {"implicit-midpoint", "order 2, with --step; bounded energy error in long runs"},
           {"taylor, semi-implicit-euler", "order 1, with --step"},
           {"cvode", "for stiff systems, adaptive step and order (SUNDIALS)"}}};
}

Scenario read_scenario_options(const Arguments& arguments, const LoadedModel& loaded) {
  Scenario s =
      arguments.has("--scenario") ? scenario_file(arguments.text("--scenario"), loaded) : free_motion(loaded.model);
  if (arguments.has("--duration")) s.duration = positive_option(arguments, "--duration");
  if (arguments.has("--rtol")) s.options.rtol = positive_option(arguments, "--rtol");
  if (arguments.has("--atol")) s.options.atol = positive_option(arguments, "--atol");
  if (arguments.has("--no-friction")) s.friction = false;
  if (arguments.has("--coordinates")) {
    require_loops(loaded.model, "--coordinates");
    s.redundant = arguments.text("--coordinates") == "redundant";
  }
  read_state(arguments, loaded, s);
  if (arguments.has("--integrator")) {
    s.integrator = arguments.text("--integrator");
  } else if (arguments.has("--step") && !arguments.has("--scenario")) {
    s.integrator = "rk4";
  }
  const double step = arguments.has("--step") ? positive_option(arguments, "--step") : s.options.step;
  const bool chooses = s.integrator == "dormand-prince" || s.integrator == "cvode";
  if (!chooses || !arguments.has("--step")) s.options.step = step;
  if (step == 0.0 && !is_adaptive(s.integrator, s.options)) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` needs a step: --step 0.001, or `integrator: {{method: {}, step: 0.001}}`",
                            s.integrator, s.integrator));
  }
  if (arguments.has("--sample")) s.sample = positive_option(arguments, "--sample");
  if (s.sample == 0.0) s.sample = step > 0.0 ? step : kUsualSample;
  return s;
}

}  // namespace lw::cli
