#include "graph/scalar_eigen.hpp"

#include <gtest/gtest.h>

namespace lw {
namespace scalar_test {

TEST(ComplexStep, IsNotConjugatedByEigen) {
  // std::complex would give (1+i)·conj(...) here
  const Eigen::Matrix<ComplexStep, 3, 1> a(ComplexStep(1.0, 2.0), ComplexStep(0.0), ComplexStep(0.0));
  const Eigen::Matrix<ComplexStep, 3, 1> b(ComplexStep(3.0, 4.0), ComplexStep(0.0), ComplexStep(0.0));
  const ComplexStep d = a.dot(b);
  EXPECT_EQ(d.re, -5.0);  // (1+2i)(3+4i) = −5 + 10 i
  EXPECT_EQ(d.im, 10.0);
}

TEST(ComplexStep, DerivativeHasNoCancellation) {
  // d/dx exp(x) sin(x)³ at 1.5, against the closed form
  const ComplexStep x(1.5, kComplexStep);
  const ComplexStep f = exp(x) * sin(x) * sin(x) * sin(x);
  const double s = std::sin(1.5), c = std::cos(1.5);
  const double expected = std::exp(1.5) * (s * s * s + 3 * s * s * c);
  EXPECT_NEAR(derivative_of(f), expected, 4e-16 * std::abs(expected) * 4);
}

TEST(Count, SkipsZerosAndOnesAndSigns) {
  OperationCount n;
  const Count x(2.0, &n), y(3.0, &n);
  Count r = x * y;      // 1 ×
  r = r + 0.0;          // free
  r = 1.0 * r;          // free
  r = -r;               // free
  r = r * 0.0 + x;      // free: x is left
  r = r - y;            // 1 +
  r = r / y;            // 1 ÷
  r = sqrt(abs(r));     // 1 root, 1 comparison
  r = sin(r) + cos(r);  // 2 trig, 1 +
  EXPECT_EQ(n.multiplications, 1);
  EXPECT_EQ(n.additions, 2);
  EXPECT_EQ(n.divisions, 1);
  EXPECT_EQ(n.roots, 1);
  EXPECT_EQ(n.comparisons, 1);
  EXPECT_EQ(n.trigonometric, 2);
}

}  // namespace scalar_test
}  // namespace lw
