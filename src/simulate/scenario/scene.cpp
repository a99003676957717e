#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "../../base/index.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/curve.hpp"
#include "../../model/over.hpp"

namespace lw {
namespace {

using InputKind = ScenarioInput::Kind;

template <class T>
Model<T> model_over(const Model<double>& model) {
  if constexpr (std::is_same_v<T, double>) {
    return model;
  } else {
    return over<T>(model);
  }
}

}  // namespace

template <class T>
ScenarioFormulasOver<T>::ScenarioFormulasOver(const Scenario& scenario, const std::vector<Expr>& formulas)
    : out_(formulas.size()) {
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
  run_ = std::make_unique<Interpreter<T>>(f);
  in_.resize(1 + scenario.q.size() + scenario.qd.size());
}

template <class T>
std::span<const T> ScenarioFormulasOver<T>::operator()(const T& t, std::span<const T> q, std::span<const T> v) {
  if (run_ == nullptr) return out_;
  in_[0] = t;
  std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), in_.begin() + 1));
  (*run_)(in_, out_);
  return out_;
}
template class ScenarioFormulasOver<double>;
template class ScenarioFormulasOver<Dual>;

template <class T>
struct ScenarioDriven::Commands {
  Commands(const Model<double>& numbers, const Scenario& scenario, const std::vector<Expr>& inputs)
      : model(model_over<T>(numbers)),
        formulas(scenario, inputs),
        demanded(scenario.qd.size()),
        given(demanded),
        errors(demanded) {
    const auto is_computed = [](const ScenarioController& c) { return c.kind == JointLaw::Kind::computed_torque; };
    if (std::ranges::any_of(scenario.controllers, is_computed)) inverse.emplace(model, plan_loops(numbers));
  }

  // Inverse dynamics of the demanded accelerations: torques of the actuated joints.
  struct Inverse {
    Inverse(const Model<T>& of, LoopPlan made)
        : model(of),
          plan(std::move(made)),
          work(model, plan),
          qd(plan.freedoms()),
          qdd(qd),
          torques(plan.actuated.size()) {}
    void operator()(std::span<const T> q, std::span<const T> v, std::span<const T> a, std::span<T> tau) {
      for (std::size_t k = 0; k < qd.size(); ++k) {
        qd[k] = v[at(plan.independent[k])];
        qdd[k] = a[at(plan.independent[k])];
      }
      inverse_dynamics<T>(model, plan, work, q, qd, qdd, torques);
      for (std::size_t k = 0; k < torques.size(); ++k) tau[at(plan.actuated[k])] = torques[k];
    }
    const Model<T>& model;
    LoopPlan plan;
    PlantWorkspace<T> work;
    std::vector<T> qd, qdd, torques;
  };
  Model<T> model;
  ScenarioFormulasOver<T> formulas;
  std::vector<T> demanded, given, errors;
  JointMotion<double> wanted;
  std::optional<Inverse> inverse;
};

ScenarioDriven::ScenarioDriven(const Mechanism& mechanism, const Scenario& scenario, DrivenOptions::Way way)
    : Driven(
          mechanism, {},
          {.way = way,
           .friction = scenario.friction,
           .derivatives = [this](double t, auto q, auto v, auto d_q, auto d_v) { command_slopes(t, q, v, d_q, d_v); },
           .coordinates =
               scenario.redundant ? DrivenOptions::Coordinates::redundant : DrivenOptions::Coordinates::minimal}),
      scenario_(scenario) {
  for (std::size_t c = 0; c < scenario_.controllers.size(); ++c) {
    if (!scenario_.controllers[c].integrates()) continue;
    for (std::size_t k = 0; k < scenario_.controllers[c].v.size(); ++k) {
      integrals_.push_back({static_cast<int>(c), static_cast<int>(k)});
    }
  }
  integrated_.resize(integrals_.size());
  error_.resize(integrals_.size());
  set_torques([this](double t, std::span<const double> q, std::span<const double> v, std::span<double> tau) {
    command<double>(*commands_, t, q, v, tau);
  });
  prepare();
  enter(0.0);
}
ScenarioDriven::~ScenarioDriven() = default;

std::vector<Expr> ScenarioDriven::input_formulas() const {
  std::vector<Expr> formulas;
  for (const ScenarioInput& in : scenario_.inputs) {
    formulas.push_back(in.kind == InputKind::formula ? in.formula : Expr(0.0));
  }
  return formulas;
}

