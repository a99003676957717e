#include "design_scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/interpreter.hpp"
#include "loop_path.hpp"

namespace lw {
namespace {

using Exprs = std::vector<Expr>;

[[noreturn]] void has_no_derivatives(const Scenario& scenario, const std::string& what) {
  throw Error(ErrorCode::data, fmt::format("the scenario `{}` {}", scenario.name, what));
}

Exprs controlled(const ScenarioController& c, const Model<Expr>& model, const Expr& t, const Exprs& q,
                 const Exprs& qd) {
  Exprs tau(at(model.nv), Expr(0.0));
  demand<Expr>(c, c.trajectory->at<Expr>(t), q, qd, {}, tau);
  if (c.kind != JointLaw::Kind::computed_torque) return tau;
  Workspace<Expr> work(model);
  const Exprs qdd = tau;
  rnea<Expr>(model, work, q, qd, qdd, tau);
  return tau;
}

// (t, q, qd) → formulas of the scenario
Function scenario_function(const Scenario& scenario, const std::string& name, const Exprs& results) {
  std::vector<NodeId> nodes;
  for (const Expr& e : results) nodes.push_back(scenario.formulas->intern(e));
  return Function(name, {{"t", 1}, {"q", scenario.q.size()}, {"qd", scenario.qd.size()}}, {{"values", nodes.size()}},
                  scenario.formulas, nodes);
}

// t, q, qd → torques of formulas and controllers
Function law_of(const Scenario& scenario, const Model<Expr>& model) {
  const std::size_t nq = at(model.nq), nv = at(model.nv);
  Exprs written;
  for (const ScenarioInput& input : scenario.inputs) {
    written.push_back(input.kind == ScenarioInput::Kind::formula ? input.formula : Expr(0.0));
  }
  const Function formulas = scenario_function(scenario, "inputs", written);
  return trace("law", {{"t", 1}, {"q", nq}, {"qd", nv}}, {{"tau", nv}}, [&](const Arguments& in, Results& out) {
    Exprs x = in[0];
    x.insert(x.end(), in[1].begin(), in[1].end());
    x.insert(x.end(), in[2].begin(), in[2].end());
    evaluate<Expr>(formulas, x, out[0]);
    for (std::size_t c = 0; c < scenario.controllers.size(); ++c) {
      const Exprs tau = controlled(scenario.controllers[c], model, in[0][0], in[1], in[2]);
      for (std::size_t v = 0; v < nv; ++v) {
        const ScenarioInput& input = scenario.inputs[v];
        if (input.kind == ScenarioInput::Kind::controller && at(input.controller) == c) out[0][v] = tau[v];
      }
    }
  });
}

// A table as a function of time.
class TimedInput {
 public:
  explicit TimedInput(const TimeTable& table)
      : table_(table),
        curve_(table.t, table.value, table.between == TimeTable::Between::cubic, Curve<double>::Ends::constant) {}
  double operator()(double t, double inside) const {
    if (table_.between != TimeTable::Between::hold) return curve_(t);
    const auto next = std::upper_bound(table_.t.begin(), table_.t.end(), inside);
    return table_.value[next == table_.t.begin() ? 0 : static_cast<std::size_t>(next - table_.t.begin()) - 1];
  }
  double slope(double t) const { return table_.between == TimeTable::Between::hold ? 0.0 : curve_.slope(t); }

