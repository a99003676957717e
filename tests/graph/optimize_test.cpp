#include "graph/passes/optimize.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "graph/interpreter.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace optimize_test {

TEST(Optimize, HoldsOnAllSamples) {
  check_pass(
      "operations", [](const Function& f) { return optimize(f, Objective::operations); }, operations);
}

TEST(Optimize, EveryObjective) {
  for (const Objective objective : {Objective::latency, Objective::depth}) {
    check_pass(
        objective == Objective::latency ? "latency" : "depth",
        [&](const Function& f) { return optimize(f, objective); },
        [&](const Function& f) { return price(f, objective); });
  }
}

TEST(Optimize, ReportsTheGainOfEachPass) {
  const Function f = trace_of("puma560", Method::aba);
  std::vector<PassReport> explain;
  const Function g = optimize(f, Objective::operations, &explain);
  ASSERT_FALSE(explain.empty());
  double gain = 0.0;
  std::int64_t multiplications = 0, additions = 0;
  for (const PassReport& r : explain) {
    gain += r.gain;
    multiplications += r.saved.multiplications;
    additions += r.saved.additions;
    fmt::print("  {:12} {:4} × {:4} + in {} turns\n", r.pass, r.saved.multiplications, r.saved.additions, r.turns);
  }
  EXPECT_EQ(gain, operations(f) - operations(g));
  EXPECT_EQ(multiplications, cost(f).operations.multiplications - cost(g).operations.multiplications);
  EXPECT_EQ(additions, cost(f).operations.additions - cost(g).operations.additions);
}

TEST(Optimize, ContractsWhereTheArithmeticIsFused) {
  Function f = trace_of("stanford", Method::rnea);
  f = f.with({.fused = true});
  const Function g = optimize(f, Objective::operations);
  EXPECT_TRUE(same_values(f, g));
  int fused = 0;
  for (const NodeId id : g.order()) fused += g.graph()[id].op == Op::fma;
  EXPECT_GT(fused, 50);
}

// As constants of select, sums and products: what is not a number, or infinite, stays so.
TEST(Optimize, KeepsConstantsThatAreNotFinite) {
  for (const double c : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Function f = trace("f", {{"x", 2}}, {{"y", 5}}, [&](const Arguments& in, Results& out) {
      const Expr x = in[0][0], y = in[0][1], below = less(x, y), odd(c);
      out[0] = {select(below, odd, x), select(below, odd, Expr(0.0)) + x, x * y + select(below, odd, Expr(1.0)) * x,
                Expr(2.0) * x * y + (x + odd) * Expr(3.0) + y, x * (odd * y) - y * (x + y)};
    });
    for (const Objective objective : {Objective::operations, Objective::latency, Objective::depth}) {
      const Function g = optimize(f, objective);
      for (const double x : {1.0, 2.0}) {  // below y, and not
        double was[5], is[5];
        evaluate<double>(f, std::vector<double>{x, 1.5}, was);
        evaluate<double>(g, std::vector<double>{x, 1.5}, is);
        for (int k = 0; k < 5; ++k) {
          EXPECT_TRUE(was[k] == is[k] || (std::isnan(was[k]) && std::isnan(is[k]))) << c << " " << k << ": " << is[k];
        }
      }
    }
  }
}

TEST(Optimize, LeavesCallsAndSolvesAlone) {
  const auto product = std::make_shared<const Function>(trace(
      "product", {{"a", 2}}, {{"r", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][1]; }));
  const auto square = std::make_shared<const Function>(
      trace("square", {{"r", 1}, {"x", 1}}, {{"e", 1}},
            [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][0] - in[1][0]; }));
  const Function f = trace("f", {{"x", 3}}, {{"y", 2}}, [&](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    const Expr called = x[0].graph()->call(product, {x[0] * x[1] + x[0] * x[2], x[1]})[0];
    const Graph::Solution root = x[0].graph()->solve(square, {Expr(1.0)}, {2.0 + called * called}, 30);
    out[0] = {root.unknowns[0] * x[1] + root.unknowns[0] * x[2], called * x[1] + called * x[2]};
  });
  for (const Objective objective : {Objective::operations, Objective::latency, Objective::depth}) {
    const Function g = optimize(f.with({.fused = true}), objective, nullptr, {.trials = 50});
    EXPECT_TRUE(same_values(f, g));
    EXPECT_LT(operations(g), operations(f));
  }
}

TEST(Optimize, IsQuick) {
  for (const int size : {1000, 20000}) {
    const Function f = random_function(5, size);
    const auto start = std::chrono::steady_clock::now();
    const Function g = optimize(f, Objective::operations);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("  {} nodes: {:g} → {:g} in {:.2f} s\n", f.order().size(), operations(f), operations(g), seconds);
    EXPECT_TRUE(same_values(f, g, 3));
    EXPECT_LT(seconds, size == 1000 ? 5.0 : 60.0);
  }
}

}  // namespace optimize_test
}  // namespace lw
