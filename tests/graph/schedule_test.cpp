#include "graph/passes/schedule.hpp"

#include <fmt/format.h>

#include "graph/interpreter.hpp"
#include "graph/passes/contract.hpp"
#include "graph/passes/optimize.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace {

TEST(Schedule, HoldsOnAllSamples) {
  check_pass("schedule", [](const Function& f) { return schedule(f); },
             [](const Function& f) { return static_cast<double>(spills(f)); });
}

TEST(Schedule, ChangesNoBit) {
  for (const Road road : kRoads) {
    const Function f = contract(trace_of("puma560", road)), g = schedule(f);
    std::vector<double> in(f.input_size(), 0.3), a(f.output_size()), b(a);
    evaluate<double>(f, in, a);
    evaluate<double>(g, in, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(cost(f).operations, cost(g).operations);
  }
}

TEST(Schedule, CountsValuesAlive) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = in[0][0] * in[0][1] + in[0][2] * in[0][3];
  });
  EXPECT_EQ(most_alive(f), 3);  // two products and their sum
  EXPECT_EQ(cycles(f), 8);      // both products at once
  Machine one;
  one.ports = 1;
  EXPECT_EQ(cycles(f, one), 9);
}

TEST(Schedule, TakesOneOfTwoBranchesAfterTheOther) {
  // 40 products of neighbours, added up as they come or all at the end
  const Function f = trace("f", {{"x", 80}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    std::vector<Expr> products;
    for (std::size_t k = 0; k < 80; k += 2) products.push_back(in[0][k] * in[0][k + 1]);
    for (std::size_t k = 1; k < products.size(); ++k) products[0] += products[k];
    out[0][0] = products[0];
  });
  EXPECT_GE(most_alive(f), 40);
  EXPECT_EQ(spills(f), 2 * (40 - 16));  // all that find no register, out and in again
  EXPECT_LE(most_alive(schedule(f)), 16);
  EXPECT_EQ(spills(schedule(f)), 0);
}

}  // namespace
}  // namespace lw