 private:
  TimeTable table_;
  Curve<double> curve_;
};

// What the scenario's inputs are, as the run of a design has them.
DesignDrive drive_of(const Scenario& scenario, const Model<Expr>& model) {
  DesignDrive drive;
  drive.formulas.torques.resize(scenario.inputs.size());
  drive.formulas.law = std::make_shared<Function>(law_of(scenario, model));
  std::vector<std::pair<std::size_t, TimedInput>> tables;
  for (std::size_t v = 0; v < scenario.inputs.size(); ++v) {
    const ScenarioInput& input = scenario.inputs[v];
    drive.formulas.by_law.push_back(input.kind != ScenarioInput::Kind::table);
    if (input.kind != ScenarioInput::Kind::table) continue;
    tables.emplace_back(v, TimedInput(input.table));
    drive.corners.insert(drive.corners.end(), input.table.t.begin(), input.table.t.end());
  }
  for (const ScenarioController& c : scenario.controllers) {
    drive.corners.insert(drive.corners.end(), c.trajectory->times().begin(), c.trajectory->times().end());
  }
  if (tables.empty()) return drive;
  drive.inputs = [tables](double t, double inside, std::span<double> u) {
    for (const auto& [v, table] : tables) u[v] = table(t, inside);
  };
  drive.input_rates = [tables](double t, double, std::span<double> du) {
    for (const auto& [v, table] : tables) du[v] = table.slope(t);
  };
  return drive;
}

DesignEvent event_of(const Scenario& scenario, const ScenarioEvent& e) {
  DesignEvent event;
  event.name = e.name;
  event.time = e.time;
  event.once = e.once;
  event.stop = e.stop;
  event.direction = static_cast<DesignEvent::Direction>(e.direction);
  if (!e.time) event.crossing = std::make_shared<Function>(scenario_function(scenario, "crossing", {e.crossing}));
  if (!e.set.empty()) {
    Exprs state;
    const std::size_t n = scenario.q.size() + scenario.qd.size();
    for (std::size_t k = 0; k < n; ++k) state.emplace_back(scenario.formulas.get(), static_cast<NodeId>(1 + k));
    for (const ScenarioEvent::Set& s : e.set) state[(s.velocity ? scenario.q.size() : 0) + at(s.index)] = s.value;
    event.set = std::make_shared<Function>(scenario_function(scenario, "set", state));
  }
  for (const auto& [v, input] : e.inputs) event.drives.push_back(v);
  return event;
}

// The state of the independent joints; what is not differentiated is refused.
void take_over_state(const Scenario& scenario, const Mechanism& mechanism, ForwardDesignOptions& options) {
  Dynamics closed(instantiate<double>(mechanism));
  const LoopPlan& plan = closed.plan();
  const DesignAbilities able = design_abilities(plan);
  for (const ScenarioController& c : scenario.controllers) {
    if (c.kind == JointLaw::Kind::computed_torque && !able.computed_torque)
      has_no_derivatives(scenario,
                         "has a controller by computed torques, which is not differentiated where there are loops");
  }
  for (const ScenarioEvent& e : scenario.events) {
    if ((e.stop || !e.set.empty() || !e.inputs.empty()) && !able.events)
      has_no_derivatives(
          scenario, fmt::format("has the event `{}`, and events are not differentiated where there are loops", e.name));
  }
  if (scenario.redundant && !able.redundant)
    has_no_derivatives(scenario, "is in redundant coordinates, which have no derivatives; minimal ones do");
  // as `simulate` begins: near the joints that follow where the scenario says something about them, else in the mode of
  // home
  const std::vector<double>& home = closed.model().home;
  if (std::ranges::any_of(plan.dependent_q, [&](int k) { return scenario.q[at(k)] != home[at(k)]; })) {
    const Assembled there = assemble_from(closed.plant().minimal, closed.work().tree, scenario.q, plan.independent);
    if (!there.closed)
      has_no_derivatives(scenario, "begins where its loops cannot be closed: " +
                                       open_loop(closed.model(), closed.work().tree, there.q));
    options.pose = there.q;
  }
  for (const int k : plan.independent_q) {
    options.q.push_back(scenario.q[at(k)]);
    options.at_home.push_back(scenario.at_home[at(k)]);
  }
  for (const int v : plan.independent) options.qd.push_back(scenario.qd[at(v)]);
}

}  // namespace

ForwardDesignOptions design_options(const Scenario& scenario, const Mechanism& mechanism) {
  for (const ScenarioController& c : scenario.controllers) {
    if (c.integrates())
      has_no_derivatives(scenario, "has a controller with an integral, which is not differentiated yet");
  }
  const std::vector<std::string>& known = recordable_integrators();
  if (std::find(known.begin(), known.end(), scenario.integrator) == known.end()) {
    has_no_derivatives(scenario, fmt::format("is integrated by {}, whose steps are not differentiated; those of {} are",
                                             scenario.integrator, fmt::join(known, ", ")));
  }
  ForwardDesignOptions options;
  take_over_state(scenario, mechanism, options);
  options.duration = scenario.duration.value_or(1.0);
  options.system.friction = scenario.friction;
  options.steps.integrator = scenario.integrator;
  options.steps.step = scenario.options.step;
  options.steps.rtol = scenario.options.rtol;
  options.steps.atol = scenario.options.atol;
  options.steps.longest = scenario.options.longest;
  options.steps.shortest = scenario.options.shortest;
  std::vector<ScenarioEvent> happening;  // those that change something, as the options have them
  const Model<Expr> model = instantiate<Expr>(mechanism);
  DesignDrive drive = drive_of(scenario, model);
  options.drive = std::move(drive.formulas);
  options.corners = std::move(drive.corners);
  options.system.inputs = std::move(drive.inputs);
  options.system.input_rates = std::move(drive.input_rates);
  for (const ScenarioEvent& e : scenario.events) {
    if (!e.stop && e.set.empty() && e.inputs.empty()) continue;  // it only tells
    if (e.parametric) {
      has_no_derivatives(scenario,
                         fmt::format("has the event `{}` at a limit that depends on parameters of the mechanism, which "
                                     "is not differentiated; write it as a `crossing` of a number",
                                     e.name));
    }
    options.events.push_back(event_of(scenario, e));
    happening.push_back(e);
  }
  options.redriven = [scenario, happening, mechanism](const std::vector<int>& driven_by) {
    Scenario changed = scenario;
    for (std::size_t v = 0; v < driven_by.size(); ++v) {
      if (driven_by[v] < 0) continue;
      for (const auto& [of, input] : happening[at(driven_by[v])].inputs) {
        if (at(of) == v) changed.inputs[v] = input;
      }
    }
    return drive_of(changed, instantiate<Expr>(mechanism));
  };
  return options;
}

}  // namespace lw
