#include "graph/expr.hpp"

#include <gtest/gtest.h>

#include "graph/function.hpp"

namespace lw {
namespace expr_test {

class ExprTest : public testing::Test {
 protected:
  Graph g;
  Expr x = g.input("x"), y = g.input("y"), z = g.input("z");

  // nodes that a calculation adds
  template <class F>
  std::size_t added(F&& calculation) {
    const std::size_t before = g.size();
    calculation();
    return g.size() - before;
  }
};

TEST_F(ExprTest, SameOperationOnSameOperandsIsTheSameNode) {
  const Expr first = sin(x) * y + z;
  EXPECT_EQ(added([&] { EXPECT_TRUE(sin(x) * y + z == first); }), 0u);
}

TEST_F(ExprTest, OperandsOfSumsAndProductsAreOrdered) {
  EXPECT_TRUE(x + y == y + x);
  EXPECT_TRUE(x * y == y * x);
  EXPECT_FALSE(x / y == y / x);
  EXPECT_TRUE(min(x, y) == min(y, x));
}

TEST_F(ExprTest, ConstantsFoldWithoutAGraph) {
  const Expr two = 2.0;
  EXPECT_TRUE((two * 3.0 + 1.0).is_constant(7.0));
  EXPECT_TRUE(sin(Expr(0.0)).is_constant(0.0));
  EXPECT_TRUE(select(less(two, 3.0), 4.0, 5.0).is_constant(4.0));
}

TEST_F(ExprTest, ZeroAndOneVanish) {
  EXPECT_EQ(added([&] {
              EXPECT_TRUE(x + 0.0 == x);
              EXPECT_TRUE(0.0 + x == x);
              EXPECT_TRUE(x - 0.0 == x);
              EXPECT_TRUE(x * 1.0 == x);
              EXPECT_TRUE(x / 1.0 == x);
              EXPECT_TRUE((x * 0.0).is_constant(0.0));
              EXPECT_TRUE((0.0 / x).is_constant(0.0));
              EXPECT_TRUE((x - x).is_constant(0.0));
            }),
            0u);
}

TEST_F(ExprTest, SignsMoveOutwards) {
  EXPECT_TRUE(-(-x) == x);
  EXPECT_TRUE((-x) * (-y) == x * y);
  EXPECT_TRUE((-x) * y == -(x * y));
  EXPECT_TRUE(x * -2.0 == -(x * 2.0));
  EXPECT_TRUE(x + (-y) == x - y);
  EXPECT_TRUE((-x) + (-y) == -(x + y));
  EXPECT_TRUE((-x) - y == -(x + y));
  EXPECT_TRUE(sin(-x) == -sin(x));
  EXPECT_TRUE(cos(-x) == cos(x));
  EXPECT_TRUE(abs(-x) == abs(x));
  const Expr d = x - y;
  EXPECT_TRUE(y - x == -d);
}

TEST_F(ExprTest, NothingIsReassociated) {
  // (x + 1e16) − 1e16 must stay as written: a folded version would give other bits
  const Expr e = (x + 1e16) - 1e16;
  EXPECT_FALSE(e == x);
}

TEST_F(ExprTest, CallsOnTheSameArgumentsAreShared) {
  const auto f = std::make_shared<Function>(trace("f", {{"a", 2}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
    out[0][0] = in[0][0] * in[0][1];
    out[0][1] = in[0][0] + in[0][1];
  }));
  const auto first = g.call(f, {x, y});
  EXPECT_EQ(added([&] { EXPECT_TRUE(g.call(f, {x, y})[1] == first[1]); }), 0u);
  EXPECT_FALSE(g.call(f, {y, x})[0] == first[0]);
}

TEST(Names, OfNegationsStartWithMinus) {
  Graph g;
  const Expr x = g.input("x"), y = g.input("y");
  const Expr product = x * y, sum = x + y;
  name_value(-product, "omega2_x");
  EXPECT_EQ(*g.name_of(product.id()), "minus_omega2_x");
  name_value(-sum, "minus_a");  // as when a pass finds that what was negated need not be
  EXPECT_EQ(*g.name_of(sum.id()), "a");
  name_value(product, "again");
  EXPECT_EQ(*g.name_of(product.id()), "minus_omega2_x");
}

}  // namespace expr_test
}  // namespace lw
