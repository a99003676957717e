#include <algorithm>
#include <cmath>

#include "../base/random.hpp"
#include "../base/worse.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/regressor.hpp"
#include "../dynamics/rnea.hpp"
#include "../dynamics/torque_terms.hpp"
#include "../graph/interpreter.hpp"
#include "../model/random_state.hpp"
#include "roads.hpp"

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

// A mass matrix that no factorisation without pivots can go wrong with: values of parameters need not be those of bodies.
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

// One function with one set of values for what it keeps.
class Check {
 public:
  Check(const Traced& traced, const Model<double>& model, const Values& p)
      : f_(traced.function),
        model_(snapped(model, traced.snap)),
        p_(p),
        exact_(reference(model_, f_.name(), traced.frame)),
        original_(reference(model, f_.name(), traced.frame)),
        work_(model_) {}

  void run(Interpreter<double>& interpreter, Random& random, bool only_where_defined, Verification& v) {
    // a rotor may be there for some values alone, and with it its column
    if (f_.name() == "regressor" && parameter_table(model_).size() * static_cast<std::size_t>(model_.nv) != f_.output_size()) return;
    const State s = random_state(model_, random);
    Values in, own;
    for (const Group& g : f_.inputs()) {
      const Values& from = g.name == "q" ? s.q : g.name == "qd" ? s.qd : g.name == "qdd" ? s.qdd : g.name == "tau" ? s.tau : p_;
      in.insert(in.end(), from.begin(), from.end());
      if (g.name != "p") own = in;
    }
    Values out(f_.output_size()), expected(out.size()), unsnapped(out.size());
    exact_(own, expected);
    if (only_where_defined) {
      for (const double x : expected) {
        if (!std::isfinite(x)) return;
      }
      if (f_.name() == "forward" && !is_definite(model_, work_, s)) return;
    }
    interpreter(in, out);
    original_(own, unsnapped);
    if (f_.name() == "forward") {
      const Values terms = forward_terms(model_, work_, s, out);
      Values tau(s.tau.size());
      rnea<double>(model_, work_, s.q, s.qd, out, tau);
      v.error = worse(v.error, relative(tau, s.tau, terms));
      if (unsnapped == expected) return;
      Values same(tau.size());
      rnea<double>(model_, work_, s.q, s.qd, unsnapped, tau);
      rnea<double>(model_, work_, s.q, s.qd, expected, same);
      v.snapping = worse(v.snapping, relative(tau, same, terms));
    } else {
      const auto error = [&, torque = f_.name() == "inverse" || f_.name() == "bias"](const Values& got) {
        if (torque) {
          return relative(got, expected, torque_terms(model_, work_, s.q, s.qd, f_.name() == "bias" ? work_.zero : s.qdd));
        }
        if (f_.name() == "mass-matrix") return relative_inertias(got, expected, s.qd.size());
        return relative(got, expected);
      };
      v.error = worse(v.error, error(out));
      v.snapping = worse(v.snapping, error(unsnapped));
    }
  }

 private:
  const Function& f_;
  Model<double> model_;
  const Values& p_;
  Reference exact_, original_;
  Workspace<double> work_;
};

}  // namespace

Verification verify(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<double> interpreter(traced.function);
  Random random(seed);
  Verification v{states, 0.0, 0.0};
  Check own(traced, traced.model, traced.parameter_values);
  for (int k = 0; k < states; ++k) own.run(interpreter, random, false, v);
  for (const OtherValues& other : traced.others) {
    Check check(traced, other.model, other.p);
    for (int k = 0; k < std::max(1, states / 10); ++k) check.run(interpreter, random, true, v);
  }
  return v;
}

}  // namespace lw
