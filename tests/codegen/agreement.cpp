#include "agreement.hpp"

#include <algorithm>
#include <cmath>

#include "base/worse.hpp"
#include "dynamics/derivatives/derivative_terms.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace {

using Values = std::vector<double>;

// |M||q̈| + |h| of the joint where it is largest.
double terms(const Model<double>& model, Workspace<double>& work, const State& s, const Values& qdd) {
  const std::size_t n = qdd.size();
  Values M(n * n), h(n);
  crba<double>(model, work, s.q, M);
  rnea<double>(model, work, s.q, s.qd, work.zero, h);
  double most = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = std::abs(h[i]);
    for (std::size_t j = 0; j < n; ++j) row += std::abs(M[j * n + i] * qdd[j]);
    most = std::max(most, row);
  }
  return most;
}

double ratio(double difference, double limit) { return difference == 0.0 ? 0.0 : difference / limit; }

// d_q, d_qd, and d_qdd or d_tau, each entry by its terms.
double derivative_error(const Model<double>& model, Workspace<double>& work, const State& s, bool forward,
                        const Values& out, const Values& exact) {
  const std::size_t n = s.qd.size();
  Values M(n * n), qdd = s.qdd;
  crba<double>(model, work, s.q, M);
  if (forward) aba<double>(model, work, s.q, s.qd, s.tau, qdd);
  const DerivativeTerms sizes = derivative_terms(model, work, s.q, s.qd, qdd);
  double worst = 0.0;
  for (std::size_t k = 0; k < 3 * n * n; ++k) {
    const std::size_t row = k % n, column = k - row, entry = k % (n * n);
    double size = (k < n * n ? sizes.d_q : k < 2 * n * n ? sizes.d_qd : sizes.d_qdd)[entry], d = out[k] - exact[k];
    if (forward) {
      if (k >= 2 * n * n) size = 0.0;
      d = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        d += M[j * n + row] * (out[column + j] - exact[column + j]);
        size += std::sqrt(M[row * n + row] * M[j * n + j]) * std::abs(exact[column + j]);
      }
    }
    worst = worse(worst, ratio(std::abs(d), (forward ? 1e-10 : 1e-12) * size));
  }
  return worst;
}

}  // namespace

std::vector<Values> states_of(const Model<double>& model, const Function& function, int count, const Values& p,
                              std::uint64_t seed) {
  Random random(seed);
  std::vector<Values> list;
  for (int k = 0; k < count; ++k) {
    const State s = random_state(model, random);
    Values in;
    for (const Group& g : function.inputs()) {
      const Values& from = g.name == "q"     ? s.q
                           : g.name == "qd"  ? s.qd
                           : g.name == "qdd" ? s.qdd
                           : g.name == "tau" ? s.tau
                                             : p;
      in.insert(in.end(), from.begin(), from.end());
    }
    list.push_back(std::move(in));
  }
  return list;
}

double disagreement(const Model<double>& model, const Function& function, const std::vector<Values>& states,
                    const Evaluate& evaluate, const std::string& frame) {
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const std::string& name = function.name();
  const Reference expected = reference(model, name, frame);
  Workspace<double> work(model);
  double worst = 0.0;
  for (const Values& in : states) {
    const bool derivatives = name.ends_with("-derivatives");
    Values out(function.output_size()), exact(derivatives ? 3 * nv * nv : out.size());
    evaluate(in, out);
    std::size_t own = 0;  // without p
    for (const Group& g : function.inputs()) own += g.name == "p" ? 0 : g.size;
    const auto part = [&](std::size_t from, std::size_t size) {
      return own < from + size
                 ? Values(size, 1.0)
                 : Values(in.begin() + static_cast<long>(from), in.begin() + static_cast<long>(from + size));
    };
    const State s{part(0, nq), part(nq, nv), part(nq + nv, nv), part(nq + nv, nv)};
    double error = 0.0;
    if (name == "forward") {
      Values tau(nv);
      rnea<double>(model, work, s.q, s.qd, out, tau);
      error = ratio(largest_difference(tau, s.tau), 1e-13 * terms(model, work, s, out));
    } else if (derivatives) {
      expected(std::span(in).first(own), exact);
      error = derivative_error(model, work, s, name == "forward-derivatives", out, exact);
    } else {
      expected(std::span(in).first(own), exact);
      double size = name == "inverse" || name == "bias" ? terms(model, work, s, s.qdd) : 0.0;
      if (name == "coriolis") {  // of one joint it is zero, of terms that cancel
        for (const double x : derivative_terms(model, work, s.q, s.qd, work.zero).d_qd) size = std::max(size, x);
      }
      if (size == 0.0) {
        for (const double x : exact) size = std::max(size, std::abs(x));
      }
      error = ratio(largest_difference(out, exact), 1e-12 * size);
    }
    worst = worse(worst, error);
  }
  return worst;
}

double disagreement(const Model<double>& model, const Function& function, const std::vector<Values>& states,
                    const std::string& frame) {
  Interpreter<double> run(function);
  return disagreement(
      model, function, states, [&](std::span<const double> in, std::span<double> out) { run(in, out); }, frame);
}

std::vector<std::string> embedded_trees() {
  std::vector<std::string> names = embedded_names();
  std::erase_if(names, [](const std::string& name) { return !load(name).loops.empty(); });
  return names;
}

}  // namespace lw
