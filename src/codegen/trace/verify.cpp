#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "../../base/error.hpp"
#include "../../base/random.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/derivatives/derivative_terms.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/loops/closed_derivative_terms.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../dynamics/tree/torque_terms.hpp"
#include "../../graph/interpreter.hpp"
#include "../../model/random_state.hpp"
#include "methods.hpp"

namespace lw {
namespace {

using Values = std::vector<double>;

// The largest |a − b|, relative to the size of b.
double relative(const Values& a, const Values& b) {
  double size = 0.0;
  for (const double x : b) size = std::max(size, std::abs(x));
  const double difference = largest_difference(a, b);
  return difference == 0.0 ? 0.0 : difference / size;
}

// Torques: of each joint relative to its own terms.
double relative(const Values& a, const Values& b, const Values& terms) {
  double worst = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    worst = worse(worst, difference == 0.0 ? 0.0 : difference / std::max(terms[i], std::abs(b[i])));
  }
  return worst;
}

// Entry by entry, relative to its terms. Of forward dynamics M times the error, since it is −∂τ/∂x that M Δ adds to,
// relative to the terms of that and to √(M_ii M_jj)|∂q̈_j|, better than which no factorisation knows rows of M.
double derivative_error(const Model<double>& model, std::span<const Model<Dual>> moving, Workspace<double>& work,
                        bool forward, const State& s, const Values& a, const Values& b) {
  const std::size_t n = s.qd.size();
  Values M(n * n), qdd = s.qdd;
  crba<double>(model, work, s.q, M);
  if (forward) aba<double>(model, work, s.q, s.qd, s.tau, qdd);
  DerivativeTerms of = derivative_terms(model, work, s.q, s.qd, qdd);
  Values terms = std::move(of.d_q);
  terms.insert(terms.end(), of.d_qd.begin(), of.d_qd.end());
  if (forward) std::fill(of.d_qdd.begin(), of.d_qdd.end(), 0.0);  // along τ there is the second part alone
  terms.insert(terms.end(), of.d_qdd.begin(), of.d_qdd.end());
  for (const Model<Dual>& m : moving) {
    Workspace<Dual> dual(m);
    const Values column = parameter_terms(m, dual, s.q, s.qd, qdd);
    terms.insert(terms.end(), column.begin(), column.end());
  }
  Values difference(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) difference[k] = a[k] - b[k];
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double error = difference[k], size = terms[k];
    if (forward) {
      const std::size_t row = k % n, column = k - row;
      error = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        error += M[j * n + row] * difference[column + j];
        size += std::sqrt(std::abs(M[row * n + row] * M[j * n + j])) * std::abs(b[column + j]);
      }
    }
    worst = worse(worst, error == 0.0 ? 0.0 : std::abs(error) / size);
  }
  return worst;
}

// Of the torques that accelerations need: as M q̈ + h, since no factorisation knows rows of M better than √(M_ii M_jj).
Values forward_terms(const Model<double>& model, Workspace<double>& work, const State& s, const Values& qdd) {
  const std::size_t n = qdd.size();
  Values terms = torque_terms(model, work, s.q, s.qd, work.zero), M(n * n);
  crba<double>(model, work, s.q, M);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) terms[i] += std::sqrt(std::abs(M[i * n + i] * M[j * n + j])) * std::abs(qdd[j]);
  }
  return terms;
}

// Of the groups of `friction`: those of the torques, on the motors' side divided by the drives' ratios.
Values loss_terms(const Model<double>& model, const Values& torques) {
  Values motors = torques;
  for (const Transmission<double>& t : model.transmissions) {
    for (std::size_t k = 0; k < t.v.size(); ++k) {
      double sum = 0.0;  // of the joints that it moves
      for (const int v : t.v) sum += torques[static_cast<std::size_t>(v)];
      motors[static_cast<std::size_t>(t.v[k])] = sum / std::abs(t.drives[k].ratio);
    }
  }
  Values terms;
  for (int group = 0; group < 5; ++group) terms.insert(terms.end(), torques.begin(), torques.end());
  terms.insert(terms.end(), motors.begin(), motors.end());
  return terms;
}

