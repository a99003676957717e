#include <algorithm>
#include <cmath>
#include <functional>

#include "../base/random.hpp"
#include "../base/worse.hpp"
#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/rnea.hpp"
#include "../graph/interpreter.hpp"
#include "../model/random_state.hpp"
#include "roads.hpp"

namespace lw {
namespace {

using Values = std::vector<double>;

// The largest |a − b|, relative to the size of b and of what b is the sum of.
double relative(const Values& a, const Values& b, double size) {
  for (const double x : b) size = std::max(size, std::abs(x));
  const double difference = largest_difference(a, b);
  return difference == 0.0 ? 0.0 : difference / size;
}

// Σ |terms| of the largest torque, |M||q̈| + |h|: no unit decides what is small.
double torque_size(const Model<double>& model, Workspace<double>& work, const State& s, const Values& qdd) {
  const auto n = qdd.size();
  Values M(n * n), h(n);
  crba<double>(model, work, s.q, M);
  rnea<double>(model, work, s.q, s.qd, work.zero, h);
  double size = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = std::abs(h[i]);
    for (std::size_t j = 0; j < n; ++j) row += std::abs(M[j * n + i] * qdd[j]);
    size = std::max(size, row);
  }
  return size;
}

// Group by group, relative to its largest entry and to what it is the sum of: torques of the motion for d_q, |M||q̇| for d_qd.
// Of forward dynamics both times M.
double derivative_error(const Model<double>& model, Workspace<double>& work, const Function& f, const State& s,
                        const Values& a, const Values& b) {
  const std::size_t n = s.qd.size();
  const bool forward = f.name() == "forward-derivatives";
  Values M(n * n), qdd = s.qdd;
  crba<double>(model, work, s.q, M);
  if (forward) aba<double>(model, work, s.q, s.qd, s.tau, qdd);
  const auto largest = [](const Values& x) {
    double most = 0.0;
    for (const double e : x) most = std::max(most, std::abs(e));
    return most;
  };
  double worst = 0.0;
  std::size_t first = 0;
  for (const Group& g : f.outputs()) {
    Values x(a.begin() + static_cast<std::ptrdiff_t>(first), a.begin() + static_cast<std::ptrdiff_t>(first + g.size)),
        y(b.begin() + static_cast<std::ptrdiff_t>(first), b.begin() + static_cast<std::ptrdiff_t>(first + g.size));
    first += g.size;
    double size = g.name == "d_q"    ? torque_size(model, work, s, qdd)
                  : g.name == "d_qd" ? largest(M) * largest(s.qd)
                                     : 0.0;
    if (forward) {
      for (std::size_t column = 0; column < y.size(); column += n) {
        for (Values* matrix : {&x, &y}) {
          Values product(n, 0.0);
          for (std::size_t i = 0; i < n; ++i) {
            double terms = 0.0;
            for (std::size_t j = 0; j < n; ++j) {
              product[i] += M[j * n + i] * (*matrix)[column + j];
              terms += std::abs(M[j * n + i] * (*matrix)[column + j]);
            }
            size = std::max(size, terms);
          }
          std::copy(product.begin(), product.end(), matrix->begin() + static_cast<std::ptrdiff_t>(column));
        }
      }
    }
    worst = worse(worst, relative(x, y, size));
  }
  return worst;
}

}  // namespace

namespace {

using Run = std::function<void(std::span<const double>, std::span<double>)>;

Verification verify(const Traced& traced, int states, std::uint64_t seed, const Run& run, bool single) {
  const Function& f = traced.function;
  const std::string& name = f.name();
  const Model<double> model = snapped(traced.model, traced.snap);
  const Reference exact = reference(traced, true), original = reference(traced);
  Workspace<double> work(model);
  Random random(seed);
  Verification v{states, 0.0, 0.0};
  if (name == "forward-derivatives") v.limit = 1e-10;
  for (int k = 0; k < states; ++k) {
    State s = random_state(model, random);
    for (Values* part : {&s.q, &s.qd, &s.qdd, &s.tau}) {
      for (double& x : *part) x = single ? static_cast<double>(static_cast<float>(x)) : x;
    }
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
    if (name == "forward") {
      const double size = torque_size(model, work, s, out);
      Values tau(s.tau.size());
      rnea<double>(model, work, s.q, s.qd, out, tau);
      v.error = worse(v.error, relative(tau, s.tau, size));
      if (unsnapped == expected) continue;
      Values same(tau.size());
      rnea<double>(model, work, s.q, s.qd, unsnapped, tau);
      rnea<double>(model, work, s.q, s.qd, expected, same);
      v.snapping = worse(v.snapping, relative(tau, same, size));
    } else if (name.ends_with("-derivatives")) {
      v.error = worse(v.error, derivative_error(model, work, f, s, out, expected));
      v.snapping = worse(v.snapping, derivative_error(model, work, f, s, unsnapped, expected));
    } else {
      const bool torque = name == "inverse" || name == "bias";
      const double size = torque ? torque_size(model, work, s, s.qdd) : 0.0;
      v.error = worse(v.error, relative(out, expected, size));
      v.snapping = worse(v.snapping, relative(unsnapped, expected, size));
    }
  }
  return v;
}

}  // namespace

Verification verify(const Traced& traced, int states, std::uint64_t seed) {
  Interpreter<double> interpret(traced.function);
  return verify(traced, states, seed, [&](auto in, auto out) { interpret(in, out); }, false);
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
