#include "scene.hpp"

#include <algorithm>
#include <cmath>

#include "../dynamics/rnea.hpp"
#include "../model/curve.hpp"

namespace lw {
namespace {

using Law = ScenarioController::Law;
using InputKind = ScenarioInput::Kind;

bool depends_on_state(const Scenario& scenario) {
  return std::ranges::any_of(scenario.inputs, [](const ScenarioInput& in) {
    return in.kind == InputKind::controller || (in.kind == InputKind::formula && !in.formula.is_constant());
  });
}

}  // namespace

ScenarioFormulas::ScenarioFormulas(const Scenario& scenario, const std::vector<Expr>& formulas) : out_(formulas.size()) {
  bool constant = true;
  for (std::size_t k = 0; k < formulas.size(); ++k) {
    if (formulas[k].is_constant()) out_[k] = formulas[k].constant();
    constant = constant && formulas[k].is_constant();
  }
  if (constant) return;
  std::vector<NodeId> results;
  for (const Expr& e : formulas) results.push_back(scenario.formulas->intern(e));
  const Function f("formulas", {{"t", 1}, {"q", scenario.q.size()}, {"qd", scenario.qd.size()}},
                   {{"values", formulas.size()}}, scenario.formulas, results);
  run_ = std::make_unique<Interpreter<double>>(f);
  in_.resize(1 + scenario.q.size() + scenario.qd.size());
}

std::span<const double> ScenarioFormulas::operator()(double t, std::span<const double> q, std::span<const double> v) {
  if (run_ == nullptr) return out_;
  in_[0] = t;
  std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), in_.begin() + 1));
  (*run_)(in_, out_);
  return out_;
}

Scene::Scene(const Mechanism& mechanism, const Scenario& scenario, DrivenOptions::Way way)
    : Driven(mechanism, {}, {.way = way, .friction = scenario.friction}),
      scenario_(scenario),
      work_(model()),
      acceleration_(static_cast<std::size_t>(model().nv)),
      inverse_(acceleration_.size()) {
  for (std::size_t c = 0; c < scenario_.controllers.size(); ++c) {
    if (!scenario_.controllers[c].integrates()) continue;
    for (std::size_t k = 0; k < scenario_.controllers[c].v.size(); ++k) {
      integrals_.push_back({static_cast<int>(c), static_cast<int>(k)});
    }
  }
  integrated_.resize(integrals_.size());
  error_.resize(integrals_.size());
  set_torques([this](double t, std::span<const double> q, std::span<const double> v, std::span<double> tau) {
    command(t, q, v, tau);
  });
  prepare();
  enter(0.0);
}

void Scene::prepare() {
  knots_.clear();
  curves_.assign(scenario_.inputs.size(), {});
  piece_.assign(scenario_.inputs.size(), 0);
  std::vector<Expr> formulas;
  for (std::size_t v = 0; v < scenario_.inputs.size(); ++v) {
    const ScenarioInput& in = scenario_.inputs[v];
    formulas.push_back(in.kind == InputKind::formula ? in.formula : Expr(0.0));
    if (in.kind == InputKind::table) {
      knots_.insert(knots_.end(), in.table.t.begin(), in.table.t.end());
      const bool cubic = in.table.between == TimeTable::Between::cubic;
      if (cubic) curves_[v] = Curve<double>(in.table.t, in.table.value, true, Curve<double>::Ends::constant);
    }
    if (in.kind == InputKind::controller) {
      const auto& times = scenario_.controllers[static_cast<std::size_t>(in.controller)].trajectory->times();
      knots_.insert(knots_.end(), times.begin(), times.end());
    }
  }
  std::ranges::sort(knots_);
  knots_.erase(std::unique(knots_.begin(), knots_.end()), knots_.end());
  formulas_ = std::make_unique<ScenarioFormulas>(scenario_, formulas);
}

bool Scene::enter(double t) {
  bool jumps = false;
  for (std::size_t v = 0; v < piece_.size(); ++v) {
    const ScenarioInput& in = scenario_.inputs[v];
    if (in.kind != InputKind::table) continue;
    // the pieces: before the first time, then one after each
    const auto after = std::upper_bound(in.table.t.begin(), in.table.t.end(), t);
    const auto piece = static_cast<std::size_t>(after - in.table.t.begin());
    jumps = jumps || piece != piece_[v];
    piece_[v] = piece;
  }
  return jumps;
}

