#include "design_scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../dynamics/rnea.hpp"
#include "../graph/interpreter.hpp"

namespace lw {
namespace {

using Exprs = std::vector<Expr>;

[[noreturn]] void has_no_derivatives(const Scenario& scenario, const std::string& what) {
  throw Error(ErrorCode::data, fmt::format("the scenario `{}` {}", scenario.name, what));
}

// q̈ that a controller asks for, or its torques: kp e + kd ė.
Expr corrected(const ScenarioController& c, std::size_t k, const JointMotion<Expr>& wanted, const Exprs& q,
               const Exprs& qd) {
  return Expr(c.kp[k]) * (wanted.q[k] - q[at(c.q[k])]) + Expr(c.kd[k]) * (wanted.qd[k] - qd[at(c.v[k])]);
}

Exprs controlled(const ScenarioController& c, const Model<Expr>& model, const Expr& t, const Exprs& q,
                 const Exprs& qd) {
  Exprs tau(at(model.nv), Expr(0.0));
  const JointMotion<Expr> wanted = c.trajectory->at<Expr>(t);
  for (std::size_t k = 0; k < c.v.size(); ++k) tau[at(c.v[k])] = corrected(c, k, wanted, q, qd);
  if (c.law != ScenarioController::Law::computed_torque) return tau;
  for (std::size_t k = 0; k < c.v.size(); ++k) tau[at(c.v[k])] += wanted.qdd[k];
  Workspace<Expr> work(model);
  const Exprs qdd = tau;
  rnea<Expr>(model, work, q, qd, qdd, tau);
  return tau;
}

// t, q, qd → torques of formulas and controllers
Function law_of(const Scenario& scenario, const Model<Expr>& model) {
  const std::size_t nq = at(model.nq), nv = at(model.nv);
  std::vector<NodeId> nodes;
  const auto graph = scenario.formulas;
  for (const ScenarioInput& input : scenario.inputs) {
    nodes.push_back(graph->intern(input.kind == ScenarioInput::Kind::formula ? input.formula : Expr(0.0)));
  }
  const Function formulas("inputs", {{"t", 1}, {"q", nq}, {"qd", nv}}, {{"tau", nv}}, graph, nodes);
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

 private:
  TimeTable table_;
  Curve<double> curve_;
};

}  // namespace

ForwardDesignOptions design_options(const Scenario& scenario, const Mechanism& mechanism) {
  for (const ScenarioEvent& e : scenario.events) {
    if (!e.stop && e.set.empty() && e.inputs.empty()) continue;  // it only tells
    has_no_derivatives(
        scenario,
        fmt::format(
            "has the event `{}`, at which the run changes or ends; that is not differentiated, leave it out here",
            e.name));
  }
  for (const ScenarioController& c : scenario.controllers) {
    if (c.integrates())
      has_no_derivatives(scenario, "has a controller with an integral, which is not differentiated yet");
  }
  const std::vector<std::string>& known = recordable_integrators();
  if (std::find(known.begin(), known.end(), scenario.integrator) == known.end()) {
    has_no_derivatives(scenario, fmt::format("is integrated by {}, whose steps are not differentiated; those of {} are",
                                             scenario.integrator, fmt::join(known, ", ")));
  }
  if (!mechanism.loops.empty()) has_no_derivatives(scenario, "is of a mechanism with closed loops");
  ForwardDesignOptions options;
  options.q = scenario.q;
  options.qd = scenario.qd;
  options.duration = scenario.duration.value_or(1.0);
  options.system.friction = scenario.friction;
  options.steps.integrator = scenario.integrator;
  options.steps.step = scenario.options.step;
  options.steps.rtol = scenario.options.rtol;
  options.steps.atol = scenario.options.atol;
  options.drive.torques.resize(scenario.inputs.size());
  options.drive.law = std::make_shared<Function>(law_of(scenario, instantiate<Expr>(mechanism)));
  std::vector<std::pair<std::size_t, TimedInput>> tables;
  for (std::size_t v = 0; v < scenario.inputs.size(); ++v) {
    const ScenarioInput& input = scenario.inputs[v];
    options.drive.by_law.push_back(input.kind != ScenarioInput::Kind::table);
    if (input.kind != ScenarioInput::Kind::table) continue;
    tables.emplace_back(v, TimedInput(input.table));
    options.corners.insert(options.corners.end(), input.table.t.begin(), input.table.t.end());
  }
  for (const ScenarioController& c : scenario.controllers) {
    options.corners.insert(options.corners.end(), c.trajectory->times().begin(), c.trajectory->times().end());
  }
  if (!tables.empty()) {
    options.system.inputs = [tables](double t, double inside, std::span<double> u) {
      for (const auto& [v, table] : tables) u[v] = table(t, inside);
    };
  }
  return options;
}

}  // namespace lw
