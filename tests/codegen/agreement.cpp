#include "agreement.hpp"

#include <algorithm>
#include <cmath>

#include "base/worse.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read.hpp"

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

double largest(std::span<const double> x) {
  double most = 0.0;
  for (const double e : x) most = std::max(most, std::abs(e));
  return most;
}

// d_q, d_qd, and d_qdd or d_tau, each by its own size.
double derivative_error(const Model<double>& model, Workspace<double>& work, const State& s, bool forward, const Values& out,
                        const Values& exact) {
  const std::size_t n = s.qd.size();
  Values M(n * n), qdd = s.qdd;
  crba<double>(model, work, s.q, M);
  if (forward) aba<double>(model, work, s.q, s.qd, s.tau, qdd);
  const double sizes[] = {terms(model, work, s, qdd), largest(M) * largest(s.qd), forward ? 1.0 : largest(M)};
  double worst = 0.0;
  for (std::size_t g = 0; g < 3; ++g) {
    const auto x = std::span(out).subspan(g * n * n, n * n), y = std::span(exact).subspan(g * n * n, n * n);
    double size = std::max(sizes[g], forward ? 0.0 : largest(y)), difference = 0.0;
    for (std::size_t k = 0; k < n * n; ++k) {
      double d = x[k] - y[k];
      if (forward) {
        const std::size_t column = k / n * n, row = k % n;
        double total = 0.0;
        d = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          d += M[j * n + row] * (x[column + j] - y[column + j]);
          total += std::abs(M[j * n + row] * y[column + j]);
        }
        size = std::max(size, total);
      }
      difference = worse(difference, std::abs(d));
    }
    worst = worse(worst, ratio(difference, (forward ? 1e-10 : 1e-12) * size));
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
