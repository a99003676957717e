#include "graph/passes/balance.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace balance_test {

double depth(const Function& f) { return price(f, Objective::depth); }

TEST(Balance, HoldsOnAllSamples) {
  check_pass("balance", balance, depth);
  for (const Method method : kMethods) {
    const Function f = trace_of("puma560", method);
    EXPECT_LE(operations(balance(f)), kBalanceFactor * operations(f));
  }
}

TEST(Balance, LowersChains) {
  const Function f = trace("f", {{"x", 16}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    Expr sum = in[0][0], product = in[0][0];
    for (std::size_t k = 1; k < 16; ++k) {
      sum += in[0][k];
      product *= in[0][k];
    }
    out[0] = {sum, product};
  });
  const Function g = balance(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(depth(f), 15);
  EXPECT_EQ(depth(g), 4);
  EXPECT_EQ(operations(g), operations(f));
}

TEST(Balance, AddsLateOperandsLast) {
  // √√√x is three deep, and one addition behind it is all it needs
  const Function f = trace("f", {{"x", 9}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    Expr sum = sqrt(sqrt(sqrt(in[0][0] * in[0][0])));
    for (std::size_t k = 1; k < 9; ++k) sum += in[0][k];
    out[0][0] = sum;
  });
  EXPECT_EQ(depth(balance(f)), 5);
}

}  // namespace balance_test
}  // namespace lw
