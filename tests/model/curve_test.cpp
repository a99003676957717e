// Curves against what they promise: exact at their points, without wiggles, slope and integral those of the values.
#include "model/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "graph/interpreter.hpp"

namespace lw {
namespace curve_test {

using Ends = Curve<double>::Ends;

struct Points {
  std::vector<double> x, y;
};
Points random_points(Random& random, int count) {
  Points p;
  double x = random.between(-2.0, 0.0);
  for (int k = 0; k < count; ++k) {
    p.x.push_back(x);
    p.y.push_back(random.between(-3.0, 3.0));
    x += random.between(0.05, 1.0);
  }
  return p;
}

// Every sort of curve: straight and cubic, 1 to 7 points, both kinds of ends.
template <class Test>
void for_each_curve(const Test& test) {
  Random random(11);
  for (int count = 1; count <= 7; ++count) {
    for (const bool cubic : {false, true}) {
      for (const Ends ends : {Ends::constant, Ends::straight}) {
        const Points p = random_points(random, count);
        test(Curve<double>(p.x, p.y, cubic, ends), p, cubic, ends);
      }
    }
  }
}

TEST(Curve, PassesThroughItsPoints) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool, Ends) {
    for (std::size_t k = 0; k < p.x.size(); ++k) EXPECT_NEAR(curve(p.x[k]), p.y[k], 1e-13);
  });
}

// Between two points it stays between their values and turns nowhere; the straight one is the chord.
TEST(Curve, IsMonotoneBetweenItsPoints) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool cubic, Ends) {
    for (std::size_t k = 0; k + 1 < p.x.size(); ++k) {
      const double h = p.x[k + 1] - p.x[k], rise = p.y[k + 1] - p.y[k];
      double before = p.y[k];
      for (int i = 1; i <= 50; ++i) {
        const double part = i / 50.0, value = curve(p.x[k] + part * h);
        EXPECT_GE((value - before) * rise, -1e-12);
        if (!cubic) {
          EXPECT_NEAR(value, p.y[k] + part * rise, 1e-12);
        }
        before = value;
      }
    }
  });
}

TEST(Curve, TheSlopeOfACubicIsContinuousAndZeroAtTurns) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool cubic, Ends) {
    if (!cubic) return;
    for (std::size_t k = 1; k + 1 < p.x.size(); ++k) {
      const double below = curve.slope(p.x[k] - 1e-12), above = curve.slope(p.x[k] + 1e-12);
      EXPECT_NEAR(below, above, 1e-6 * (1.0 + std::abs(above)));
      if ((p.y[k] - p.y[k - 1]) * (p.y[k + 1] - p.y[k]) < 0.0) {
        EXPECT_NEAR(curve.slope(p.x[k]), 0.0, 1e-12);
      }
    }
  });
}

// A cubic through points of a parabola or line reproduces what three points tell: its slope at the ends and a line
// entirely.
TEST(Curve, ACubicThroughALineIsTheLine) {
  const Curve<double> line({0.0, 0.3, 1.0, 1.1}, {1.0, 1.6, 3.0, 3.2}, true, Ends::straight);
  for (double x = -1.0; x < 2.0; x += 0.01) {
    EXPECT_NEAR(line(x), 1.0 + 2.0 * x, 1e-13);
    EXPECT_NEAR(line.slope(x), 2.0, 1e-12);
  }
}

TEST(Curve, TheSlopeIsTheDerivative) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool cubic, Ends ends) {
    std::vector<ComplexStep> x(p.x.begin(), p.x.end()), y(p.y.begin(), p.y.end());
    const Curve<ComplexStep> stepped(x, y, cubic, static_cast<Curve<ComplexStep>::Ends>(ends));
    for (double place = p.x.front() - 1.03; place < p.x.back() + 1.0; place += 0.0573) {
      const double slope = derivative_of(stepped(ComplexStep(place, kComplexStep)));
      EXPECT_NEAR(curve.slope(place), slope, 1e-12 * (1.0 + std::abs(slope)));
    }
  });
}

// Gauss-Legendre with three points, exact for the cubic pieces; pieces are cut at their ends.
double quadrature(const Curve<double>& curve, double from, double to) {
  const double half = 0.5 * (to - from), middle = 0.5 * (from + to), off = half * std::sqrt(0.6);
  return half / 9.0 * (5.0 * curve(middle - off) + 8.0 * curve(middle) + 5.0 * curve(middle + off));
}

TEST(Curve, TheIntegralIsTheArea) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool, Ends) {
    EXPECT_NEAR(curve.integral(p.x[0]), 0.0, 1e-14);
    EXPECT_NEAR(curve.integral(p.x[0] - 1.5), quadrature(curve, p.x[0], p.x[0] - 1.5), 1e-12);
    double sum = 0.0;
    for (std::size_t k = 0; k + 1 < p.x.size(); ++k) {
      const double middle = 0.5 * (p.x[k] + p.x[k + 1]);
      EXPECT_NEAR(curve.integral(middle), sum + quadrature(curve, p.x[k], middle), 1e-12);
      sum += quadrature(curve, p.x[k], p.x[k + 1]);
      EXPECT_NEAR(curve.integral(p.x[k + 1]), sum, 1e-12);
    }
    EXPECT_NEAR(curve.integral(p.x.back() + 0.7), sum + quadrature(curve, p.x.back(), p.x.back() + 0.7), 1e-12);
  });
}

TEST(Curve, EndsAreConstantOrLinear) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool, Ends ends) {
    const double a = p.x.front(), b = p.x.back();
    if (ends == Ends::constant || p.x.size() == 1) {
      EXPECT_NEAR(curve(a - 5.0), p.y.front(), 1e-13);
      EXPECT_NEAR(curve(b + 5.0), p.y.back(), 1e-13);
    } else {
      const double before = curve.slope(a + 1e-9), after = curve.slope(b - 1e-9);
      EXPECT_NEAR(curve(a - 5.0), p.y.front() - 5.0 * before, 1e-6 * (1.0 + std::abs(before)));
      EXPECT_NEAR(curve(b + 5.0), p.y.back() + 5.0 * after, 1e-6 * (1.0 + std::abs(after)));
    }
  });
}

// Traced, it is the same function: its pieces are chosen by comparisons.
TEST(Curve, TracedItGivesTheSameBits) {
  for_each_curve([](const Curve<double>& curve, const Points& p, bool cubic, Ends ends) {
    const Function f = trace("curve", {{"x", 1}}, {{"y", 3}}, [&](const Arguments& in, Results& out) {
      const Curve<Expr> traced({p.x.begin(), p.x.end()}, {p.y.begin(), p.y.end()}, cubic,
                               static_cast<Curve<Expr>::Ends>(ends));
      out[0][0] = traced(in[0][0]);
      out[0][1] = traced.slope(in[0][0]);
      out[0][2] = traced.integral(in[0][0]);
    });
    std::vector<double> found(3);
    for (double x = p.x.front() - 0.5; x < p.x.back() + 0.5; x += 0.031) {
      evaluate<double>(f, std::vector<double>{x}, found);
      EXPECT_EQ(found, (std::vector<double>{curve(x), curve.slope(x), curve.integral(x)}));
    }
  });
}

}  // namespace curve_test
}  // namespace lw
