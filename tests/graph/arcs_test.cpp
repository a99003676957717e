// Angles of points by the kernel that generated code contains, against the C library's in the next wider precision and
// against what IEEE 754 says about zeros.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "graph/interpreter.hpp"
#include "graph/kernels/sincos.hpp"

namespace lw {
namespace arcs_test {

struct Points {
  std::vector<double> y, x;

  void add(double of_y, double of_x) {
    y.push_back(of_y);
    x.push_back(of_x);
  }
};

double worst_ulp(const Points& p, bool fused) {
  std::vector<double> a(p.x.size());
  arcs(p.y, p.x, a, fused);
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double exact = std::atan2(static_cast<long double>(p.y[k]), static_cast<long double>(p.x[k]));
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<double>::min_exponent);
    const long double error = std::abs(static_cast<long double>(a[k]) - exact);
    worst = std::max(worst, static_cast<double>(std::ldexp(error, std::numeric_limits<double>::digits - exponent)));
  }
  return worst;
}

class Arcs : public ::testing::TestWithParam<bool> {
 protected:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  std::mt19937_64 random_{7};
  // half a unit of the outer rounding, without fused operations also the quotient's and its denominator's
  double bound_ = GetParam() ? 1.0 : 1.6;
};
INSTANTIATE_TEST_SUITE_P(Fused, Arcs, ::testing::Values(false, true));

TEST_P(Arcs, AreWithinAnUlpAllAround) {
  Points p;
  for (int k = 0; k < 1000000; ++k) {
    const double y = between(-1.0, 1.0), x = between(-1.0, 1.0);
    p.add(y, x);
  }
  EXPECT_LE(worst_ulp(p, GetParam()), bound_);
}

TEST_P(Arcs, AreWithinAnUlpWhereTheOctantAndTheFormulaChange) {
  Points p;
  for (const double at : {0.5, 1.0, 2.0}) {
    for (int k = 0; k < 100000; ++k) {
      const double x = between(-1.0, 1.0), off = std::ldexp(between(-1.0, 1.0), -(k % 53));
      p.add(x * at * (1.0 + off), x);
    }
    for (const double sign : {1.0, -1.0}) {
      for (double y = sign * at, k = 0; k < 4; ++k, y = std::nextafter(y, 4.0)) p.add(y, 1.0);
      for (double y = sign * at, k = 0; k < 4; ++k, y = std::nextafter(y, -4.0)) p.add(y, -1.0);
    }
  }
  EXPECT_LE(worst_ulp(p, GetParam()), bound_);
}

// Any two numbers, subnormal ones and those whose sum would be too large among them.
TEST_P(Arcs, AreWithinAnUlpForNumbersOfAllSizes) {
  Points p;
  for (int k = 0; k < 1000000; ++k) {
    const double y = std::bit_cast<double>(random_()), x = std::bit_cast<double>(random_());
    if (std::isfinite(y) && std::isfinite(x)) p.add(y, x);
  }
  const double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const double y : {largest, -largest, 0.6 * largest, least, 3.0 * least, -least, 1e-310}) {
    for (const double x : {largest, -largest, 0.9 * largest, least, -2.0 * least, 1e-309, 1.0}) p.add(y, x);
  }
  EXPECT_LE(worst_ulp(p, GetParam()), bound_);
}

TEST_P(Arcs, KeepTheSignsOfZeros) {
  const double values[] = {0.0, -0.0, 1.0, -1.0};
  for (const double y : values) {
    for (const double x : values) {
      double a = 0.0;
      arcs({&y, 1}, {&x, 1}, {&a, 1}, GetParam());
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(std::atan2(y, x))) << y << " " << x;
    }
  }
}

TEST_P(Arcs, TreatInfinityAsTheLargestNumber) {
  const double infinity = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  const auto angle = [&](double y, double x) {
    double a = 0.0;
    arcs({&y, 1}, {&x, 1}, {&a, 1}, GetParam());
    return a;
  };
  for (const double x : {infinity, -infinity, 1.0, -3.0, 0.0}) {
    EXPECT_EQ(angle(infinity, x), std::atan2(infinity, x)) << x;
    EXPECT_EQ(angle(-infinity, x), std::atan2(-infinity, x)) << x;
  }
  EXPECT_EQ(angle(1.0, -infinity), std::atan2(1.0, -infinity));
  EXPECT_EQ(angle(largest, infinity), angle(largest, largest));
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double other : {none, 0.0, -2.0, infinity}) {
    EXPECT_TRUE(std::isnan(angle(none, other))) << other;
    EXPECT_TRUE(std::isnan(angle(other, none))) << other;
  }
}

TEST_P(Arcs, HaveTheSameBitsSinglyAndInVectors) {
  Points p;
  for (int k = 0; k < 1003; ++k) {
    const double y = between(-3.0, 3.0), x = between(-3.0, 3.0);
    p.add(y, x);
  }
  std::vector<double> row(p.x.size());
  arcs(p.y, p.x, row, GetParam());
  for (std::size_t k = 0; k < row.size(); ++k) {
    double a = 0.0;
    arcs({&p.y[k], 1}, {&p.x[k], 1}, {&a, 1}, GetParam());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(row[k]));
  }
}

// The interpreter asks the kernel where generated code does, and the library where it is told so.
TEST_P(Arcs, AreWhatTheInterpreterComputes) {
  const Function f = trace("f", {{"p", 2}}, {{"a", 2}}, [](const Arguments& in, Results& out) {
    out[0][0] = atan2(in[0][0], in[0][1]);
    out[0][1] = atan(in[0][0]);
  });
  const double one = 1.0;
  for (int k = 0; k < 200; ++k) {
    const std::vector<double> in{between(-3.0, 3.0), between(-3.0, 3.0)};
    std::vector<double> own(2), libm(2), expected(2);
    Interpreter<double>{f.with({Arithmetic::Trigonometry::own, GetParam()})}(in, own);
    Interpreter<double>{f}(in, libm);
    arcs({in.data(), 1}, {in.data() + 1, 1}, {expected.data(), 1}, GetParam());
    arcs({in.data(), 1}, {&one, 1}, {expected.data() + 1, 1}, GetParam());
    EXPECT_EQ(own, expected);
    EXPECT_EQ(libm, (std::vector<double>{std::atan2(in[0], in[1]), std::atan(in[0])}));
  }
}

}  // namespace arcs_test
}  // namespace lw
