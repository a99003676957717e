#include "graph/passes/strength.hpp"

#include "graph/interpreter.hpp"
#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace strength_test {

Function of(const std::function<std::vector<Expr>(const std::vector<Expr>&)>& calculation, std::size_t outputs) {
  return trace("f", {{"x", 4}}, {{"y", outputs}},
               [&](const Arguments& in, Results& out) { out[0] = calculation(in[0]); });
}

TEST(Strength, HoldsOnAllSamples) {
  check_pass("strength", strength, operations);
  check_pass("reciprocals", reciprocals,
             [](const Function& f) { return static_cast<double>(cost(f).operations.divisions); });
}

TEST(Strength, ReplacesDivisionByConstants) {
  const Function f = of([](const auto&x) { return std::vector<Expr>{x[0] / 8.0, x[1] / 3.0}; }, 2), g = strength(f);
  EXPECT_EQ(cost(g).operations, (OperationCount{.multiplications = 2}));
  std::vector<double> y(2);
  evaluate<double>(g, std::vector<double>{0.1, 0.7, 0, 0}, y);
  EXPECT_EQ(y[0], 0.1 / 8.0);  // a power of two: the same bits
  EXPECT_NEAR(y[1], 0.7 / 3.0, 1e-16);
}

TEST(Strength, DividesOnce) {
  const Function f = of([](const auto& x) { return std::vector<Expr>{x[0] / x[1] / x[2] / x[3]}; }, 1);
  EXPECT_TRUE(same_values(f, strength(f)));
  EXPECT_EQ(cost(strength(f)).operations, (OperationCount{.multiplications = 2, .divisions = 1}));
}

TEST(Strength, UsesAnExistingReciprocal) {
  const Function f = of(
      [](const auto& x) {
        return std::vector<Expr>{1.0 / x[1], x[0] / x[1], x[2] * (1.0 / x[1])};
      },
      3);
  EXPECT_EQ(cost(strength(f)).operations, (OperationCount{.multiplications = 2, .divisions = 1}));
  const Function single = of([](const auto& x) { return std::vector<Expr>{x[2] * (1.0 / x[1])}; }, 1);
  EXPECT_EQ(cost(strength(single)).operations, (OperationCount{.divisions = 1}));
}

TEST(Strength, SquaresOfRoots) {
  const Function f = of([](const auto& x) { return std::vector<Expr>{sqrt(x[0] * x[0]) * sqrt(x[0] * x[0])}; }, 1);
  EXPECT_TRUE(same_values(f, strength(f)));
  EXPECT_EQ(cost(strength(f)).operations, (OperationCount{.multiplications = 1}));
}

TEST(Reciprocals, ReplaceSeveralDivisionsByOne) {
  const Function f = of([](const auto& x) { return std::vector<Expr>{x[0] / x[3], x[1] / x[3], x[2] / x[3]}; }, 3);
  EXPECT_TRUE(same_values(f, reciprocals(f)));
  EXPECT_EQ(cost(reciprocals(f)).operations, (OperationCount{.multiplications = 3, .divisions = 1}));
}

}  // namespace strength_test
}  // namespace lw
