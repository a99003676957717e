#include "graph/passes/linear.hpp"

#include "graph/objective.hpp"
#include "graph/passes/extraction.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace linear_test {

OperationCount count_of(const std::function<void(const std::vector<Expr>&, std::vector<Expr>&)>& calculation,
                        std::size_t outputs) {
  const Function f =
      trace("f", {{"x", 4}}, {{"y", outputs}}, [&](const Arguments& in, Results& out) { calculation(in[0], out[0]); });
  const Function g = linear(f);
  EXPECT_TRUE(same_values(f, g));
  return cost(g).operations;
}

TEST(Linear, HoldsOnAllSamples) { check_pass("linear", linear, operations); }

TEST(Linear, CollectsLikeTerms) {
  const OperationCount c = count_of([](const auto& x, auto& y) { y[0] = x[0] + x[1] - (x[0] - x[1]); }, 1);
  EXPECT_EQ(c.additions + c.multiplications, 1);  // 2 x
  EXPECT_EQ(count_of([](const auto& x, auto& y) { y[0] = (x[0] + x[1]) - x[0] - x[1] + x[2]; }, 1), OperationCount{});
}

TEST(Linear, MultipliesConstantChains) {
  EXPECT_EQ(count_of([](const auto& x, auto& y) { y[0] = 3.0 * (5.0 * x[0]); }, 1).multiplications, 1);
  EXPECT_EQ(count_of([](const auto& x, auto& y) { y[0] = 3.0 * x[0] + 5.0 * x[0]; }, 1),
            (OperationCount{.multiplications = 1}));
}

TEST(Linear, FactorsOutConstants) {
  const OperationCount c = count_of([](const auto& x, auto& y) { y[0] = 3.0 * x[0] + 3.0 * x[1] - 3.0 * x[2]; }, 1);
  EXPECT_EQ(c.multiplications, 1);
  EXPECT_EQ(c.additions, 2);
}

TEST(Linear, SharesPartialSumsUpToSignAndScale) {
  const OperationCount c = count_of(
      [](const auto& x, auto& y) {
        y[0] = x[0] + x[2] + x[1];
        y[1] = x[3] - x[0] - x[1];
        y[2] = x[2] * x[3] + 2.0 * x[0] + 2.0 * x[1];
      },
      3);
  EXPECT_EQ(c.additions, 4);
  EXPECT_EQ(c.multiplications, 2);
}

TEST(Linear, SignsCostNothing) {
  const OperationCount c = count_of(
      [](const auto& x, auto& y) {
        y[0] = x[0] + x[1];
        y[1] = -x[0] - x[1];
        y[2] = (x[2] - x[3]) * (x[3] - x[2]);
      },
      3);
  EXPECT_EQ(c, (OperationCount{.multiplications = 1, .additions = 2}));
}

TEST(Linear, MergesConstantsThatDifferByRoundingOnRequest) {
  const Function f = trace("f", {{"x", 2}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = 0.3 * in[0][0] + (0.1 + 0.2) * in[0][1];  // 0.1 + 0.2 is the double after 0.3
  });
  EXPECT_EQ(cost(linear(f)).operations.multiplications, 2);
  const Function g = extracted(f, {}, {.snap = 1e-15});
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(g).operations.multiplications, 1);
}

}  // namespace linear_test
}  // namespace lw
