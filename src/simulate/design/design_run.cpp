#include "design_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../graph/interpreter.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "complex_step_run.hpp"
#include "cvodes_adjoint.hpp"

namespace lw {
namespace {

constexpr Parametric::Of kOutputs = Parametric::Of::outputs;

double dot_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Formulas that several functionals share stand once.
std::size_t place_of(std::vector<WrittenFormula>& list, const WrittenFormula& formula) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].text == formula.text) return k;
  }
  list.push_back(formula);
  return list.size() - 1;
}

// dq0 along velocity k.
template <class T>
std::vector<T> column_of_rates(const Model<T>& model, std::span<const T> q, int k) {
  std::vector<T> unit(at(model.nv), T(0.0)), column(q.size());
  unit[at(k)] = T(1.0);
  coordinate_rates<T>(model, q, unit, column);
  return column;
}

template <class T>
void make_units(std::span<T> y, const std::vector<std::size_t>& quaternions) {
  using std::sqrt;
  for (const std::size_t first : quaternions) {
    T square(0.0);
    for (std::size_t c = 0; c < 4; ++c) square += y[first + c] * y[first + c];
    const T length = sqrt(square);
    for (std::size_t c = 0; c < 4; ++c) y[first + c] /= length;
  }
}

}  // namespace

void DesignFunctional::check(double duration) const {
  if (kind != Kind::instant || std::isnan(time)) return;
  if (time < 0.0 || time > duration) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` is requested at {} s, but the run lasts from 0 to {} s", name, time, duration));
  }
}

const char* to_string(DesignMethod method) {
  switch (method) {
    case DesignMethod::automatic: return "automatic";
    case DesignMethod::direct: return "direct";
    case DesignMethod::adjoint: return "adjoint";
    case DesignMethod::cvodes: return "cvodes";
  }
  return "";
}

std::vector<std::string> initial_state_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (const char* vector : {"q", "qd"}) {
    for (const std::string& name : model.velocity_names) names.push_back(fmt::format("start.{}.{}", vector, name));
  }
  return names;
}

ForwardDesign::ForwardDesign(const Mechanism& mechanism, std::vector<std::string> parameters,
                             std::vector<DesignFunctional> functionals, ForwardDesignOptions options,
                             ParameterValues<double> others)
    : functionals_(std::move(functionals)), options_(std::move(options)), names_(std::move(parameters)) {
  std::vector<std::string> own;
  for (const std::string& name : names_) {
    if (!name.starts_with("start.")) own.push_back(name);
  }
  design_.emplace(mechanism, own, std::move(others));
  options_.system.loops = std::make_shared<LoopPath>(*design_);
  LoopPath& loops = *options_.system.loops;
  const Model<double>& model = loops.joints();
  const std::vector<std::string> initial = initial_state_names(model);
  if (!(options_.duration > 0.0) || !std::isfinite(options_.duration)) {
    throw Error(ErrorCode::usage, fmt::format("the duration of a run must be positive, not {} s", options_.duration));
  }
  require(options_.q.size() == at(model.nq) && options_.qd.size() == at(model.nv),
          "an initial state of the model's size");
  int place_in_design = 0;
  for (const std::string& name : names_) {
    const auto place = std::find(initial.begin(), initial.end(), name);
    if (place == initial.end() && name.starts_with("start.")) {
      const std::string near = nearest_word(name, initial);
      throw Error(ErrorCode::usage, fmt::format("`{}` is not part of the initial state{}", name,
                                                near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
    }
    of_state_.push_back(place == initial.end() ? -1 : static_cast<int>(place - initial.begin()));
    of_design_.push_back(place == initial.end() ? place_in_design++ : -1);
  }
  instants_ = options_.instants;
  std::erase_if(instants_, [&](double t) { return t < 0.0 || t > options_.duration; });
  for (const DesignFunctional& f : functionals_) {
    f.check(options_.duration);
    const bool integral = f.kind == DesignFunctional::Kind::integral;
    slot_.push_back(place_of(integral ? options_.drive.integrands : options_.drive.outputs, f.formula));
    if (!integral && !std::isnan(f.time)) instants_.push_back(f.time);
  }
  require(options_.at_home.empty() || options_.at_home.size() == options_.q.size(),
          "whether each coordinate is at home");
  home_moves_ = std::ranges::any_of(options_.at_home, [](bool home) { return home; }) &&
                std::ranges::any_of(mechanism.home, [](const auto& joint) {
                  return std::ranges::any_of(joint.second, [](const Formula& f) { return !f.value.is_constant(); });
                });
  home_ = design_->model<double>(design_->values()).home;
  home_place_ = loops.plan().independent_q;
  if (!options_.pose.empty()) loops.stand(options_.pose);
  loops.lead(options_.q);
  system_ = mode({}).system;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (of_design_[k] >= 0) {
      start_.push_back(system_->design().values()[at(of_design_[k])]);
      continue;
    }
    // what it is; of quaternions and the place of a floating joint, how far it is moved
    const int place = of_state_[k], v = place % model.nv;
    double value = place >= model.nv ? options_.qd[at(v)] : 0.0;
    for (const JointInfo& joint : model.joints) {
      const bool plain = joint.type != JointType::spherical && joint.type != JointType::floating;
      if (plain && place < model.nv && v >= joint.v && v < joint.v + velocities(joint.type))
        value = options_.q[at(joint.q + v - joint.v)];
    }
    start_.push_back(value);
  }
  b_ = start_;
}

// Moved from that of the options, or from home, by what the parameters differ from their first values.
template <class T>
std::vector<T> ForwardDesign::initial_state(std::span<const T> b) const {
  const Model<T> model = [&] {
    if constexpr (std::is_same_v<T, double>)
      return system_->state_model();
    else
      return over<T>(system_->state_model());
  }();
  std::vector<T> q(options_.q.begin(), options_.q.end());
  if (home_moves_) {
    std::vector<T> own(system_->parameters());
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (of_design_[k] >= 0) own[at(of_design_[k])] = b[k];
    }
    const std::vector<T> home = design_->model<T>(own).home;
    for (std::size_t c = 0; c < q.size(); ++c) {
      const std::size_t place = at(home_place_[c]);
      if (options_.at_home[c]) q[c] += home[place] - T(home_[place]);
    }
  }
  make_units<T>(q, system_->quaternions());
  std::vector<T> y = q;
  y.insert(y.end(), options_.qd.begin(), options_.qd.end());
  y.resize(system_->states(), T(0.0));
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (of_state_[k] < 0) continue;
    const T by = b[k] - T(start_[k]);
    if (of_state_[k] >= model.nv) {
      y[at(model.nq + of_state_[k] - model.nv)] += by;
    } else {
      const std::vector<T> column = column_of_rates<T>(model, q, of_state_[k]);
      for (std::size_t c = 0; c < column.size(); ++c) y[c] += by * column[c];
    }
  }
  make_units<T>(y, system_->quaternions());
  return y;
}

const ForwardDesign::Seed& ForwardDesign::seed(std::size_t parameter) {
  seeds_.resize(names_.size());
  Seed& s = seeds_[parameter];
  if (!s.dy0.empty()) return s;
  s = {std::vector<double>(system_->states(), 0.0), std::vector<double>(system_->parameters(), 0.0)};
  if (of_design_[parameter] >= 0) s.db[at(of_design_[parameter])] = 1.0;
  if (of_state_[parameter] < 0 && !home_moves_) return s;
  std::vector<Dual> b(b_.begin(), b_.end());
  b[parameter].d = 1.0;
  const std::vector<Dual> y = initial_state<Dual>(b);
  for (std::size_t c = 0; c < y.size(); ++c) s.dy0[c] = y[c].d;
  return s;
}

// What moves where these events have changed inputs; made when it is first needed.
DesignMode ForwardDesign::mode(const std::vector<int>& driven_by) {
  const bool first = std::ranges::all_of(driven_by, [](int k) { return k < 0; });
  Mode& m = modes_[first ? std::vector<int>{} : driven_by];
  if (m.system == nullptr) {
    DesignFormulas formulas = options_.drive;
    DesignSystemOptions own = options_.system;
    m.corners = options_.corners;
    if (!first) {
      DesignDrive drive = options_.redriven(driven_by);
      formulas.torques = drive.formulas.torques;
      formulas.law = drive.formulas.law;
      formulas.by_law = drive.formulas.by_law;
      own.inputs = drive.inputs;
      own.input_rates = drive.input_rates;
      m.corners = drive.corners;
    }
    m.system = std::make_unique<DesignSystem>(*design_, formulas, own);
    if (!own.fixed && system_ != nullptr) m.system->set(system_->at());
  }
  return {m.system.get(), m.corners};
}

std::size_t ForwardDesign::mark(const DesignFunctional& f) const {
  if (f.kind == DesignFunctional::Kind::integral || std::isnan(f.time)) return run_->last();
  const std::size_t m = run_->mark(f.time);
  if (m <= run_->last()) return m;
  throw Error(ErrorCode::data,
              fmt::format("`{}` is requested at {} s, but the event `{}` has ended the run at t = {:.9g} s", f.name,
                          f.time, ending(), run_->times().back()));
}

std::string ForwardDesign::ending() const {
  if (run_ == nullptr || run_->stopped() == nullptr) return "";
  for (const std::size_t k : run_->stopped()->events) {
    if (options_.events[k].stop) return options_.events[k].name;
  }
  return "";
}

std::vector<double> ForwardDesign::values(std::span<const double> b) {
  require(b.size() == names_.size(), "as many values as parameters");
  b_.assign(b.begin(), b.end());
  seeds_.clear();
  std::vector<double> own(system_->parameters());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (of_design_[k] >= 0) own[at(of_design_[k])] = b[k];
  }
  if (!std::equal(own.begin(), own.end(), system_->at().begin())) {
    for (auto& [driven_by, m] : modes_) m.system->set(own);
  }
  const std::vector<double> y0 = initial_state<double>(b_);
  system_->loops().begin(own, 0.0, std::span(y0).first(system_->nq()));
  try {
    run_ = std::make_unique<EventfulRun>([this](const std::vector<int>& by) { return mode(by); }, options_.events, y0,
                                         options_.duration, instants_, options_.steps);
  } catch (const Error& e) {
    if (system_->loops().trouble().empty()) throw;
    throw Error(e.code(), fmt::format("{}: {}", e.what(), system_->loops().trouble()));
  }
  std::vector<double> results, g(system_->outputs());
  const std::size_t z = system_->nq() + system_->nv(), first = system_->first_formula();
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    const std::size_t m = mark(functionals_[f]);
    if (functionals_[f].kind == DesignFunctional::Kind::integral) {
      results.push_back(run_->at(m)[z + slot_[f]]);
      continue;
    }
    run_->enter(m).value(kOutputs, run_->times()[m], run_->at(m), g);
    results.push_back(g[first + slot_[f]]);
  }
  return results;
}

// How a formula changes with the time alone, the state staying what it is.
double ForwardDesign::slope_in_time(std::size_t f, std::size_t m) {
  const DesignSystem& system = run_->enter(m);
  const double t = run_->times()[m];
  Interpreter<Dual> outputs(system.functions().outputs.value);
  std::vector<double> u(system.nu(), 0.0), du(u);
  if (system.options().inputs) system.options().inputs(t, run_->inside(m), u);
  if (system.options().input_rates) system.options().input_rates(t, run_->inside(m), du);
  std::vector<Dual> x{Dual(t, 1.0)}, g(system.outputs());
  for (std::size_t v = 0; v < u.size(); ++v) x.emplace_back(u[v], du[v]);
  const std::vector<double> q = system.configuration(t, run_->at(m));
  const std::span<const double> v = run_->at(m).subspan(system.nq(), system.nv());
  x.insert(x.end(), q.begin(), q.end());
  x.insert(x.end(), v.begin(), v.end());
  x.insert(x.end(), system.at().begin(), system.at().end());
  outputs(x, g);
  return g[system.first_formula() + slot_[f]].d;
}

std::vector<std::vector<double>> ForwardDesign::gradients(DesignMethod method) {
  require(run_ != nullptr, "a design must be run before it is differentiated");
  if (method == DesignMethod::automatic) {
    // a direction costs a little less than a way back
    method = names_.size() <= functionals_.size() ? DesignMethod::direct : DesignMethod::adjoint;
  }
  if (method == DesignMethod::cvodes) return by_cvodes();
  return method == DesignMethod::direct ? by_direct() : by_adjoint();
}

std::vector<EventfulRun::Directions> ForwardDesign::directions() {
  std::vector<EventfulRun::Directions> all;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const Seed& s = seed(k);
    all.push_back(run_->along(s.dy0, s.db));
  }
  return all;
}

std::vector<std::vector<double>> ForwardDesign::by_direct() {
  const std::vector<EventfulRun::Directions> dy = directions();
  const std::size_t n = system_->states(), z = system_->nq() + system_->nv(), first = system_->first_formula();
  std::vector<std::vector<double>> rows;
  std::vector<double> dg(system_->outputs());
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    std::vector<double> row;
    const std::size_t m = mark(functionals_[f]);
    const bool integral = functionals_[f].kind == DesignFunctional::Kind::integral, moves = end_moves(f);
    const double in_time = moves ? slope_in_time(f, m) : 0.0;
    DesignSystem& system = run_->enter(m);
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::span<const double> d(&dy[k].marks[m * n], n);
      if (integral) {
        row.push_back(d[z + slot_[f]]);
        continue;
      }
      system.along(kOutputs, run_->times()[m], run_->at(m), d, seed(k).db, dg);
      row.push_back(dg[first + slot_[f]] + in_time * dy[k].end_shift);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// At the end of a run that a crossing ended, whose instant is another for another design.
bool ForwardDesign::end_moves(std::size_t f) const {
  return run_->stopped() != nullptr && functionals_[f].kind == DesignFunctional::Kind::instant &&
         std::isnan(functionals_[f].time);
}

double ForwardDesign::weigh(std::size_t f, std::span<double> weights, std::span<double> b_bar) {
  const std::size_t n = system_->states(), z = system_->nq() + system_->nv(), m = mark(functionals_[f]);
  if (functionals_[f].kind == DesignFunctional::Kind::integral) {
    weights[m * n + z + slot_[f]] = 1.0;
    return 0.0;
  }
  const double in_time = end_moves(f) ? slope_in_time(f, m) : 0.0;
  std::vector<double> w(system_->outputs(), 0.0);
  w[system_->first_formula() + slot_[f]] = 1.0;
  run_->enter(m).back(kOutputs, run_->times()[m], run_->at(m), w, weights.subspan(m * n, n), b_bar);
  return in_time;
}

double ForwardDesign::gradient_entry(std::size_t k, std::span<const double> y0_bar, std::span<const double> b_bar) {
  return (of_design_[k] >= 0 ? b_bar[at(of_design_[k])] : 0.0) + dot_product(seed(k).dy0, y0_bar);
}

std::vector<std::vector<double>> ForwardDesign::rows_by(const EventfulRun::PartBack& part_back) {
  std::vector<std::vector<double>> rows;
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    std::vector<double> weights(run_->times().size() * system_->states(), 0.0), y0_bar(system_->states(), 0.0),
        b_bar(system_->parameters(), 0.0);
    const double end_weight = weigh(f, weights, b_bar);
    run_->back_by(part_back, weights, end_weight, y0_bar, b_bar);
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t k = 0; k < names_.size(); ++k) row.push_back(gradient_entry(k, y0_bar, b_bar));
  }
  return rows;
}

std::vector<std::vector<double>> ForwardDesign::by_adjoint() {
  return rows_by(
      [](const EventfulRun::Part& p, auto weights, auto y0_bar, auto b_bar) { p.run->back(weights, y0_bar, b_bar); });
}

std::vector<std::vector<double>> ForwardDesign::by_cvodes() {
  std::map<const EventfulRun::Part*, std::unique_ptr<CvodesAdjoint>> adjoints;
  return rows_by([&](const EventfulRun::Part& p, auto weights, auto y0_bar, auto b_bar) {
    std::unique_ptr<CvodesAdjoint>& a = adjoints[&p];
    if (a == nullptr) {
      a = std::make_unique<CvodesAdjoint>(
          *p.system, p.y0, p.t0, p.run->times(),
          CvodesAdjointOptions{.rtol = options_.steps.rtol, .atol = options_.steps.atol});
    }
    a->back(weights, y0_bar, b_bar);
  });
}

std::vector<ForwardDesign::Instant> ForwardDesign::trajectory() {
  require(run_ != nullptr, "a design must be run before it is differentiated");
  const std::vector<EventfulRun::Directions> dy = directions();
  const std::size_t n = system_->states(), nq = at(system_->model().nq), nv = at(system_->model().nv);
  std::vector<double> g(system_->outputs());
  const auto cut = [&](std::size_t first, std::size_t count) {
    const auto begin = g.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<Instant> list;
  for (const double t : options_.instants) {
    const std::size_t m = run_->mark(t);
    if (m > run_->last()) break;  // an event has ended the run
    DesignSystem& system = run_->enter(m);
    system.value(kOutputs, t, run_->at(m), g);
    Instant now{t, cut(0, nq), cut(nq, nv), cut(nq + nv, nv), cut(nq + 2 * nv, nv), {}};
    for (std::size_t k = 0; k < names_.size(); ++k) {
      system.along(kOutputs, t, run_->at(m), {&dy[k].marks[m * n], n}, seed(k).db, g);
      now.by.push_back(
          {tangent_of(system_->model(), now.q, cut(0, nq)), cut(nq, nv), cut(nq + nv, nv), cut(nq + 2 * nv, nv)});
    }
    list.push_back(std::move(now));
  }
  return list;
}

std::vector<std::vector<double>> ForwardDesign::by_complex_step() {
  require(run_ != nullptr, "a design must be run before it is differentiated");
  const std::size_t n = system_->states(), nq = system_->nq(), nv = system_->nv();
  std::vector<std::vector<double>> rows(functionals_.size(), std::vector<double>(names_.size()));
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const Seed& s = seed(k);
    const EventfulRun::Directions dy = complex_step_along(*run_, s.dy0, s.db);
    for (std::size_t f = 0; f < functionals_.size(); ++f) {
      const std::size_t m = mark(functionals_[f]);
      if (functionals_[f].kind == DesignFunctional::Kind::integral) {
        rows[f][k] = dy.marks[m * n + nq + nv + slot_[f]];
        continue;
      }
      const DesignSystem& system = run_->enter(m);
      const double t = run_->times()[m], shift = end_moves(f) ? dy.end_shift : 0.0;
      std::vector<double> u(system.nu(), 0.0), du(u);
      if (system.options().inputs) system.options().inputs(t, run_->inside(m), u);
      if (system.options().input_rates) system.options().input_rates(t, run_->inside(m), du);
      ComplexStep instant = complex_time(t);
      instant.im = shift * kComplexStep;
      std::vector<ComplexStep> given, y, b;
      for (std::size_t v = 0; v < u.size(); ++v) given.emplace_back(u[v], du[v] * shift * kComplexStep);
      for (std::size_t c = 0; c < nq + nv; ++c) y.emplace_back(run_->at(m)[c], dy.marks[m * n + c] * kComplexStep);
      for (std::size_t c = 0; c < s.db.size(); ++c) b.emplace_back(system.at()[c], s.db[c] * kComplexStep);
      const std::vector<ComplexStep> g = complex_outputs(system, instant, given, y, b);
      rows[f][k] = derivative_of(g[system.first_formula() + slot_[f]]);
    }
  }
  return rows;
}

}  // namespace lw
