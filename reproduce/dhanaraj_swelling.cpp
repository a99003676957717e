#include "experiments.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "generated.hpp"
#include "graph/interpreter.hpp"
#include "orthogonal_arm.hpp"
#include "substituted.hpp"

// Dhanaraj 1990, section 2.4: expressions swell where intermediate results are substituted, and do not where they are
// named.
namespace lw::reproduce {
namespace {

// a = b + c;  e = c a + d;  g = e f + c a
template <class T>
T example(const T& b, const T& c, const T& d, const T& f) {
  const T a = b + c, e = c * a + d;
  return e * f + c * a;
}

void small_example(Experiment& e) {
  const Function g = trace("g", {{"x", 4}}, {{"g", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = example<Expr>(in[0][0], in[0][1], in[0][2], in[0][3]);
  });
  const Substituted written = substituted(g);
  OperationCount count;
  const Count x(0.5, &count);
  example<Count>(x, x, x, x);
  const Vector named{static_cast<double>(count.multiplications), static_cast<double>(count.additions)};
  const std::string what = "× and + of a = b + c, e = c a + d, g = e f + c a, ";
  e.compare("example.substituted", what + "substituted", "section 2.4, example", {3, 4},
            {written.multiplications, written.additions}, absolute(0.0));
  e.compare("example.named", what + "named", "section 2.4, example", {3, 3}, named, absolute(0.0));
  e.beaten("example.shared", what + "and what occurs twice computed once", "section 2.4, example", {3, 3},
           arithmetic_of(g), "c a is found to be the same in e and g; the value is, too (below).");
  const Vector at{0.5, -1.7, 3.1, 0.9};
  Vector value(1);
  evaluate<double>(g, at, value);
  e.compare("example.value", "g at b = 0.5, c = −1.7, d = 3.1, f = 0.9", property("what the three equations give"),
            example<double>(at[0], at[1], at[2], at[3]), value, absolute(0.0));
}

// The time of a calculation in seconds: the least of some, since others use the machine too.
template <class Calculation>
double seconds(const Calculation& calculation) {
  double least = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const auto start = std::chrono::steady_clock::now();
    calculation();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

constexpr int kFewest = 2, kMost = 7;

struct SwellingColumns {
  Vector operations, bytes, nodes;
  void add(double its_operations, double its_bytes, double its_nodes) {
    operations.push_back(its_operations);
    bytes.push_back(its_bytes);
    nodes.push_back(its_nodes);
  }
  void add(const Function& f) {
    const Vector count = arithmetic_of(f);
    add(count[0] + count[1], bytes_of_c(f), static_cast<double>(f.graph().size()));
  }
};

Plot swelling_plot(const std::vector<std::pair<const char*, const SwellingColumns*>>& curves) {
  Plot plot;
  plot.title = "Inverse dynamics of an orthogonal arm: operations, substituted and named";
  plot.x_label = "joints n";
  plot.y_label = "log₁₀ of multiplications + additions";
  for (const auto& [label, columns] : curves) {
    Series s;
    s.label = label;
    for (std::size_t k = 0; k < columns->operations.size(); ++k) {
      s.x.push_back(kFewest + static_cast<double>(k));
      s.y.push_back(std::log10(columns->operations[k]));
    }
    plot.series.push_back(std::move(s));
  }
  return plot;
}

void arms(Experiment& e) {
  SwellingColumns written, closed, recursion_written, recursion, ours;
  double error = 0.0;
  for (int n = kFewest; n <= kMost; ++n) {
    const Mechanism arm = orthogonal_arm(n);
    const Function lagrange = traced_formulation("lagrange", arm),
                   recursive = traced_formulation("newton-euler-modified", arm);
    const Generated generated = generate(arm, "inverse");
    const Substituted all = substituted(lagrange), of_recursion = substituted(recursive);
    written.add(all.operations(), all.bytes, 0);
    recursion_written.add(of_recursion.operations(), of_recursion.bytes, 0);
    closed.add(lagrange);
    recursion.add(recursive);
    ours.add(generated.traced.function);
    ours.operations.back() = generated.total();
    error = worse(error, generated.check.error);
  }
  const std::string arm = ", orthogonal arm, n = 2 … 7";
  const std::string verified = fmt::format(
      "Verified against recursive Newton-Euler at 100 random states each: within {:.0e} of the terms.", error);
  const Source claim = property("section 2.4: names stop expressions from swelling");
  const std::size_t last = written.operations.size() - 1;
  e.beaten("closed.operations", "operations" + arm + ": closed form written out; generated", claim, written.operations,
           ours.operations,
           fmt::format("Lagrange's equations (appendix A.1), every intermediate result substituted: one link more is "
                       "{:.1f} times as much at n = 7. {}",
                       written.operations[last] / written.operations[last - 1], verified));
  e.beaten("closed.operations-shared", "operations" + arm + ": closed form, what occurs twice named; generated", claim,
           closed.operations, ours.operations,
           "Even then the number of coefficients grows with the third power of the joints. " + verified);
  e.beaten("recursion.operations", "operations" + arm + ": recursion of table 2.4 written out; with names", claim,
           recursion_written.operations, recursion.operations,
           "Without names a recursion is worse than the closed form from five joints on: what it reuses it repeats.");
  e.beaten("closed.bytes", "bytes" + arm + ": closed form written out; C generated, header and source", claim,
           written.bytes, ours.bytes, "The text of the closed form is measured, not compiled. " + verified);
  e.beaten("closed.bytes-shared", "bytes of C" + arm + ": closed form, what occurs twice named; generated", claim,
           closed.bytes, ours.bytes, "Both printed by the same back end. " + verified);
  e.beaten("closed.nodes", "nodes of the expression graph" + arm + ": closed form; recursion of table 2.4", claim,
           closed.nodes, recursion.nodes, "What a generator keeps in memory.");

  const Mechanism largest = orthogonal_arm(kMost);
  const double of_closed = seconds([&] { bytes_of_c(traced_formulation("lagrange", largest)); }),
               of_recursion = seconds([&] { bytes_of_c(traced_formulation("newton-euler-modified", largest)); }),
               of_ours = seconds([&] { bytes_of_c(trace_function(largest, "inverse").function); });
  e.beaten("closed.time", "time to generate C (s), n = 7: closed form with names; recursion of table 2.4", claim,
           of_closed, of_recursion,
           fmt::format("With every method tried and all passes it takes {:.2f} s. Measured as this ran.", of_ours));
  e.plots.push_back(swelling_plot({{"recursion written out", &recursion_written},
                                   {"closed form written out", &written},
                                   {"closed form with names", &closed},
                                   {"recursion with names", &recursion},
                                   {"generated", &ours}}));
}

}  // namespace

Experiment dhanaraj_swelling() {
  Experiment e("dhanaraj", "dhanaraj.swelling", "Expression swelling (section 2.4)",
               "His small example, and arms of two to seven joints: the closed form and the recursion, each with all "
               "intermediate results substituted and with names, beside what our generator makes.");
  small_example(e);
  arms(e);
  return e;
}

}  // namespace lw::reproduce
