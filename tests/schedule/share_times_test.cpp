// Times of divided functions against sums made by hand: chains, messages that are waited for, calls in lanes.
#include "schedule/share_times.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "schedule/divided.hpp"
#include "schedule/grain.hpp"

namespace lw {
namespace share_times_test {

// Products and sums take 1, sines 10; a message 3, a call of the function 5.
Machine simple() {
  Machine m;
  m.multiplication = m.addition = 1.0;
  m.trigonometric = 10.0;
  m.start_up = 3.0;
  m.overhead = 5.0;
  return m;
}

// y = ((x s) s) s ..., so many products.
Function chain(const std::string& name, int length) {
  return trace(name, {{"x", 2}}, {{"y", 1}}, [&](const Arguments& in, Results& out) {
    Expr y = in[0][0];
    for (int k = 0; k < length; ++k) y = y * in[0][1];
    out[0][0] = y;
  });
}

TEST(ShareTimes, OneProcessorTakesItsOperationsAndWhatItWrites) {
  EXPECT_DOUBLE_EQ(time_on_one(chain("f", 7), simple()), 5.0 + 7.0 + 1.0);
  Machine wide = simple();
  wide.overlap = 2.0;
  EXPECT_DOUBLE_EQ(time_on_one(chain("f", 7), wide), 5.0 + (7.0 + 1.0) / 2.0);
}

// Four calls that do not wait for each other, of 6 products each; 2 arguments in and 1 result out count as additions.
TEST(ShareTimes, CallsThatRunInLanesTakeTheirRate) {
  const auto step = std::make_shared<const Function>(chain("step", 6));
  const Function f = trace("f", {{"x", 8}}, {{"y", 4}}, [&](const Arguments& in, Results& out) {
    for (std::size_t k = 0; k < 4; ++k) out[0][k] = in[0][0].graph()->call(step, {in[0][2 * k], in[0][2 * k + 1]})[0];
  });
  Machine m = simple();
  EXPECT_DOUBLE_EQ(time_on_one(f, m), 5.0 + 4.0 * 9.0 + 4.0);
  m.two_lanes = 1.5;
  m.four_lanes = 3.0;  // four calls at the price of 4/3
  EXPECT_DOUBLE_EQ(time_on_one(f, m), 5.0 + 4.0 * 9.0 / 3.0 + 4.0);
}

// Two chains of 400, summed at the end. Who is not processor 0 hears of the call 3 late, and its result is 3 on its
// way.
TEST(ShareTimes, TwoProcessorsWaitForTheirMessages) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    Expr a = in[0][0], b = in[0][1];
    for (int k = 0; k < 400; ++k) a = a * in[0][2], b = b * in[0][3];
    out[0][0] = a + b;
  });
  Machine m = simple();
  m.overhead = 0.0;
  PredictedTimes times;
  const DividedFunction divided = divide_over(f, m, 2, &times);
  EXPECT_DOUBLE_EQ(times.one, 801.0 + 1.0);
  EXPECT_DOUBLE_EQ(times.divided, time_of(divided, m));
  // a chain each, the message there and back, the sum: nothing is quicker; writing what is exchanged and what is shared
  // at the ends adds little
  EXPECT_GE(times.divided, 3.0 + 400.0 + 1.0);
  EXPECT_LE(times.divided, 3.0 + 400.0 + 3.0 + 1.0 + 10.0);
  EXPECT_LT(times.divided, times.one);
}

}  // namespace share_times_test
}  // namespace lw
