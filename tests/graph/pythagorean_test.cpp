#include "graph/passes/pythagorean.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace pythagorean_test {

OperationCount after(const std::function<Expr(const Expr& s, const Expr& c, const std::vector<Expr>& x)>& calculation) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 3}}, [&](const Arguments& in, Results& out) {
    const Expr s = sin(in[0][0]), c = cos(in[0][0]);
    out[0] = {calculation(s, c, in[0]), s, c};
  });
  const Function g = pythagorean(f);
  EXPECT_TRUE(same_values(f, g));
  return cost(g).operations;
}
constexpr OperationCount operations_of(int multiplications, int additions) {
  return {.multiplications = multiplications, .additions = additions, .trigonometric = 2};
}

TEST(Pythagorean, HoldsOnAllSamples) { check_pass("pythagorean", pythagorean, operations); }

TEST(Pythagorean, OneOfSquares) {
  EXPECT_EQ(after([](const Expr& s, const Expr& c, const auto&) { return s * s + c * c; }), operations_of(0, 0));
  EXPECT_EQ(after([](const Expr& s, const Expr& c, const auto& x) { return s * s * x[1] + x[2] + c * c * x[1]; }),
            operations_of(0, 1));
  EXPECT_EQ(
      after([](const Expr& s, const Expr& c, const auto& x) { return s * x[1] * (s * x[1]) + c * x[1] * (c * x[1]); }),
      operations_of(1, 0));
  EXPECT_EQ(after([](const Expr& s, const Expr&, const auto& x) { return x[1] - s * s * x[1]; }), operations_of(2, 0));
}

TEST(Pythagorean, RotationsKeepLengths) {
  // a² + b² is there: the turned squares, which nothing else needs, are not
  const Function f = trace("f", {{"x", 3}}, {{"y", 4}}, [](const Arguments& in, Results& out) {
    const Expr s = sin(in[0][0]), c = cos(in[0][0]), a = in[0][1], b = in[0][2];
    const Expr x = c * a + s * b, y = c * b - s * a;
    out[0] = {x, y, x * x + y * y, a * a + b * b};
  });
  const Function g = pythagorean(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(g).operations, operations_of(6, 3));
}

TEST(Pythagorean, OtherSignsAreNotSimplified) {
  const Function f = trace("f", {{"x", 3}}, {{"y", 4}}, [](const Arguments& in, Results& out) {
    const Expr s = sin(in[0][0]), c = cos(in[0][0]), a = in[0][1], b = in[0][2];
    const Expr x = c * a + s * b, y = c * b + s * a;
    out[0] = {x, y, x * x + y * y, a * a + b * b};
  });
  EXPECT_EQ(cost(pythagorean(f)).operations, cost(f).operations);
}

}  // namespace pythagorean_test
}  // namespace lw