// Mass matrices: of each entry relative to √(M_ii M_jj), which bounds it.
double relative_inertias(const Values& a, const Values& b, std::size_t n) {
  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double difference = std::abs(a[j * n + i] - b[j * n + i]);
      const double size = std::sqrt(std::abs(b[i * n + i] * b[j * n + j]));
      worst = worse(worst, difference == 0.0 ? 0.0 : difference / size);
    }
  }
  return worst;
}

// A mass matrix that no factorisation without pivots can go wrong with: values of parameters need not be those of
// bodies.
bool is_definite(const Model<double>& model, Workspace<double>& work, const State& s) {
  const std::size_t n = s.qd.size();
  Values M(n * n), diagonal(n);
  crba<double>(model, work, s.q, M);
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = M[k * n + k];
  factorize_mass_matrix<double>(model, M);
  for (std::size_t k = 0; k < n; ++k) {
    if (!(M[k * n + k] > 1e-6 * diagonal[k])) return false;
  }
  return true;
}

// How far a frame may be from the world's origin: along the chain of bodies to it.
double reach(const Model<double>& model, const Workspace<double>& work, const Frame<double>& frame) {
  double sum = norm(frame.X_BF.p);
  for (int b = frame.body; b >= 0; b = model.bodies[static_cast<std::size_t>(b)].parent)
    sum += norm(work.X[static_cast<std::size_t>(b)].p);
  return sum;
}

// Of a mechanism with loops, at a state: what each output is measured by. Torques by the terms of the tree's, each with
// the part |R| that it has; their derivatives likewise. Dependent coordinates and residuals count as they are.
class ClosedScale {
 public:
  ClosedScale(const Traced& traced, const Model<double>& model, std::span<const Model<Dual>> moving, const State& s)
      : plan_(*traced.loops), f_(traced.function), n_(plan_.freedoms()), H(n_ * n_), terms(n_, 0.0), lever_(n_, 0.0) {
    PlantWorkspace<double> work(model, plan_);
    const std::size_t nv = static_cast<std::size_t>(model.nv);
    const Values q = loop_position<double>(model, plan_, s.q, s.guess).q;
    mass_matrix<double>(model, plan_, work, q, H);
    const Values R = work.R;
    const Frame<double>& frame = model.frames[static_cast<std::size_t>(
        traced.frame.empty() ? static_cast<int>(model.frames.size()) - 1 : model.frame_index(traced.frame))];
    reach_ = reach(model, work.tree, frame);
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t v = 0; v < nv; ++v) lever_[k] += std::abs(R[k * nv + v]);
    }
    if (s.qd.empty()) return;
    Values qdd(n_, 0.0);
    if (f_.name().starts_with("inverse") || f_.name() == "friction") qdd = s.qdd;
    if (f_.name() == "forward-derivatives") forward_dynamics<double>(model, plan_, work, q, s.qd, s.tau, qdd);
    tree_velocities<double>(model, plan_, work, s.qd);
    tree_accelerations<double>(model, plan_, work, q, qdd);
    const Values velocities = work.qd, of_tree = torque_terms(model, work.tree, q, velocities, work.qdd);
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t v = 0; v < nv; ++v) terms[k] += std::abs(R[k * nv + v]) * of_tree[v];
    }
    if (f_.name() == "energy") energies_ = energy_terms(model, work.tree, q, velocities);
    if (f_.name().ends_with("-derivatives"))
      derivatives_ = closed_derivative_terms(model, moving, plan_, s.q, s.guess, s.qd, qdd);
  }

  // By H times the difference, since it is a force that this adds to.
  static bool by_inertia(const Function& f, const Group& g) {
    return f.name().starts_with("forward") && (g.name == "qdd" || g.name.starts_with("d_"));
  }

  // Of entry k of a group, whose largest one is `size`; e: the expected ones.
  double operator()(const Group& g, std::size_t k, std::span<const double> e, double size) const {
    const bool one_each = plan_.actuated == plan_.independent;
    if (g.name == "dependent" || g.name == "residual" || g.name == "rotation") return 1.0;
    if (g.name == "position") return std::max(size, reach_);
    if (g.name == "jacobian") return std::max(size, lever_[k / 6] * (k % 6 < 3 ? 1.0 : reach_));
    if (g.name == "kinetic") return energies_.kinetic;
    if (g.name == "potential") return energies_.potential;
    if (g.name == "M") return std::sqrt(std::abs(H[(k % n_) * (n_ + 1)] * H[(k / n_) * (n_ + 1)]));
    if (g.name.starts_with("d_")) return derivative(g, k, e, size);
    if (g.name == "qdd") return terms[k] + through_inertia(k, e, 0);
    return std::max(std::abs(e[k]), k < n_ && one_each ? terms[k] : *std::max_element(terms.begin(), terms.end()));
  }

 private:
  double through_inertia(std::size_t row, std::span<const double> e, std::size_t first) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < n_; ++j)
      sum += std::sqrt(std::abs(H[row * (n_ + 1)] * H[j * (n_ + 1)])) * std::abs(e[first + j]);
    return sum;
  }
  double derivative(const Group& g, std::size_t k, std::span<const double> e, double size) const {
    const std::size_t column = k / g.rows, row = k % g.rows;
    const std::size_t first = g.name == "d_q" ? 0 : g.name == "d_qd" ? n_ : g.name == "d_p" ? 3 * n_ : 2 * n_;
    const double* own = derivatives_.data() + (first + column) * n_;
    if (!by_inertia(f_, g))
      return std::max(
          size, g.rows == n_ && plan_.actuated == plan_.independent ? own[row] : *std::max_element(own, own + n_));
    return (g.name == "d_tau" ? 0.0 : own[row]) + through_inertia(row, e, column * n_);
  }

  const LoopPlan& plan_;
  const Function& f_;
  std::size_t n_;

 public:
  Values H, terms;

 private:
  Values lever_, derivatives_;
  EnergyTerms energies_;
  double reach_ = 0.0;
};

