#include "graph/tangent.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "graph/interpreter.hpp"

namespace lw {
namespace tangent_test {

// every elementary operation, also within a call
Function everything() {
  const auto inner = std::make_shared<Function>(
      trace("inner", {{"x", 1}, {"y", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        out[0] = {in[0][0] * in[1][0] + sin(in[0][0]), fma(in[0][0], in[1][0], in[0][0])};
      }));
  return trace("everything", {{"x", 1}, {"y", 1}}, {{"r", 7}}, [&](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[1][0];
    const std::vector<Expr> called = x.graph()->call(inner, {x - y, y * y});
    out[0] = {(x + y) * (x - y) / (Expr(3.0) + x * x),
              sin(x) * cos(y) + tan(x * Expr(0.3)) - (-y),
              sqrt(Expr(1.0) + x * x) + exp(x * Expr(0.1)) + log(Expr(5.0) + y) + tanh(y),
              asin(x * Expr(0.2)) + acos(y * Expr(0.2)) + atan(x) + atan2(y, x + Expr(7.0)),
              abs(x) + min(x, y) * max(x, Expr(0.25)) + select(less(x, y), x * y, x - y),
              called[0],
              called[1]};
  });
}

TEST(Tangent, GivesTheDerivativesOfDualsAndComplexSteps) {
  const Function f = everything(), df = tangent(f, 2);
  ASSERT_EQ(df.input_size(), 4u);
  Interpreter<double> derivative(df);
  Interpreter<Dual> dual(f);
  Interpreter<ComplexStep> complex(f);
  Random random(4);
  for (int k = 0; k < 1000; ++k) {
    const double x = random.between(-4.0, 4.0), y = random.between(-4.0, 4.0), dx = random.between(-1.0, 1.0),
                 dy = random.between(-1.0, 1.0);
    std::vector<double> d(7);
    std::vector<Dual> by_dual(7);
    std::vector<ComplexStep> by_step(7);
    derivative(std::vector<double>{x, y, dx, dy}, d);
    dual(std::vector<Dual>{{x, dx}, {y, dy}}, by_dual);
    complex(std::vector<ComplexStep>{{x, kComplexStep * dx}, {y, kComplexStep * dy}}, by_step);
    for (std::size_t i = 0; i < d.size(); ++i) {
      const double size = 1.0 + std::abs(d[i]);
      EXPECT_NEAR(d[i], by_dual[i].d, 1e-13 * size);
      EXPECT_NEAR(d[i], derivative_of(by_step[i]), 1e-12 * size);
    }
  }
}

// x + a sin x = b: dx/da = −sin x / (1 + a cos x), dx/db = 1 / (1 + a cos x)
TEST(Tangent, DifferentiatesANewtonIterationByTheImplicitFunctionTheorem) {
  const auto residual = std::make_shared<Function>(
      trace("kepler", {{"x", 1}, {"a", 1}, {"b", 1}}, {{"r", 1}},
            [](const Arguments& in, Results& out) { out[0][0] = in[0][0] + in[1][0] * sin(in[0][0]) - in[2][0]; }));
  const Function f = trace("solve", {{"a", 1}, {"b", 1}}, {{"x", 1}}, [=](const Arguments& in, Results& out) {
    out[0] = in[0][0].graph()->solve(residual, {in[1][0]}, {in[0][0], in[1][0]}, 8).unknowns;
  });
  double x = 0.0, da = 0.0, db = 0.0;
  evaluate<double>(f, std::vector<double>{0.4, 1.3}, {&x, 1});
  const Function df = tangent(f, 2);
  evaluate<double>(df, std::vector<double>{0.4, 1.3, 1.0, 0.0}, {&da, 1});
  evaluate<double>(df, std::vector<double>{0.4, 1.3, 0.0, 1.0}, {&db, 1});
  EXPECT_NEAR(da, -std::sin(x) / (1.0 + 0.4 * std::cos(x)), 1e-14);
  EXPECT_NEAR(db, 1.0 / (1.0 + 0.4 * std::cos(x)), 1e-14);
}

TEST(Tangent, LeavesInputsBehindTheDirectionsConstant) {
  const Function df = tangent(everything(), 1);
  ASSERT_EQ(df.input_size(), 3u);
  std::vector<double> one(7), both(7);
  evaluate<double>(df, std::vector<double>{0.3, 0.8, 1.0}, one);
  evaluate<double>(tangent(everything(), 2), std::vector<double>{0.3, 0.8, 1.0, 0.0}, both);
  EXPECT_EQ(one, both);
}

}  // namespace tangent_test
}  // namespace lw
