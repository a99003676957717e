// Solves that bring their step along, angles that know their sines, and what does not depend on the unknowns taken out
// of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/adjoint.hpp"
#include "graph/hoist.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/passes/optimize.hpp"
#include "graph/rewrite.hpp"
#include "graph/tangent.hpp"

namespace lw {
namespace own_steps_test {

// x² + y = a, x y = b: Newton's step by Cramer's rule
struct Pair {
  std::shared_ptr<const Function> residual, step;
};
Pair pair_of_equations() {
  const auto r = [](const Arguments& in) {
    return std::vector<Expr>{in[0][0] * in[0][0] + in[0][1] - in[1][0], in[0][0] * in[0][1] - in[1][1]};
  };
  const std::vector<Group> inputs{{"x", 2}, {"p", 2}};
  return {std::make_shared<const Function>(
              trace("pair", inputs, {{"r", 2}}, [r](const Arguments& in, Results& out) { out[0] = r(in); })),
          std::make_shared<const Function>(
              trace("pair-step", inputs, {{"step", 2}}, [r](const Arguments& in, Results& out) {
                const Expr &x = in[0][0], &y = in[0][1], det = Expr(2.0) * x * x - y;
                const std::vector<Expr> left = r(in);
                out[0] = {(left[0] * x - left[1]) / det, (Expr(2.0) * x * left[1] - y * left[0]) / det};
              }))};
}

Function solved(int steps, bool own) {
  const Pair pair = pair_of_equations();
  return trace(
      "solve", {{"a", 1}, {"b", 1}}, {{"x", 2}, {"r", 2}, {"product", 1}}, [=](const Arguments& in, Results& out) {
        const Expr a = in[0][0] * in[0][0], b = in[1][0] + in[0][0];
        const auto s =
            in[0][0].graph()->solve(pair.residual, {Expr(1.0), Expr(0.5)}, {a, b}, steps, own ? pair.step : nullptr);
        out[0] = s.unknowns;
        out[1] = s.residual;
        out[2][0] = s.unknowns[0] * sin(s.unknowns[1]) * in[1][0];
      });
}

const std::vector<double> kPoint{1.25, -0.65};  // a solution near the guess

TEST(OwnSteps, LeadToTheSameSolution) {
  std::vector<double> by_own(5), by_pivots(5);
  evaluate<double>(solved(8, true), kPoint, by_own);
  evaluate<double>(solved(20, false), kPoint, by_pivots);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(by_own[k], by_pivots[k], 1e-14);
  EXPECT_NEAR(by_own[0] * by_own[0] + by_own[1], 1.5625, 1e-14);
  EXPECT_NEAR(by_own[0] * by_own[1], 0.6, 1e-14);
}

TEST(OwnSteps, RunTheGivenNumberOfTimes) {
  std::vector<double> one(5), two(5);
  evaluate<double>(solved(1, true), kPoint, one);
  // by hand: r = (1 + 0.5 − 1.5625, 0.5 − 0.6), det = 1.5
  EXPECT_NEAR(one[0], 1.0 - (-0.0625 + 0.1) / 1.5, 1e-15);
  EXPECT_NEAR(one[1], 0.5 - (2.0 * -0.1 + 0.5 * 0.0625) / 1.5, 1e-15);
  evaluate<double>(solved(2, true), kPoint, two);
  EXPECT_NE(one[0], two[0]);
}

TEST(OwnSteps, DifferentiateByTheImplicitFunctionTheoremInAllModes) {
  const Function f = solved(9, true);
  std::vector<std::vector<double>> expected(2, std::vector<double>(5));
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<ComplexStep> x(kPoint.begin(), kPoint.end()), y(5);
    x[k].im = kComplexStep;
    evaluate<ComplexStep>(f, x, y);
    for (std::size_t r = 0; r < 5; ++r) expected[k][r] = r == 2 || r == 3 ? 0.0 : derivative_of(y[r]);
  }
  for (const Elimination order : kEliminations) {
    std::vector<double> J(10);
    evaluate<double>(jacobian(f, {}, order), kPoint, J);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(J[k], expected[k / 5][k % 5], 1e-13) << k;
  }
  const Function t = tangent(f, 2), back = adjoint(f);
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> in = kPoint, out(5);
    in.insert(in.end(), {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0});
    evaluate<double>(t, in, out);
    for (std::size_t r = 0; r < 5; ++r) EXPECT_NEAR(out[r], expected[k][r], 1e-13);
  }
  for (const std::size_t r : {0u, 1u, 4u}) {
    std::vector<double> in = kPoint, out(2);
    for (std::size_t i = 0; i < 5; ++i) in.push_back(i == r ? 1.0 : 0.0);
    evaluate<double>(back, in, out);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(out[k], expected[k][r], 1e-13);
  }
}