double Scene::next_knot(double t) const {
  const auto next = std::upper_bound(knots_.begin(), knots_.end(), t);
  return next == knots_.end() ? HUGE_VAL : *next;
}

void Scene::change(int v, const ScenarioInput& input) {
  scenario_.inputs[static_cast<std::size_t>(v)] = input;
  prepare();
}

void Scene::command(double t, std::span<const double> q, std::span<const double> v, std::span<double> tau) {
  const std::span<const double> values = (*formulas_)(t, q, v);
  std::copy(values.begin(), values.end(), tau.begin());
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const ScenarioInput& in = scenario_.inputs[k];
    if (in.kind != InputKind::table) continue;
    const std::vector<double>&x = in.table.t, &y = in.table.value;
    const std::size_t i = piece_[k];
    if (i == 0) {
      tau[k] = y.front();
    } else if (i == x.size()) {
      tau[k] = y.back();
    } else if (in.table.between == TimeTable::Between::hold) {
      tau[k] = y[i - 1];
    } else if (in.table.between == TimeTable::Between::straight) {
      tau[k] = y[i - 1] + (y[i] - y[i - 1]) * ((t - x[i - 1]) / (x[i] - x[i - 1]));
    } else {
      tau[k] = curves_[k](t);
    }
  }
  std::size_t integral = 0;
  for (std::size_t c = 0; c < scenario_.controllers.size(); ++c) {
    const ScenarioController& law = scenario_.controllers[c];
    const JointMotion<double> wanted = law.trajectory->at<double>(t);
    if (law.law == Law::computed_torque) std::ranges::fill(acceleration_, 0.0);
    const bool integrates = law.integrates();
    const auto joint = [&](std::size_t k) { return static_cast<std::size_t>(law.v[k]); };
    for (std::size_t k = 0; k < law.v.size(); ++k) {
      const double e = wanted.q[k] - q[static_cast<std::size_t>(law.q[k])], rate = wanted.qd[k] - v[joint(k)];
      double u = law.kp[k] * e + law.kd[k] * rate;
      if (integrates) {
        u += law.ki[k] * integrated_[integral];
        error_[integral++] = e;
      }
      acceleration_[joint(k)] = law.law == Law::computed_torque ? u + wanted.qdd[k] : u;
    }
    std::vector<double>& given = law.law == Law::computed_torque ? inverse_ : acceleration_;
    if (law.law == Law::computed_torque) rnea<double>(model(), work_, q, v, acceleration_, inverse_);
    for (std::size_t k = 0; k < law.v.size(); ++k) {
      const ScenarioInput& in = scenario_.inputs[joint(k)];
      if (in.kind == InputKind::controller && in.controller == static_cast<int>(c)) tau[joint(k)] = given[joint(k)];
    }
  }
}

void Scene::slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                   std::span<double> a, std::span<double> dz) {
  const auto own = static_cast<std::size_t>(Driven::nz());
  take(z);
  Driven::slopes(t, q, v, z.first(own), a, dz.first(own));
  std::ranges::copy(error_, dz.begin() + static_cast<std::ptrdiff_t>(own));
}

void Scene::take(std::span<const double> z) {
  const std::span<const double> own = z.subspan(static_cast<std::size_t>(Driven::nz()));
  std::copy(own.begin(), own.end(), integrated_.begin());
}

bool Scene::begin(const MotionState& state) {
  take(state.z);
  return Driven::begin(state);
}
bool Scene::still_holds(const MotionState& state) {
  take(state.z);
  return Driven::still_holds(state);
}
std::vector<std::string> Scene::settle(MotionState& state) {
  take(state.z);
  return Driven::settle(state);
}

bool Scene::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                     std::span<double> d_v) {
  return !depends_on_state(scenario_) && Driven::jacobian(t, q, v, d_q, d_v);
}

MotionState Scene::start() const {
  MotionState s{0.0, scenario_.q, scenario_.qd, std::vector<double>(static_cast<std::size_t>(nz()), 0.0)};
  check(s);
  return s;
}

}  // namespace lw
