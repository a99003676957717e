#include "graph/schedule.hpp"

#include <fmt/format.h>

#include "graph/interpreter.hpp"
#include "graph/passes/contract.hpp"
#include "graph/passes/optimize.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace schedule_test {

TEST(Schedule, HoldsOnAllSamples) {
  check_pass(
      "schedule", [](const Function& f) { return schedule(f); },
      [](const Function& f) { return static_cast<double>(execution(f).cycles); });
}

TEST(Schedule, ChangesNoBit) {
  for (const Method method : kMethods) {
    const Function f = contract(trace_of("puma560", method)), g = schedule(f);
    std::vector<double> in(f.input_size(), 0.3), a(f.output_size()), b(a);
    evaluate<double>(f, in, a);
    evaluate<double>(g, in, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(cost(f).operations, cost(g).operations);
  }
}

TEST(Schedule, CountsLiveValues) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = in[0][0] * in[0][1] + in[0][2] * in[0][3];
  });
  EXPECT_EQ(execution(f).most_alive, 3);  // two products and their sum
  EXPECT_EQ(execution(f).cycles, 8);      // both products at once
  EXPECT_EQ(cycles(f), 8);
  Core one;
  one.ports = 1;
  EXPECT_EQ(cycles(f, one), 9);
  EXPECT_EQ(execution(f, one).cycles, 9);
}

TEST(Schedule, ReducesRegisterUse) {
  // forty squares, then their sum; or added up as they come
  const Function f = trace("f", {{"x", 40}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    std::vector<Expr> squares;
    for (std::size_t k = 0; k < 40; ++k) squares.push_back(in[0][k] * in[0][k]);
    for (std::size_t k = 1; k < 40; ++k) squares[0] += squares[k];
    out[0][0] = squares[0];
  });
  EXPECT_EQ(execution(f).most_alive, 41);
  EXPECT_EQ(execution(f).spills, 2 * (40 - 16));  // all that find no register, out and in again
  EXPECT_EQ(execution(schedule(f)).spills, 0);
}

TEST(Schedule, StartsWithTheCriticalPath) {
  // sixty sums that nothing waits for stand before a chain of six divisions
  const Function f = trace("f", {{"x", 70}}, {{"y", 61}}, [](const Arguments& in, Results& out) {
    for (std::size_t k = 0; k < 60; ++k) out[0][k] = (in[0][k] + in[0][k + 1]) * in[0][k + 2] + in[0][k + 3];
    Expr chain = in[0][0];
    for (std::size_t k = 0; k < 6; ++k) chain = in[0][k] / (2.0 + chain);
    out[0][60] = chain;
  });
  EXPECT_LT(execution(schedule(f)).cycles, execution(f).cycles);
  EXPECT_EQ(cycles(f), 6 * (Core{}.division + Core{}.arithmetic));
}

}  // namespace schedule_test
}  // namespace lw
