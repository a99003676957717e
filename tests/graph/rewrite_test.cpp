#include "graph/rewrite.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "graph/interpreter.hpp"

namespace lw {
namespace rewrite_test {

// sin(x) y + x / y through a call, a root of r² = x by a solve, and a named value
Function sample() {
  auto product = std::make_shared<const Function>(trace(
      "product", {{"a", 2}}, {{"r", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][1]; }));
  auto square = std::make_shared<const Function>(
      trace("square", {{"r", 1}, {"x", 1}}, {{"e", 1}},
            [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][0] - in[1][0]; }));
  return trace("sample", {{"x", 1}, {"unused", 1}, {"y", 1}}, {{"f", 2}}, [&](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[2][0];
    Graph& g = *x.graph();
    const Expr s = sin(x);
    name_value(s, "wave");
    out[0][0] = g.call(product, {s, y})[0] + x / y;
    const Graph::Solution root = g.solve(square, {Expr(1.0)}, {x}, 30);
    out[0][1] = root.unknowns[0] + root.residual[0];
  });
}

TEST(Rewrite, CopyIsTheSameCalculation) {
  const Function f = sample(), g = rewritten(f, [](Rewrite&to, NodeId id) { return to.copy(id); });
  EXPECT_EQ(g.graph().solves().size(), 1u);
  EXPECT_EQ(g.input_size(), 3u);
  std::vector<double> a(2), b(2);
  const std::vector<double> x{0.7, 0.0, 1.9};
  evaluate<double>(f, x, a);
  evaluate<double>(g, x, b);
  EXPECT_EQ(a, b);
  EXPECT_NEAR(a[0], std::sin(0.7) * 1.9 + 0.7 / 1.9, 1e-15);
  EXPECT_NEAR(a[1], std::sqrt(0.7), 1e-14);
}

TEST(Rewrite, KeepsNames) {
  const Function g = rewritten(sample(), [](Rewrite& to, NodeId id) { return to.copy(id); });
  int found = 0;
  for (const NodeId id : g.order()) {
    const std::string* name = g.graph().name_of(id);
    if (name != nullptr && *name == "wave") found += g.graph()[id].op == Op::sin;
  }
  EXPECT_EQ(found, 1);
}

TEST(Rewrite, ReplacesAndDropsDeadNodes) {
  // every sine by its argument
  const Function g = rewritten(sample(), [](Rewrite& to, NodeId id) {
    const Node& n = to.from().graph()[id];
    return n.op == Op::sin ? to[n.a] : to.copy(id);
  });
  EXPECT_EQ(cost(g).operations.trigonometric, 0);
  std::vector<double> r(2);
  evaluate<double>(g, std::vector<double>{0.5, 0.0, 2.0}, r);
  EXPECT_DOUBLE_EQ(r[0], 0.5 * 2.0 + 0.5 / 2.0);
}

TEST(Order, MustBeTopological) {
  const Function f = sample();
  std::vector<NodeId> order = f.order();
  std::swap(order.front(), order.back());
  EXPECT_THROW(f.in_order(order), Error);
  order = f.order();
  order.pop_back();
  EXPECT_THROW(f.in_order(order), Error);
  EXPECT_EQ(f.in_order(f.order()).order(), f.order());
}

TEST(Fma, IsRoundedOnceAndKeepsItsSigns) {
  const Function f = trace("f", {{"x", 3}}, {{"y", 4}}, [](const Arguments& in, Results& out) {
    const Expr a = in[0][0], b = in[0][1], c = in[0][2];
    out[0] = {fma(a, b, c), fma(-a, b, c), fma(a, b, -c), fma(Expr(-2.0), a, c)};
  });
  const double e = std::ldexp(1.0, -30), a = 1.0 + e, b = 1.0 - e, c = -1.0;  // a b = 1 − 2⁻⁶⁰
  std::vector<double> y(4);
  evaluate<double>(f, std::vector<double>{a, b, c}, y);
  EXPECT_EQ(y[0], -std::ldexp(1.0, -60));
  EXPECT_EQ(y[1], std::fma(-a, b, c));
  EXPECT_EQ(y[2], std::fma(a, b, -c));
  EXPECT_EQ(y[3], std::fma(-2.0, a, c));
  EXPECT_EQ(cost(f).operations.multiplications, 4);
  EXPECT_EQ(cost(f).operations.additions, 4);
  EXPECT_TRUE(fma(Expr(2.0), Expr(3.0), Expr(1.0)).is_constant(7.0));
}

}  // namespace rewrite_test
}  // namespace lw