double closed_error(const Traced& traced, const ClosedScale& scale, const Values& got, const Values& expected) {
  const Function& f = traced.function;
  const std::size_t n = traced.loops->freedoms();
  double worst = 0.0;
  std::size_t first = 0;
  for (const Group& g : f.outputs()) {
    const std::span<const double> a(got.data() + first, g.size), e(expected.data() + first, g.size);
    first += g.size;
    double size = 0.0;
    for (const double x : e) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < g.size; ++k) {
      double difference = a[k] - e[k];
      if (g.name == "dependent") difference = std::remainder(difference, 2.0 * std::numbers::pi);
      if (ClosedScale::by_inertia(f, g)) {
        difference = 0.0;
        for (std::size_t j = 0; j < n; ++j)
          difference += scale.H[j * n + k % n] * (a[k - k % n + j] - e[k - k % n + j]);
      }
      worst = worse(worst, difference == 0.0 ? 0.0 : std::abs(difference) / scale(g, k, e, size));
    }
  }
  return worst;
}

// The largest that an entry is measured by, in its own unit.
double closed_size(const Traced& traced, const ClosedScale& scale, const Values& expected) {
  const std::size_t n = traced.loops->freedoms();
  double size = 0.0;
  std::size_t first = 0;
  for (const Group& g : traced.function.outputs()) {
    const std::span<const double> e(expected.data() + first, g.size);
    first += g.size;
    for (std::size_t k = 0; k < g.size; ++k) {
      const double inertia = ClosedScale::by_inertia(traced.function, g) ? std::abs(scale.H[k % n * (n + 1)]) : 1.0;
      size = std::max(size, scale(g, k, e, 0.0) / inertia);
    }
  }
  return size;
}

using Run = std::function<void(std::span<const double>, std::span<double>)>;

