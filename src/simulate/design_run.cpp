#include "design_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../graph/interpreter.hpp"
#include "../model/coordinate_rates.hpp"
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

void check_instant(const DesignFunctional& f, double duration) {
  if (f.kind != DesignFunctional::Kind::instant || std::isnan(f.time)) return;
  if (f.time < 0.0 || f.time > duration) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` is asked for at {} s; the run is from 0 to {} s", f.name, f.time, duration));
  }
}

// dq0 along velocity k.
std::vector<double> column_of_rates(const Model<double>& model, std::span<const double> q, int k) {
  std::vector<double> unit(at(model.nv), 0.0), column(q.size());
  unit[at(k)] = 1.0;
  coordinate_rates<double>(model, q, unit, column);
  return column;
}

}  // namespace

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
  const Model<double> model = instantiate<double>(mechanism, others);
  const std::vector<std::string> initial = initial_state_names(model);
  if (!(options_.duration > 0.0) || !std::isfinite(options_.duration)) {
    throw Error(ErrorCode::usage, fmt::format("a run takes a time above 0 s, not {} s", options_.duration));
  }
  require(options_.q.size() == at(model.nq) && options_.qd.size() == at(model.nv),
          "an initial state of the model's size");
  std::vector<std::string> own;
  for (const std::string& name : names_) {
    const auto place = std::find(initial.begin(), initial.end(), name);
    if (place == initial.end() && name.starts_with("start.")) {
      const std::string near = nearest_word(name, initial);
      throw Error(ErrorCode::usage, fmt::format("`{}` is no part of the initial state{}", name,
                                                near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
    }
    of_state_.push_back(place == initial.end() ? -1 : static_cast<int>(place - initial.begin()));
    of_design_.push_back(place == initial.end() ? static_cast<int>(own.size()) : -1);
    if (place == initial.end()) own.push_back(name);
  }
  DesignFormulas formulas = options_.drive;
  times_ = options_.instants;
  times_.insert(times_.end(), options_.corners.begin(), options_.corners.end());
  std::erase_if(times_, [&](double t) { return t < 0.0 || t > options_.duration; });
  times_.push_back(options_.duration);
  for (DesignFunctional& f : functionals_) {
    check_instant(f, options_.duration);
    const bool integral = f.kind == DesignFunctional::Kind::integral;
    slot_.push_back(place_of(integral ? formulas.integrands : formulas.outputs, f.formula));
    if (!integral && std::isnan(f.time)) f.time = options_.duration;
    if (!integral) times_.push_back(f.time);
  }
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  system_ =
      std::make_unique<DesignSystem>(DesignParameters(mechanism, own, std::move(others)), formulas, options_.system);
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

// Moved from that of the options by what the parameters differ from their first values.
std::vector<double> ForwardDesign::initial_state(std::span<const double> b) const {
  const Model<double>& model = system_->model();
  std::vector<double> y = options_.q;
  y.insert(y.end(), options_.qd.begin(), options_.qd.end());
  y.resize(system_->states(), 0.0);
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (of_state_[k] < 0) continue;
    const double by = b[k] - start_[k];
    if (of_state_[k] >= model.nv) {
      y[at(model.nq + of_state_[k] - model.nv)] += by;
    } else {
      const std::vector<double> column = column_of_rates(model, options_.q, of_state_[k]);
      for (std::size_t c = 0; c < column.size(); ++c) y[c] += by * column[c];
    }
  }
  for (const std::size_t first : system_->quaternions()) {
    const double length = std::sqrt(dot_product({&y[first], 4}, {&y[first], 4}));
    for (std::size_t c = 0; c < 4; ++c) y[first + c] /= length;
  }
  return y;
}

ForwardDesign::Seed ForwardDesign::seed(std::size_t parameter) const {
  const Model<double>& model = system_->model();
  Seed s{std::vector<double>(system_->states(), 0.0), std::vector<double>(system_->parameters(), 0.0)};
  if (of_design_[parameter] >= 0) {
    s.db[at(of_design_[parameter])] = 1.0;
    return s;
  }
  const int place = of_state_[parameter];
  if (place >= model.nv) {
    s.dy0[at(model.nq + place - model.nv)] = 1.0;
    return s;
  }
  const std::vector<double> column = column_of_rates(model, options_.q, place), y = initial_state(b_);
  std::copy(column.begin(), column.end(), s.dy0.begin());
  for (const std::size_t first : system_->quaternions()) {
    // before it was made a unit it had the length 1/cos of the angle by which it was moved
    const std::span<const double> unit(&y[first], 4), before(&options_.q[first], 4);
    const double length = 1.0 / dot_product(unit, before), radial = dot_product(unit, {&s.dy0[first], 4});
    for (std::size_t c = 0; c < 4; ++c) s.dy0[first + c] = (s.dy0[first + c] - radial * unit[c]) / length;
  }
  return s;
}

std::size_t ForwardDesign::mark(double t) const {
  return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
}

void ForwardDesign::enter_at(std::size_t m) { system_->enter(m == 0 ? 0.0 : times_[m - 1], times_[m]); }

std::vector<double> ForwardDesign::values(std::span<const double> b) {
  require(b.size() == names_.size(), "as many values as parameters");
  b_.assign(b.begin(), b.end());
  std::vector<double> own(system_->parameters());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (of_design_[k] >= 0) own[at(of_design_[k])] = b[k];
  }
  if (!std::equal(own.begin(), own.end(), system_->at().begin())) system_->set(own);
  run_ = std::make_unique<RecordedRun>(*system_, initial_state(b_), 0.0, times_, options_.steps);
  std::vector<double> results, g(system_->outputs());
  const std::size_t z = system_->nq() + system_->nv(), first = system_->nq() + 3 * system_->nv();
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    if (functionals_[f].kind == DesignFunctional::Kind::integral) {
      results.push_back(run_->at(times_.size() - 1)[z + slot_[f]]);
      continue;
    }
    const std::size_t m = mark(functionals_[f].time);
    enter_at(m);
    system_->value(kOutputs, times_[m], run_->at(m), g);
    results.push_back(g[first + slot_[f]]);
  }
  return results;
}

std::vector<std::vector<double>> ForwardDesign::gradients(DesignMethod method) {
  require(run_ != nullptr, "a design is run before it is differentiated");
  if (method == DesignMethod::automatic) {
    // a direction costs a little less than a way back
    method = names_.size() <= functionals_.size() ? DesignMethod::direct : DesignMethod::adjoint;
  }
  if (method == DesignMethod::cvodes) return by_cvodes();
  return method == DesignMethod::direct ? by_direct() : by_adjoint();
}

std::vector<std::vector<double>> ForwardDesign::directions() {
  std::vector<std::vector<double>> all;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const Seed s = seed(k);
    all.push_back(run_->along(s.dy0, s.db));
  }
  return all;
}

std::vector<std::vector<double>> ForwardDesign::by_direct() {
  const std::vector<std::vector<double>> dy = directions();
  const std::size_t n = system_->states(), z = system_->nq() + system_->nv(), first = system_->nq() + 3 * system_->nv();
  std::vector<std::vector<double>> rows;
  std::vector<double> dg(system_->outputs());
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    std::vector<double> row;
    const bool integral = functionals_[f].kind == DesignFunctional::Kind::integral;
    const std::size_t m = integral ? times_.size() - 1 : mark(functionals_[f].time);
    enter_at(m);
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::span<const double> d(&dy[k][m * n], n);
      if (integral) {
        row.push_back(d[z + slot_[f]]);
        continue;
      }
      system_->along(kOutputs, times_[m], run_->at(m), d, seed(k).db, dg);
      row.push_back(dg[first + slot_[f]]);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void ForwardDesign::weigh(std::size_t f, std::span<double> weights, std::span<double> b_bar) {
  const std::size_t n = system_->states(), z = system_->nq() + system_->nv();
  if (functionals_[f].kind == DesignFunctional::Kind::integral) {
    weights[(times_.size() - 1) * n + z + slot_[f]] = 1.0;
    return;
  }
  const std::size_t m = mark(functionals_[f].time);
  std::vector<double> w(system_->outputs(), 0.0);
  w[system_->nq() + 3 * system_->nv() + slot_[f]] = 1.0;
  enter_at(m);
  system_->back(kOutputs, times_[m], run_->at(m), w, weights.subspan(m * n, n), b_bar);
}

double ForwardDesign::gradient_entry(std::size_t k, std::span<const double> y0_bar,
                                     std::span<const double> b_bar) const {
  return of_design_[k] >= 0 ? b_bar[at(of_design_[k])] : dot_product(seed(k).dy0, y0_bar);
}

std::vector<std::vector<double>> ForwardDesign::by_adjoint() {
  std::vector<std::vector<double>> rows;
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    std::vector<double> weights(times_.size() * system_->states(), 0.0), y0_bar(system_->states(), 0.0),
        b_bar(system_->parameters(), 0.0);
    weigh(f, weights, b_bar);
    run_->back(weights, y0_bar, b_bar);
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t k = 0; k < names_.size(); ++k) row.push_back(gradient_entry(k, y0_bar, b_bar));
  }
  return rows;
}

std::vector<std::vector<double>> ForwardDesign::by_cvodes() {
  CvodesAdjoint adjoint(*system_, initial_state(b_), 0.0, times_,
                        {.rtol = options_.steps.rtol, .atol = options_.steps.atol});
  std::vector<std::vector<double>> rows;
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    std::vector<double> weights(times_.size() * system_->states(), 0.0), y0_bar(system_->states(), 0.0),
        b_bar(system_->parameters(), 0.0);
    weigh(f, weights, b_bar);
    adjoint.back(weights, y0_bar, b_bar);
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t k = 0; k < names_.size(); ++k) row.push_back(gradient_entry(k, y0_bar, b_bar));
  }
  return rows;
}

std::vector<ForwardDesign::Instant> ForwardDesign::trajectory() {
  require(run_ != nullptr, "a design is run before it is differentiated");
  const std::vector<std::vector<double>> dy = directions();
  const std::size_t n = system_->states(), nq = system_->nq(), nv = system_->nv();
  std::vector<double> g(system_->outputs());
  const auto cut = [&](std::size_t first, std::size_t count) {
    const auto begin = g.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<Instant> list;
  for (const double t : options_.instants) {
    const std::size_t m = mark(t);
    enter_at(m);
    system_->value(kOutputs, t, run_->at(m), g);
    Instant at{t, cut(0, nq), cut(nq, nv), cut(nq + nv, nv), cut(nq + 2 * nv, nv), {}};
    for (std::size_t k = 0; k < names_.size(); ++k) {
      system_->along(kOutputs, t, run_->at(m), {&dy[k][m * n], n}, seed(k).db, g);
      at.by.push_back(
          {tangent_of(system_->model(), at.q, cut(0, nq)), cut(nq, nv), cut(nq + nv, nv), cut(nq + 2 * nv, nv)});
    }
    list.push_back(std::move(at));
  }
  return list;
}

std::vector<std::vector<double>> ForwardDesign::by_complex_step() {
  require(run_ != nullptr, "a design is run before it is differentiated");
  const std::size_t n = system_->states(), nq = system_->nq(), nv = system_->nv();
  Interpreter<ComplexStep> outputs(system_->functions().outputs.value);
  std::vector<std::vector<double>> rows(functionals_.size(), std::vector<double>(names_.size()));
  std::vector<ComplexStep> g(system_->outputs());
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const Seed s = seed(k);
    const std::vector<double> dy = complex_step_along(*system_, *run_, initial_state(b_), s.dy0, s.db);
    for (std::size_t f = 0; f < functionals_.size(); ++f) {
      if (functionals_[f].kind == DesignFunctional::Kind::integral) {
        rows[f][k] = dy[(times_.size() - 1) * n + nq + nv + slot_[f]];
        continue;
      }
      const std::size_t m = mark(functionals_[f].time);
      std::vector<double> u(nv, 0.0);
      if (options_.system.inputs)
        options_.system.inputs(times_[m], 0.5 * ((m == 0 ? 0.0 : times_[m - 1]) + times_[m]), u);
      std::vector<ComplexStep> x{complex_time(times_[m])};
      x.insert(x.end(), u.begin(), u.end());
      for (std::size_t c = 0; c < nq + nv; ++c) x.emplace_back(run_->at(m)[c], dy[m * n + c] * kComplexStep);
      for (std::size_t c = 0; c < s.db.size(); ++c) x.emplace_back(system_->at()[c], s.db[c] * kComplexStep);
      outputs(x, g);
      rows[f][k] = derivative_of(g[nq + 3 * nv + slot_[f]]);
    }
  }
  return rows;
}

WeighedMotion WeighedMotion::along(const Trajectory& trajectory, int pieces) {
  constexpr double x1 = 0.53846931010568309, x2 = 0.90617984593866399;
  constexpr double w0 = 0.56888888888888889, w1 = 0.47862867049936647, w2 = 0.23692688505618909;
  constexpr std::pair<double, double> kGauss[] = {{-x2, w2}, {-x1, w1}, {0.0, w0}, {x1, w1}, {x2, w2}};
  WeighedMotion motion;
  motion.end = trajectory.times().back();
  for (std::size_t s = 0; s + 1 < trajectory.times().size(); ++s) {
    const double from = trajectory.times()[s], half = 0.5 * (trajectory.times()[s + 1] - from) / pieces;
    for (int p = 0; p < pieces; ++p) {
      for (const auto& [x, w] : kGauss) {
        motion.t.push_back(from + half * (2.0 * p + 1.0 + x));
        motion.weight.push_back(half * w);
        JointMotion<double> m = trajectory.at(motion.t.back());
        motion.q.push_back(std::move(m.q));
        motion.qd.push_back(std::move(m.qd));
        motion.qdd.push_back(std::move(m.qdd));
      }
    }
  }
  return motion;
}

WeighedMotion WeighedMotion::of_samples(std::vector<double> t, std::vector<std::vector<double>> q,
                                        std::vector<std::vector<double>> qd, std::vector<std::vector<double>> qdd) {
  WeighedMotion motion{std::move(t), {}, std::move(q), std::move(qd), std::move(qdd), 0.0};
  if (!motion.t.empty()) motion.end = motion.t.back();
  motion.weight.resize(motion.t.size(), 0.0);
  for (std::size_t k = 0; k + 1 < motion.t.size(); ++k) {
    const double half = 0.5 * (motion.t[k + 1] - motion.t[k]);
    motion.weight[k] += half;
    motion.weight[k + 1] += half;
  }
  return motion;
}

InverseDesign::InverseDesign(const Mechanism& mechanism, std::vector<std::string> parameters,
                             std::vector<DesignFunctional> functionals, InverseDesignOptions options,
                             ParameterValues<double> others)
    : design_(mechanism, std::move(parameters), std::move(others)),
      functionals_(std::move(functionals)),
      options_(std::move(options)),
      motion_(options_.motion) {
  const Model<double> model = design_.model<double>(design_.values());
  nq_ = at(model.nq);
  nv_ = at(model.nv);
  b_ = design_.values();
  for (DesignFunctional& f : functionals_) check_instant(f, motion_.end);
  require(!motion_.t.empty() && motion_.q.front().size() == nq_, "a motion of the model's joints");
  std::vector<WrittenFormula> formulas;
  const std::size_t given = motion_.t.size();
  for (const DesignFunctional& f : functionals_) {
    formulas.push_back(f.formula);
    instant_.push_back(given);
    if (f.kind == DesignFunctional::Kind::integral) continue;
    const double t = std::isnan(f.time) ? motion_.end : f.time;
    const auto known = std::find(motion_.t.begin(), motion_.t.begin() + static_cast<std::ptrdiff_t>(given), t);
    if (known != motion_.t.begin() + static_cast<std::ptrdiff_t>(given)) {
      instant_.back() = static_cast<std::size_t>(known - motion_.t.begin());
      continue;
    }
    if (!options_.between) {
      throw Error(ErrorCode::usage,
                  fmt::format("`{}` is asked for at {} s, where the motion has no sample", f.name, t));
    }
    JointMotion<double> m = options_.between(t);
    instant_.back() = motion_.t.size();
    motion_.t.push_back(t);
    motion_.weight.push_back(0.0);
    motion_.q.push_back(std::move(m.q));
    motion_.qd.push_back(std::move(m.qd));
    motion_.qdd.push_back(std::move(m.qdd));
  }
  const DesignFunctions::Three three = inverse_functions(design_, formulas, options_.friction);
  std::vector<Function> all;
  for (const Function* f : {&three.value, &three.along, &three.back}) {
    all.push_back(options_.fixed ? at_values(*f, b_) : shortened(*f));
  }
  const auto code = compiled_design(mechanism.name + "_inverse_design", all, options_.compiled, options_.jit);
  for (const Function& f : all) own_.emplace_back(code, f.name(), f.input_size());
}

std::span<double> InverseDesign::begin(FlatFunction& f, std::size_t sample) {
  const std::span<double> in = f.inputs();
  std::size_t k = 0;
  in[k++] = motion_.t[sample];
  for (const auto* part : {&motion_.q[sample], &motion_.qd[sample], &motion_.qdd[sample]}) {
    for (const double x : *part) in[k++] = x;
  }
  if (!options_.fixed) {
    for (const double x : b_) in[k++] = x;
  }
  return in.subspan(k);
}

std::vector<double> InverseDesign::values(std::span<const double> b) {
  require(b.size() == b_.size(), "as many values as parameters");
  require(!options_.fixed || std::equal(b.begin(), b.end(), b_.begin()), "the parameters of this design are fixed");
  b_.assign(b.begin(), b.end());
  std::vector<double> sums(functionals_.size(), 0.0), y(nv_ + functionals_.size());
  for (std::size_t i = 0; i < motion_.t.size(); ++i) {
    begin(own_[0], i);
    own_[0](y);
    for (std::size_t f = 0; f < sums.size(); ++f) {
      const bool integral = functionals_[f].kind == DesignFunctional::Kind::integral;
      if (integral || instant_[f] == i) sums[f] += (integral ? motion_.weight[i] : 1.0) * y[nv_ + f];
    }
  }
  return sums;
}

std::vector<std::vector<double>> InverseDesign::gradients(DesignMethod method) {
  if (method == DesignMethod::cvodes)
    throw Error(ErrorCode::usage, "CVODES is for runs that are integrated; here the motion is given");
  const std::size_t nf = functionals_.size(), np = b_.size();
  const bool direct = method == DesignMethod::direct || (method == DesignMethod::automatic && np <= nf);
  std::vector<std::vector<double>> rows(nf, std::vector<double>(np, 0.0));
  std::vector<double> y(nv_ + nf), p(np);
  for (std::size_t i = 0; i < motion_.t.size(); ++i) {
    const auto weight = [&](std::size_t f) {
      return functionals_[f].kind == DesignFunctional::Kind::integral ? motion_.weight[i]
             : instant_[f] == i                                       ? 1.0
                                                                      : 0.0;
    };
    for (std::size_t k = 0; direct && k < np; ++k) {
      const std::span<double> dp = begin(own_[1], i);
      std::fill(dp.begin(), dp.end(), 0.0);
      dp[k] = 1.0;
      own_[1](y);
      for (std::size_t f = 0; f < nf; ++f) rows[f][k] += weight(f) * y[nv_ + f];
    }
    for (std::size_t f = 0; !direct && f < nf; ++f) {
      if (weight(f) == 0.0) continue;
      const std::span<double> w = begin(own_[2], i);
      std::fill(w.begin(), w.end(), 0.0);
      w[nv_ + f] = weight(f);
      own_[2](p);
      for (std::size_t k = 0; k < np; ++k) rows[f][k] += p[k];
    }
  }
  return rows;
}

std::vector<InverseDesign::Torques> InverseDesign::torques() {
  std::vector<Torques> list;
  std::vector<double> y(nv_ + functionals_.size());
  for (std::size_t i = 0; i < options_.motion.t.size(); ++i) {
    begin(own_[0], i);
    own_[0](y);
    Torques at{motion_.t[i], {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nv_)}, {}};
    for (std::size_t k = 0; k < b_.size(); ++k) {
      const std::span<double> dp = begin(own_[1], i);
      std::fill(dp.begin(), dp.end(), 0.0);
      dp[k] = 1.0;
      own_[1](y);
      at.by.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nv_));
    }
    list.push_back(std::move(at));
  }
  return list;
}

}  // namespace lw
