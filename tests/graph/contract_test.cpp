#include "graph/passes/contract.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace contract_test {

int fused(const Function& f) {
  int n = 0;
  for (const NodeId id : f.order()) n += f.graph()[id].op == Op::fma;
  return n;
}

TEST(Contract, HoldsOnAllSamples) {
  check_pass("contract", contract, [](const Function& f) { return operations(f); });
}

TEST(Contract, DoesNotIncreaseOperationsAndReducesTime) {
  for (const Method method : kMethods) {
    const Function f = trace_of("puma560", method), g = contract(f);
    EXPECT_EQ(cost(g).operations.multiplications, cost(f).operations.multiplications);
    EXPECT_LE(cost(g).operations.additions, cost(f).operations.additions);  // sums in one order may meet others
    EXPECT_TRUE(g.arithmetic().fused);
    EXPECT_LT(price(g, Objective::latency), 0.8 * price(f, Objective::latency));
  }
}

TEST(Contract, FusesOnlyProductsWithOneUse) {
  const Function f = trace("f", {{"x", 3}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    const Expr p = in[0][0] * in[0][1];
    out[0] = {p + in[0][2], p};
  });
  EXPECT_EQ(fused(contract(f)), 0);
}

TEST(Contract, FusesTheLatestProduct) {
  // a b + s c with s late: a b first, then s c onto it
  const Function f = trace("f", {{"x", 3}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    out[0][0] = sin(x[0]) * x[1] + x[1] * x[2];
  });
  const Function g = contract(f);
  const Node& n = g.graph()[g.results()[0]];
  ASSERT_EQ(n.op, Op::fma);
  EXPECT_EQ(g.graph()[n.c].op, Op::mul);
  EXPECT_TRUE(g.graph()[n.a].op == Op::sin || g.graph()[n.b].op == Op::sin);
}

TEST(Contract, KeepsSigns) {
  const Function f = trace("f", {{"x", 6}}, {{"y", 3}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    out[0] = {x[0] * x[1] - x[2] * x[3], -(x[0] * x[2]) - x[4] * x[5] - x[1],
              x[5] - x[0] * x[3] - (x[1] - x[2] * x[4])};
  });
  const Function g = contract(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(fused(g), 5);
}

}  // namespace contract_test
}  // namespace lw
