#include "graph/kernels/sincos.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "graph/interpreter.hpp"

namespace lw {
namespace sincos_test {

// Errors in units in the last place of the exact result, which comes from the C library in the next wider precision.
template <class F>
struct Worst {
  double ulp = 0.0, absolute = 0.0;

  void compare(F got, auto exact) {
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<F>::min_exponent);
    const auto error = std::abs(static_cast<decltype(exact)>(got) - exact);
    absolute = std::max(absolute, static_cast<double>(error));
    ulp = std::max(ulp, static_cast<double>(std::ldexp(error, std::numeric_limits<F>::digits - exponent)));
  }
};

template <class F>
Worst<F> worst_over(const std::vector<F>& angles, bool fused) {
  using Wide = std::conditional_t<std::is_same_v<F, float>, double, long double>;
  std::vector<F> s(angles.size()), c(angles.size());
  sincos(angles, s, c, fused);
  Worst<F> worst;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    worst.compare(s[k], std::sin(static_cast<Wide>(angles[k])));
    worst.compare(c[k], std::cos(static_cast<Wide>(angles[k])));
  }
  return worst;
}

template <class F>
std::vector<F> random_angles(F limit, int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<F> distribution(-limit, limit);
  std::vector<F> angles(static_cast<std::size_t>(count));
  for (F& a : angles) a = distribution(random);
  return angles;
}

// The numbers about every multiple of `step` up to a limit: for π/2 what is left after reduction is smallest there, and
// all worst cases (the convergents of π/2 among them) are included; for π/4 it is largest.
template <class F>
std::vector<F> about_multiples(long double step, F limit) {
  std::vector<F> angles;
  for (int k = 1; k * step < limit; ++k) {
    const auto x = static_cast<F>(k * step);
    for (const F y : {std::nextafter(x, F(0)), x, std::nextafter(x, limit)}) {
      angles.push_back(y);
      angles.push_back(-y);
    }
  }
  return angles;
}

class Sincos : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Fused, Sincos, ::testing::Values(false, true));

TEST_P(Sincos, IsWithinOneUlpToAHundredThousand) {
  // half a unit of the outer rounding; fused, also a quarter each of the two inner ones, |h| <= pi/4 and h h of it
  // (0.85), and the polynomials'
  const double bound = GetParam() ? 0.88 : 0.85;
  EXPECT_LE(worst_over(random_angles(3.2, 1000000), GetParam()).ulp, bound);
  EXPECT_LE(worst_over(random_angles(1e5, 1000000), GetParam()).ulp, bound);
  EXPECT_LE(worst_over(about_multiples(std::numbers::pi_v<long double> / 2, 1e5), GetParam()).ulp, bound);
  EXPECT_LE(worst_over(about_multiples(std::numbers::pi_v<long double> / 4, 1e5), GetParam()).ulp, bound);
}

TEST_P(Sincos, KeepsSmallAnglesAndTheirSigns) {
  const std::vector<double> angles{1e-3, -1e-8, 1e-100, -1e-300, 5e-324, std::numeric_limits<double>::min()};
  EXPECT_LE(worst_over(angles, GetParam()).ulp, 0.85);
  const double zeros[] = {0.0, -0.0};
  double s[2], c[2];
  sincos(zeros, s, c, GetParam());
  EXPECT_FALSE(std::signbit(s[0]));
  EXPECT_TRUE(std::signbit(s[1]));
  EXPECT_EQ(s[1], 0.0);
  EXPECT_EQ(c[1], 1.0);
}

TEST_P(Sincos, LosesAbsoluteAccuracyInProportionBeyond) {
  for (double limit = 1e6; limit < 0x1p50; limit *= 10.0) {
    const double error = worst_over(random_angles(limit, 20000), GetParam()).absolute;
    EXPECT_LE(error, GetParam() ? 0x1p-50 : 0x1p-52 + limit * 0x1p-53) << limit;
  }
}

TEST_P(Sincos, IsFiniteForFiniteAnglesAndOtherwiseNaN) {
  const double huge[] = {0x1p50, -1e16, 1e100, std::numeric_limits<double>::max()};
  double s[4], c[4];
  sincos(huge, s, c, GetParam());
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(s[k], 0.0);
    EXPECT_EQ(c[k], 1.0);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double none[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  sincos(none, {s, 3}, {c, 3}, GetParam());
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isnan(s[k]) && std::isnan(c[k]));
}

TEST_P(Sincos, GivesTheSameBitsAloneAndInARow) {
  const std::vector<double> angles = random_angles(50.0, 1003);
  std::vector<double> s(angles.size()), c(angles.size());
  sincos(angles, s, c, GetParam());
  for (std::size_t k = 0; k < angles.size(); ++k) {
    double s1 = 0.0, c1 = 0.0;
    sincos({&angles[k], 1}, {&s1, 1}, {&c1, 1}, GetParam());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(s1), std::bit_cast<std::uint64_t>(s[k]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(c1), std::bit_cast<std::uint64_t>(c[k]));
  }
}

TEST_P(Sincos, IsWithinOneUlpInSinglePrecisionToTenThousand) {
  EXPECT_LE(worst_over(random_angles(3.2f, 1000000), GetParam()).ulp, 0.85);
  EXPECT_LE(worst_over(random_angles(1e4f, 1000000), GetParam()).ulp, 0.85);
  EXPECT_LE(worst_over(about_multiples(std::numbers::pi_v<long double> / 2, 1e4f), GetParam()).ulp, 0.85);
  for (float limit = 2e4f; limit < 0x1p22f; limit *= 2.0f) {
    const double error = worst_over(random_angles(limit, 20000), GetParam()).absolute;
    EXPECT_LE(error, GetParam() ? 0x1p-21 : 0x1p-23 + double(limit) * 0x1p-24) << limit;
  }
  const float odd[] = {-0.0f, 1e30f, std::numeric_limits<float>::infinity()};
  float s[3], c[3];
  sincos(odd, s, c, GetParam());
  EXPECT_TRUE(std::signbit(s[0]) && s[0] == 0.0f && c[0] == 1.0f);
  EXPECT_TRUE(s[1] == 0.0f && c[1] == 1.0f);
  EXPECT_TRUE(std::isnan(s[2]) && std::isnan(c[2]));
}

TEST_P(Sincos, IsUsedByTheInterpreterOnRequest) {
  const Function f = trace("f", {{"x", 2}}, {{"r", 4}}, [](const Arguments& in, Results& out) {
    const Expr sum = in[0][0] + in[0][1];
    out[0] = {cos(in[0][0]), sin(in[0][0]), sin(sum), cos(sum)};
  });
  Interpreter<double> run(f.with({Arithmetic::Trigonometry::own, GetParam()}));
  for (const double x : random_angles(100.0, 1000)) {
    const double angles[] = {x, x + 1.25};
    double s[2], c[2], got[4];
    sincos(angles, s, c, GetParam());
    run(std::vector<double>{x, 1.25}, got);
    EXPECT_EQ(got[0], c[0]);
    EXPECT_EQ(got[1], s[0]);
    EXPECT_EQ(got[2], s[1]);
    EXPECT_EQ(got[3], c[1]);
  }
}

}  // namespace sincos_test
}  // namespace lw
