#include "graph/interpreter.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cmath>

#include "base/error.hpp"

namespace lw {
namespace interpreter_test {

// every elementary operation at least once
template <class T>
void everything(const T& x, const T& y, T* out) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::exp, std::log, std::sin, std::sqrt,
      std::tan, std::tanh;
  out[0] = (x + y) * (x - y) / (T(3.0) + x * x);
  out[1] = sin(x) * cos(y) + tan(x * T(0.3)) - (-y);
  out[2] = sqrt(T(1.0) + x * x) + exp(x * T(0.1)) + log(T(5.0) + y) + tanh(y);
  out[3] = asin(x * T(0.2)) + acos(y * T(0.2)) + atan(x) + atan2(y, x + T(7.0));
  out[4] = abs(x) + min(x, y) * max(x, T(0.25)) + select(less(x, y), x * y, x - y);
}
constexpr std::size_t kOutputs = 5;

Function traced_everything() {
  return trace("everything", {{"x", 1}, {"y", 1}}, {{"r", kOutputs}},
               [](const Arguments& in, Results& out) { everything(in[0][0], in[1][0], out[0].data()); });
}

RC_GTEST_PROP(Interpreter, GivesTheBitsOfTheOriginalCalculation, ()) {
  const double x = *rc::gen::inRange(-4000, 4000) / 1000.0, y = *rc::gen::inRange(-4000, 4000) / 1000.0;
  double expected[kOutputs], got[kOutputs];
  everything(x, y, expected);
  static Interpreter<double> interpret(traced_everything());
  interpret(std::vector<double>{x, y}, got);
  for (std::size_t k = 0; k < kOutputs; ++k) RC_ASSERT(expected[k] == got[k]);
}

RC_GTEST_PROP(Interpreter, DifferentiatesInDualsAndComplexSteps, ()) {
  const double x = *rc::gen::inRange(-4000, 4000) / 1000.0 + 1e-4, y = *rc::gen::inRange(-4000, 4000) / 1000.0;
  const Function f = traced_everything();
  Interpreter<Dual> dual(f);
  Interpreter<ComplexStep> complex(f);
  Dual d[kOutputs];
  ComplexStep c[kOutputs];
  dual(std::vector<Dual>{{x, 1.0}, {y, -2.0}}, d);
  complex(std::vector<ComplexStep>{{x, kComplexStep}, {y, -2.0 * kComplexStep}}, c);
  // a third method: central differences, good to 1e-7, away from kinks
  const double h = 1e-6;
  double up[kOutputs], down[kOutputs];
  everything(x + h, y - 2 * h, up);
  everything(x - h, y + 2 * h, down);
  const bool near_kink = std::abs(x) < 1e-3 || std::abs(x - y) < 1e-2 || std::abs(x - 0.25) < 1e-3;
  for (std::size_t k = 0; k < kOutputs; ++k) {
    RC_ASSERT(std::abs(d[k].d - derivative_of(c[k])) <= 1e-12 * (1.0 + std::abs(d[k].d)));
    if (!near_kink) RC_ASSERT(std::abs(d[k].d - (up[k] - down[k]) / (2 * h)) <= 1e-6 * (1.0 + std::abs(d[k].d)));
  }
}

TEST(Interpreter, InlinesIntoAnotherGraph) {
  const Function f = traced_everything();
  const Function again =
      trace("again", {{"x", 1}, {"y", 1}}, {{"r", kOutputs}}, [&](const Arguments& in, Results& out) {
        Interpreter<Expr> inline_it(f);
        inline_it(std::vector<Expr>{in[0][0], in[1][0]}, out[0]);
      });
  EXPECT_EQ(cost(again).operations, cost(f).operations);
  double expected[kOutputs], got[kOutputs];
  everything(0.3, -0.7, expected);
  evaluate<double>(again, std::vector<double>{0.3, -0.7}, got);
  for (std::size_t k = 0; k < kOutputs; ++k) EXPECT_EQ(expected[k], got[k]);
}

TEST(Interpreter, EvaluatesCalls) {
  const auto f = std::make_shared<Function>(traced_everything());
  const Function outer = trace("outer", {{"x", 1}, {"y", 1}}, {{"r", 1}}, [&](const Arguments& in, Results& out) {
    const auto first = in[0][0].graph()->call(f, {in[0][0], in[1][0]});
    const auto second = in[0][0].graph()->call(f, {first[0], first[1]});
    out[0][0] = second[2];
  });
  double inner[kOutputs], expected[kOutputs], got[1];
  everything(0.4, 1.1, inner);
  everything(inner[0], inner[1], expected);
  evaluate<double>(outer, std::vector<double>{0.4, 1.1}, got);
  EXPECT_EQ(got[0], expected[2]);
  EXPECT_EQ(cost(outer).operations.divisions, 2 * cost(*f).operations.divisions);
}

// x from  x + a sin x = b  (Kepler), whose derivatives are known in closed form
Function kepler(int steps) {
  const auto residual = std::make_shared<Function>(
      trace("kepler", {{"x", 1}, {"a", 1}, {"b", 1}}, {{"r", 1}},
            [](const Arguments& in, Results& out) { out[0][0] = in[0][0] + in[1][0] * sin(in[0][0]) - in[2][0]; }));
  return trace("solve", {{"a", 1}, {"b", 1}}, {{"x", 1}, {"r", 1}}, [=](const Arguments& in, Results& out) {
    const auto solution = in[0][0].graph()->solve(residual, {in[1][0]}, {in[0][0], in[1][0]}, steps);
    out[0] = solution.unknowns;
    out[1] = solution.residual;
  });
}

TEST(Interpreter, SolvesAndDifferentiatesByTheImplicitFunctionTheorem) {
  const Function f = kepler(6);
  double out[2];
  evaluate<double>(f, std::vector<double>{0.4, 1.3}, out);
  const double x = out[0];
  EXPECT_NEAR(x + 0.4 * std::sin(x), 1.3, 1e-15);
  EXPECT_NEAR(out[1], 0.0, 1e-15);
  // dx/da = −sin x / (1 + a cos x), dx/db = 1 / (1 + a cos x)
  Dual d[2];
  Interpreter<Dual> dual(f);
  dual(std::vector<Dual>{{0.4, 1.0}, {1.3, 0.0}}, d);
  EXPECT_NEAR(d[0].d, -std::sin(x) / (1.0 + 0.4 * std::cos(x)), 1e-14);
  dual(std::vector<Dual>{{0.4, 0.0}, {1.3, 1.0}}, d);
  EXPECT_NEAR(d[0].d, 1.0 / (1.0 + 0.4 * std::cos(x)), 1e-14);
  ComplexStep c[2];
  evaluate<ComplexStep>(f, std::vector<ComplexStep>{{0.4, kComplexStep}, {1.3, 0.0}}, c);
  EXPECT_NEAR(derivative_of(c[0]), -std::sin(x) / (1.0 + 0.4 * std::cos(x)), 1e-14);
}

// atan(x - b) = a from a guess at 0: whole steps go further away each time where |x - b| is beyond 1.39. And the same
// for two unknowns, the other twice the first.
TEST(Interpreter, ShortensDivergingNewtonSteps) {
  const auto residual = std::make_shared<Function>(
      trace("far", {{"x", 2}, {"a", 1}, {"b", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        out[0] = {atan(in[0][0] - in[2][0]) - in[1][0], in[0][1] - Expr(2.0) * in[0][0]};
      }));
  const auto solved = [&](int steps) {
    return trace("solve", {{"a", 1}, {"b", 1}}, {{"x", 2}, {"r", 2}}, [=](const Arguments& in, Results& out) {
      const auto solution = in[0][0].graph()->solve(residual, {Expr(0.0), Expr(0.0)}, {in[0][0], in[1][0]}, steps);
      out[0] = solution.unknowns;
      out[1] = solution.residual;
    });
  };
  const Function f = solved(30);
  for (const double b : {-5.0, -2.0, 1.0, 3.0, 8.0}) {
    for (const double a : {-0.7, 0.0, 0.7}) {
      const double x = b + std::tan(a);
      double out[4];
      evaluate<double>(f, std::vector<double>{a, b}, out);
      EXPECT_NEAR(out[0], x, 1e-13 * (1.0 + std::abs(x)));
      EXPECT_DOUBLE_EQ(out[1], 2.0 * out[0]);
      EXPECT_NEAR(out[2], 0.0, 1e-14);
      // dx/da = 1 + tan² a, dx/db = 1
      const double slope = 1.0 + std::pow(std::tan(a), 2);
      Dual d[4];
      evaluate<Dual>(f, std::vector<Dual>{{a, 1.0}, {b, 0.0}}, d);
      EXPECT_NEAR(d[0].d, slope, 1e-11 * slope);
      EXPECT_NEAR(d[1].d, 2.0 * slope, 1e-11 * slope);
      ComplexStep c[4];
      evaluate<ComplexStep>(f, std::vector<ComplexStep>{{a, 0.0}, {b, kComplexStep}}, c);
      EXPECT_NEAR(derivative_of(c[0]), 1.0, 1e-11);
    }
  }
  // one step is whole, whatever it leads to
  double out[4];
  evaluate<double>(solved(1), std::vector<double>{0.0, 5.0}, out);
  EXPECT_DOUBLE_EQ(out[0], 26.0 * std::atan(5.0));
}

// A circle and a line meet twice, at (a, b) and (b, a); det ∂r/∂(x, y) = 2 x − 2 y tells the one from the other.
TEST(Interpreter, DistinguishesBranchesOfSolutions) {
  const auto residual =
      std::make_shared<Function>(trace("meet", {{"x", 2}, {"p", 2}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1], a = in[1][0], b = in[1][1];
        out[0] = {x * x + y * y - (a * a + b * b), x + y - (a + b)};
      }));
  const Function f =
      trace("solve", {{"guess", 2}, {"p", 2}}, {{"x", 2}, {"sign", 1}}, [=](const Arguments& in, Results& out) {
        const auto solution = in[0][0].graph()->solve(residual, in[0], in[1], 20);
        out[0] = solution.unknowns;
        out[1] = {solution.orientation};
      });
  double out[3];
  for (const bool swapped : {false, true}) {
    evaluate<double>(f, swapped ? std::vector<double>{1.0, 5.0, 3.0, 4.0} : std::vector<double>{5.0, 1.0, 3.0, 4.0},
                     out);
    EXPECT_NEAR(out[0], swapped ? 3.0 : 4.0, 1e-13);
    EXPECT_NEAR(out[1], swapped ? 4.0 : 3.0, 1e-13);
    EXPECT_EQ(out[2], swapped ? -1.0 : 1.0);
  }
}

TEST(Interpreter, ReportsASingularNewtonStep) {
  const auto residual = std::make_shared<Function>(
      trace("flat", {{"x", 1}, {"b", 1}}, {{"r", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[1][0]; }));
  const Function f = trace("solve", {{"b", 1}}, {{"x", 1}}, [=](const Arguments& in, Results& out) {
    out[0] = in[0][0].graph()->solve(residual, {in[0][0]}, {in[0][0]}, 3).unknowns;
  });
  double out[1];
  EXPECT_THROW(evaluate<double>(f, std::vector<double>{1.0}, out), Error);
}

TEST(Cost, CountsLiveOperationsAndTheLongestPath) {
  const Function f = trace("f", {{"x", 3}}, {{"r", 1}}, [](const Arguments& in, Results& out) {
    const Expr unused = in[0][0] * in[0][2];
    (void)unused;
    const Expr product = in[0][0] * in[0][1];
    out[0][0] = -(sin(product) + product * in[0][2]);  // longest path: ×, × or sin, +
  });
  const FunctionCost c = cost(f);
  EXPECT_EQ(c.operations.multiplications, 2);
  EXPECT_EQ(c.operations.additions, 1);
  EXPECT_EQ(c.operations.trigonometric, 1);
  EXPECT_EQ(c.depth, 3);
}

}  // namespace interpreter_test
}  // namespace lw
