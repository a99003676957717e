#include "graph/passes/factoring.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace factoring_test {

TEST(Factoring, HoldsOnAllSamples) { check_pass("factoring", factoring, operations); }

TEST(Factoring, ExtractsTheMostFrequentFactor) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    out[0][0] = x[0] * x[1] + x[0] * x[2] + x[0] * x[3] + x[1] * x[2];
  });
  const Function g = factoring(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(g).operations, (OperationCount{.multiplications = 2, .additions = 3}));
}

TEST(Factoring, KeepsProductsWithOtherUses) {
  const Function f = trace("f", {{"x", 3}}, {{"y", 3}}, [](const Arguments& in, Results& out) {
    const Expr ab = in[0][0] * in[0][1], ac = in[0][0] * in[0][2];
    out[0] = {ab + ac, sin(ab), sin(ac)};
  });
  EXPECT_EQ(cost(factoring(f)).operations, cost(f).operations);
}

TEST(Factoring, SharesSumsAcrossFactors) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    out[0] = {x[0] * x[1] + x[0] * x[2], x[3] * x[1] + x[3] * x[2]};
  });
  const Function g = factoring(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(g).operations, (OperationCount{.multiplications = 2, .additions = 1}));
}

}  // namespace factoring_test
}  // namespace lw
