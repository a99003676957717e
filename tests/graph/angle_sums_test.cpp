#include "graph/passes/angle_sums.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace angle_sums_test {

TEST(AngleSums, HoldOnAllSamples) { check_pass("angle sums", angle_sums, operations); }

TEST(AngleSums, AreBuiltFromExistingParts) {
  const Function f = trace("f", {{"q", 3}}, {{"y", 12}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& q = in[0];
    const Expr both = q[0] + q[1], all = q[0] + (q[1] + q[2]), less = q[0] - q[1];
    out[0] = {sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1]), sin(q[2]), cos(q[2]),
              sin(both), cos(both), sin(all),  cos(all),  sin(less), cos(less)};
  });
  const Function g = angle_sums(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(f).operations.trigonometric, 12);
  // four products serve the sum and the difference, four more the sum of all three
  EXPECT_EQ(cost(g).operations, (OperationCount{.multiplications = 8, .additions = 6, .trigonometric = 6}));
}

TEST(AngleSums, ReplacePartsWithoutOtherUses) {
  for (const double sign : {1.0, -1.0}) {
    const Function f = trace("f", {{"q", 2}}, {{"y", 2}}, [&](const Arguments& in, Results& out) {
      const Expr a = in[0][0], b = in[0][1], k(sign);
      out[0] = {cos(a) * (k * sin(b)) + sin(a) * cos(b), cos(a) * cos(b) - k * (sin(a) * sin(b))};
    });
    const Function g = angle_sums(f);
    EXPECT_TRUE(same_values(f, g));
    EXPECT_EQ(cost(g).operations, (OperationCount{.additions = 1, .trigonometric = 2}));
  }
}

TEST(AngleSums, StayIfTheyAreCheaper) {
  const Function f = trace("f", {{"q", 2}}, {{"y", 5}}, [](const Arguments& in, Results& out) {
    const Expr sa = sin(in[0][0]), ca = cos(in[0][0]), sb = sin(in[0][1]), cb = cos(in[0][1]);
    out[0] = {sa * cb + ca * sb, sa, ca, sb, cb};
  });
  EXPECT_EQ(cost(angle_sums(f)).operations, cost(f).operations);
}

}  // namespace angle_sums_test
}  // namespace lw