TEST(OwnSteps, SurvivePassesAndAreCountedPerStep) {
  const Function f = solved(6, true), g = optimize(f, Objective::operations);
  std::vector<double> a(5), b(5);
  evaluate<double>(f, kPoint, a);
  evaluate<double>(g, kPoint, b);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(a[k], b[k], 1e-14);
  const Pair pair = pair_of_equations();
  const auto divisions = [](const Function& h) { return cost(h).operations.divisions; };
  EXPECT_EQ(divisions(f), 6 * divisions(*pair.step));
  EXPECT_EQ(divisions(*pair.step), 2);
  // the residual counts once, where it is asked for
  const auto multiplications = [](const Function& h) { return cost(h).operations.multiplications; };
  EXPECT_EQ(multiplications(f), 1 + 2 + 6 * multiplications(*pair.step) + multiplications(*pair.residual));
}

TEST(KnownAngles, NeedNoSines) {
  const Function f = trace("angles", {{"t", 1}, {"q", 1}}, {{"y", 5}}, [](const Arguments& in, Results& out) {
    const Expr t = in[0][0], w = Expr(1.0) / (Expr(1.0) + t * t), c = w + w - Expr(1.0), s = t * (w + w),
               angle = atan(t) + atan(t);
    in[0][0].graph()->know_angle(angle, s, c);
    out[0] = {sin(angle), cos(-angle), sin(angle + Expr(0.3)), cos(in[1][0] - angle), sin(-angle - in[1][0])};
  });
  std::vector<double> y(5);
  const double t = 0.37, q = 0.9, a = 2.0 * std::atan(t);
  evaluate<double>(f, std::vector<double>{t, q}, y);
  EXPECT_NEAR(y[0], std::sin(a), 1e-15);
  EXPECT_NEAR(y[1], std::cos(a), 1e-15);
  EXPECT_NEAR(y[2], std::sin(a + 0.3), 1e-15);
  EXPECT_NEAR(y[3], std::cos(q - a), 1e-15);
  EXPECT_NEAR(y[4], std::sin(-a - q), 1e-15);
  EXPECT_EQ(cost(f).operations.trigonometric, 2);  // sine and cosine of q alone
}

TEST(Hoist, KeepsInsideWhatDependsOnTheUnknowns) {
  const Function f = trace("f", {{"x", 1}, {"p", 2}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    const Expr &x = in[0][0], outside = sin(in[1][0]) * in[1][1] + Expr(2.0);
    out[0] = {x * outside - in[1][1], -(outside * outside)};
  });
  std::vector<double> direct(2), through(2);
  const std::vector<double> at{0.7, 0.4, -1.1};
  evaluate<double>(f, at, direct);
  const Function g = trace("g", {{"x", 1}, {"p", 2}}, {{"y", 2}}, [&](const Arguments& in, Results& out) {
    const Hoisted h = hoisted(f, 1, in[1]);
    EXPECT_EQ(cost(h.inner).operations.trigonometric, 0);
    EXPECT_EQ(cost(h.inner).operations.multiplications, 1);  // the square is computed outside
    std::vector<Expr> x = in[0];
    x.insert(x.end(), h.arguments.begin(), h.arguments.end());
    evaluate<Expr>(h.inner, x, out[0]);
  });
  evaluate<double>(g, at, through);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(direct[k], through[k]);
}

}  // namespace own_steps_test
}  // namespace lw