// One function with one set of values for what it keeps.
class Check {
 public:
  // With the values of the mechanism, and with others.
  explicit Check(const Traced& traced)
      : Check(traced, traced.model, traced.moving, traced.parameter_values, reference(traced, true),
              reference(traced)) {}
  Check(const Traced& traced, const OtherValues& other)
      : Check(traced, other.model, other.moving, other.p, reference(traced, other, true),
              reference(traced, other, false)) {}

  // `single`: at states that single precision has.
  void run(const Run& interpreter, Random& random, bool only_where_defined, bool single, Verification& v) {
    // a rotor may be there for some values alone, and with it its column
    if (f_.name() == "regressor" &&
        parameter_table(model_).size() * static_cast<std::size_t>(model_.nv) != f_.output_size())
      return;
    State s = states_.next(random);
    for (Values* part : {&s.q, &s.qd, &s.qdd, &s.tau, &s.guess}) {
      for (double& x : *part) x = single ? static_cast<double>(static_cast<float>(x)) : x;
    }
    const Values in = inputs_of(f_, s, p_), own = inputs_of(f_, s);
    Values out(f_.output_size()), expected(out.size()), unsnapped(out.size());
    exact_(own, expected);
    if (only_where_defined) {
      for (const double x : expected) {
        if (!std::isfinite(x)) return;
      }
      if (f_.name().starts_with("forward") && !is_definite(model_, work_, s)) return;
    }
    interpreter(in, out);
    original_(own, unsnapped);
    if (traced_.loops != nullptr) {
      const ClosedScale scale(traced_, model_, moving_, s);
      v.error = worse(v.error, closed_error(traced_, scale, out, expected));
      v.snapping = worse(v.snapping, closed_error(traced_, scale, unsnapped, expected));
      return;
    }
    if (f_.name() == "forward") {
      const Values terms = forward_terms(model_, work_, s, out);
      Values tau(s.tau.size());
      torques(s, out, tau);
      v.error = worse(v.error, relative(tau, s.tau, terms));
      if (unsnapped == expected) return;
      Values same(tau.size());
      torques(s, unsnapped, tau);
      torques(s, expected, same);
      v.snapping = worse(v.snapping, relative(tau, same, terms));
    } else if (f_.name().ends_with("-derivatives")) {
      const bool forward = f_.name() == "forward-derivatives";
      v.error = worse(v.error, derivative_error(model_, moving_, work_, forward, s, out, expected));
      if (unsnapped == expected) return;
      v.snapping = worse(v.snapping, derivative_error(model_, moving_, work_, forward, s, unsnapped, expected));
    } else {
      const auto error = [&, torque = f_.name() == "inverse" || f_.name() == "bias"](const Values& got) {
        if (f_.name() == "friction")
          return relative(got, expected, loss_terms(model_, torque_terms(model_, work_, s.q, s.qd, s.qdd)));
        if (torque) {
          return relative(got, expected,
                          torque_terms(model_, work_, s.q, s.qd, f_.name() == "bias" ? work_.zero : s.qdd));
        }
        if (f_.name() == "mass-matrix") return relative_inertias(got, expected, s.qd.size());
        if (f_.name() == "energy") {
          const EnergyTerms terms = energy_terms(model_, work_, s.q, s.qd);
          return relative(got, expected, {terms.kinetic, terms.potential});
        }
        return relative(got, expected);
      };
      v.error = worse(v.error, error(out));
      v.snapping = worse(v.snapping, error(unsnapped));
    }
  }

 private:
  Check(const Traced& traced, const Model<double>& model, const std::vector<Model<Dual>>& moving, const Values& p,
        Reference exact, Reference original)
      : traced_(traced),
        f_(traced.function),
        losses_(model),
        model_(snapped(model, traced.snap)),
        states_(traced, model_),
        p_(p),
        exact_(std::move(exact)),
        original_(std::move(original)),
        work_(model_) {
    for (const Model<Dual>& m : moving) moving_.push_back(snapped(m, traced.snap));
  }