void ScenarioDriven::prepare() {
  knots_.clear();
  curves_.assign(scenario_.inputs.size(), {});
  piece_.assign(scenario_.inputs.size(), 0);
  for (std::size_t v = 0; v < scenario_.inputs.size(); ++v) {
    const ScenarioInput& in = scenario_.inputs[v];
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
  commands_ = std::make_unique<Commands<double>>(model(), scenario_, input_formulas());
  moving_.reset();
}

bool ScenarioDriven::enter(double t) {
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

double ScenarioDriven::next_knot(double t) const {
  const auto next = std::upper_bound(knots_.begin(), knots_.end(), t);
  return next == knots_.end() ? HUGE_VAL : *next;
}

void ScenarioDriven::change(int v, const ScenarioInput& input) {
  scenario_.inputs[static_cast<std::size_t>(v)] = input;
  prepare();
}

template <class T>
void ScenarioDriven::command(Commands<T>& commands, double t, std::span<const T> q, std::span<const T> v,
                             std::span<T> tau) {
  const std::span<const T> values = commands.formulas(T(t), q, v);
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
    law.trajectory->at<double>(t, commands.wanted);
    const bool by_dynamics = law.kind == JointLaw::Kind::computed_torque;
    if (by_dynamics) std::ranges::fill(commands.demanded, T(0.0));
    const std::size_t integrals = law.integrates() ? law.v.size() : 0;
    const std::span<const double> integrated = std::span<const double>(integrated_).subspan(integral, integrals);
    const std::span<T> errors = std::span<T>(commands.errors).first(integrals);
    demand<T>(law, commands.wanted, q, v, integrated, commands.demanded, errors);
    for (const T& e : errors) error_[integral++] = value_of(e);
    if (by_dynamics) (*commands.inverse)(q, v, commands.demanded, commands.given);
    const std::vector<T>& given = by_dynamics ? commands.given : commands.demanded;
    for (std::size_t k = 0; k < law.v.size(); ++k) {
      const auto joint = static_cast<std::size_t>(law.v[k]);
      const ScenarioInput& in = scenario_.inputs[joint];
      if (in.kind == InputKind::controller && in.controller == static_cast<int>(c)) tau[joint] = given[joint];
    }
  }
}

void ScenarioDriven::slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                            std::span<double> a, std::span<double> dz) {
  const auto own = static_cast<std::size_t>(Driven::nz());
  take(z);
  Driven::slopes(t, q, v, z.first(own), a, dz.first(own));
  std::ranges::copy(error_, dz.begin() + static_cast<std::ptrdiff_t>(own));
}

void ScenarioDriven::take(std::span<const double> z) {
  const std::span<const double> own = z.subspan(static_cast<std::size_t>(Driven::nz()));
  std::copy(own.begin(), own.end(), integrated_.begin());
}

bool ScenarioDriven::begin(const MotionState& state) {
  take(state.z);
  return Driven::begin(state);
}
bool ScenarioDriven::still_holds(const MotionState& state) {
  take(state.z);
  return Driven::still_holds(state);
}
std::vector<std::string> ScenarioDriven::settle(MotionState& state) {
  take(state.z);
  return Driven::settle(state);
}

void ScenarioDriven::command_slopes(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<double> d_q, std::span<double> d_v) {
  if (!moving_) moving_ = std::make_unique<Commands<Dual>>(model(), scenario_, input_formulas());
  const std::size_t n = v.size();
  const std::vector<Dual> still_q(q.begin(), q.end());
  std::vector<Dual> rates(v.begin(), v.end()), tau(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::vector<Dual> along = moving_along(model(), q, static_cast<int>(k));
    command<Dual>(*moving_, t, along, rates, tau);
    for (std::size_t i = 0; i < n; ++i) d_q[k * n + i] = tau[i].d;
    rates[k].d = 1.0;
    command<Dual>(*moving_, t, still_q, rates, tau);
    rates[k].d = 0.0;
    for (std::size_t i = 0; i < n; ++i) d_v[k * n + i] = tau[i].d;
  }
}

MotionState ScenarioDriven::start() const {
  MotionState s{0.0, scenario_.q, scenario_.qd, std::vector<double>(static_cast<std::size_t>(nz()), 0.0)};
  check(s);
  assemble(s);
  return s;
}

}  // namespace lw
