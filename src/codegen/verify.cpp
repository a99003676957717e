#include <algorithm>
#include <cmath>

#include "../base/random.hpp"
#include "../base/worse.hpp"
#include "../dynamics/crba.hpp"
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

}  // namespace

Verification verify(const Traced& traced, int states, std::uint64_t seed) {
  const Function& f = traced.function;
  const Model<double> model = snapped(traced.model, traced.snap);
  const Reference exact = reference(model, f.name(), traced.frame), original = reference(traced.model, f.name(), traced.frame);
  Interpreter<double> run(f);
  Workspace<double> work(model);
  Random random(seed);
  Verification v{states, 0.0, 0.0};
  for (int k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    Values in, own;
    for (const Group& g : f.inputs()) {
      const Values& from = g.name == "q" ? s.q : g.name == "qd" ? s.qd : g.name == "qdd" ? s.qdd : g.name == "tau" ? s.tau : traced.parameter_values;
      in.insert(in.end(), from.begin(), from.end());
      if (g.name != "p") own = in;
    }
    Values out(f.output_size()), expected(out.size()), unsnapped(out.size());
    run(in, out);
    exact(own, expected);
    original(own, unsnapped);
    if (f.name() == "forward") {
      const Values terms = forward_terms(model, work, s, out);
      Values tau(s.tau.size());
      rnea<double>(model, work, s.q, s.qd, out, tau);
      v.error = worse(v.error, relative(tau, s.tau, terms));
      if (unsnapped == expected) continue;
      Values same(tau.size());
      rnea<double>(model, work, s.q, s.qd, unsnapped, tau);
      rnea<double>(model, work, s.q, s.qd, expected, same);
      v.snapping = worse(v.snapping, relative(tau, same, terms));
    } else {
      const auto error = [&, torque = f.name() == "inverse" || f.name() == "bias"](const Values& got) {
        if (torque) return relative(got, expected, torque_terms(model, work, s.q, s.qd, f.name() == "bias" ? work.zero : s.qdd));
        if (f.name() == "mass-matrix") return relative_inertias(got, expected, s.qd.size());
        return relative(got, expected);
      };
      v.error = worse(v.error, error(out));
      v.snapping = worse(v.snapping, error(unsnapped));
    }
  }
  return v;
}

}  // namespace lw