  // total, where friction is in it
  void torques(const State& s, const Values& qdd, Values& tau) {
    if (!traced_.friction) return rnea<double>(model_, work_, s.q, s.qd, qdd, tau);
    inverse_with_losses<double>(model_, work_, s.q, s.qd, qdd, losses_);
    tau = losses_.total;
  }

  const Traced& traced_;
  const Function& f_;
  Losses<double> losses_;
  Model<double> model_;
  StatesFor states_;
  std::vector<Model<Dual>> moving_;
  const Values& p_;
  Reference exact_, original_;
  Workspace<double> work_;
};

Verification verify(const Traced& traced, int states, std::uint64_t seed, const Run& run, bool single) {
  Random random(seed);
  Verification v{states, 0.0, 0.0};
  const std::string& name = traced.function.name();
  if (name == "forward-derivatives" || (traced.loops != nullptr && name == "inverse-derivatives")) v.limit = 1e-10;
  Check own(traced);
  for (int k = 0; k < states; ++k) own.run(run, random, false, single, v);
  for (const OtherValues& other : traced.others) {
    try {
      Check check(traced, other);
      for (int k = 0; k < std::max(1, states / 10); ++k) check.run(run, random, true, single, v);
    } catch (const Error&) {
      if (traced.loops == nullptr) throw;  // lengths with which the loops do not close have no states
    }
  }
  return v;
}

}  // namespace

double output_size(const Traced& traced, const State& s, const std::vector<double>& expected) {
  const Model<double> model = snapped(traced.model, traced.snap);
  std::vector<Model<Dual>> moving;
  for (const Model<Dual>& m : traced.moving) moving.push_back(snapped(m, traced.snap));
  const std::string& name = traced.function.name();
  double size = 0.0;
  const auto include = [&size](const Values& list) {
    for (const double x : list) size = std::max(size, std::abs(x));
  };
  include(expected);
  if (traced.loops != nullptr)
    return std::max(size, closed_size(traced, ClosedScale(traced, model, moving, s), expected));
  Workspace<double> work(model);
  const std::size_t n = s.qd.size();
  const bool forward = name.starts_with("forward");
  Values M(n * n), qdd = name == "bias" || forward ? Values(n, 0.0) : s.qdd, terms;
  crba<double>(model, work, s.q, M);
  if (name == "inverse" || name == "bias" || name == "friction" || name == "forward") {
    terms = torque_terms(model, work, s.q, s.qd, qdd);
    for (std::size_t k = 0; k < n && forward; ++k) terms[k] += std::abs(s.tau[k]);
    if (name == "friction") terms = loss_terms(model, terms);
  } else if (name.ends_with("-derivatives")) {
    if (forward) aba<double>(model, work, s.q, s.qd, s.tau, qdd);
    const DerivativeTerms of = derivative_terms(model, work, s.q, s.qd, qdd);
    for (const Values* part : {&of.d_q, &of.d_qd}) terms.insert(terms.end(), part->begin(), part->end());
    if (!forward) terms.insert(terms.end(), of.d_qdd.begin(), of.d_qdd.end());
  } else if (name == "energy") {
    const EnergyTerms e = energy_terms(model, work, s.q, s.qd);
    terms = {e.kinetic, e.potential};
  }
  for (std::size_t k = 0; k < terms.size() && forward; ++k) terms[k] /= std::abs(M[k % n * (n + 1)]);
  include(terms);
  return size;
}

Verification verify(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<double> interpret(traced.function);
  return verify(
      traced, states, seed, [&](auto in, auto out) { interpret(in, out); }, false);
}

double float_error(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<float> interpret(traced.function);
  const auto run = [&](std::span<const double> in, std::span<double> out) {
    const std::vector<float> x(in.begin(), in.end());
    std::vector<float> y(out.size());
    interpret(x, y);
    std::copy(y.begin(), y.end(), out.begin());
  };
  return verify(traced, states, seed, run, true).error;
}

}  // namespace lw
