// Scalars for which every algorithm is instantiated, besides double and Expr:
//
//   Dual         value + derivative along one direction (forward mode)
//   ComplexStep  x + i h y: derivatives to full precision, Im f(x + i h)/h with h = 1e-30 (no subtraction, no
//                cancellation)
//   Count        a value that counts the multiplications and additions made with it, as the theses count them:
//                operations with a constant 0 or 1 cost nothing, a change of sign costs nothing
//
// ComplexStep is a separate type, not std::complex, because Eigen conjugates std::complex in dot and cross. Comparisons
// use the value (real part), so that `select` and `max` differentiate the branch taken.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "expr.hpp"

namespace lw {

inline double min(double a, double b) { return b < a ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }
inline double less(double a, double b) { return a < b ? 1.0 : 0.0; }
inline double select(double condition, double where_true, double where_false) {
  return condition != 0.0 ? where_true : where_false;
}

inline double value_of(double x) { return x; }

// Names a value if it is an expression (expr.hpp).
template <class T>
void name_value(const T&, const std::string&) {}

struct Dual {
  double v = 0.0, d = 0.0;
  Dual(double value = 0.0, double derivative = 0.0) : v(value), d(derivative) {}  // NOLINT: a number is a Dual

  Dual& operator+=(const Dual& o) { return *this = {v + o.v, d + o.d}; }
  Dual& operator-=(const Dual& o) { return *this = {v - o.v, d - o.d}; }
  Dual& operator*=(const Dual& o) { return *this = {v * o.v, d * o.v + v * o.d}; }
  Dual& operator/=(const Dual& o) { return *this = {v / o.v, (d - v / o.v * o.d) / o.v}; }
};
inline double value_of(const Dual& x) { return x.v; }
inline Dual operator+(Dual a, const Dual& b) { return a += b; }
inline Dual operator-(Dual a, const Dual& b) { return a -= b; }
inline Dual operator*(Dual a, const Dual& b) { return a *= b; }
inline Dual operator/(Dual a, const Dual& b) { return a /= b; }
inline Dual operator-(const Dual& a) { return {-a.v, -a.d}; }
inline Dual sqrt(const Dual& x) {
  const double s = std::sqrt(x.v);
  return {s, x.d / (2.0 * s)};
}
inline Dual sin(const Dual& x) { return {std::sin(x.v), std::cos(x.v) * x.d}; }
inline Dual cos(const Dual& x) { return {std::cos(x.v), -std::sin(x.v) * x.d}; }
inline Dual tan(const Dual& x) {
  const double t = std::tan(x.v);
  return {t, (1.0 + t * t) * x.d};
}
inline Dual asin(const Dual& x) { return {std::asin(x.v), x.d / std::sqrt(1.0 - x.v * x.v)}; }
inline Dual acos(const Dual& x) { return {std::acos(x.v), -x.d / std::sqrt(1.0 - x.v * x.v)}; }
inline Dual atan(const Dual& x) { return {std::atan(x.v), x.d / (1.0 + x.v * x.v)}; }
inline Dual atan2(const Dual& y, const Dual& x) {
  return {std::atan2(y.v, x.v), (x.v * y.d - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}
inline Dual exp(const Dual& x) {
  const double e = std::exp(x.v);
  return {e, e * x.d};
}
inline Dual log(const Dual& x) { return {std::log(x.v), x.d / x.v}; }
inline Dual tanh(const Dual& x) {
  const double t = std::tanh(x.v);
  return {t, (1.0 - t * t) * x.d};
}
inline Dual abs(const Dual& x) { return x.v < 0.0 ? -x : x; }
inline Dual min(const Dual& a, const Dual& b) { return b.v < a.v ? b : a; }
inline Dual max(const Dual& a, const Dual& b) { return a.v < b.v ? b : a; }
inline Dual less(const Dual& a, const Dual& b) { return a.v < b.v ? 1.0 : 0.0; }
inline Dual select(const Dual& c, const Dual& a, const Dual& b) { return c.v != 0.0 ? a : b; }

struct ComplexStep {
  double re = 0.0, im = 0.0;
  ComplexStep(double real = 0.0, double imaginary = 0.0) : re(real), im(imaginary) {}  // NOLINT: implicit from numbers

  ComplexStep& operator+=(const ComplexStep& o) { return *this = {re + o.re, im + o.im}; }
  ComplexStep& operator-=(const ComplexStep& o) { return *this = {re - o.re, im - o.im}; }
  ComplexStep& operator*=(const ComplexStep& o) { return *this = {re * o.re - im * o.im, re * o.im + im * o.re}; }
  ComplexStep& operator/=(const ComplexStep& o) {
    const double n = o.re * o.re + o.im * o.im;
    return *this = {(re * o.re + im * o.im) / n, (im * o.re - re * o.im) / n};
  }
};
constexpr double kComplexStep = 1e-30;
inline double value_of(const ComplexStep& x) { return x.re; }
// The derivative carried by a result if one argument has the imaginary part kComplexStep.
inline double derivative_of(const ComplexStep& x) { return x.im / kComplexStep; }
inline ComplexStep operator+(ComplexStep a, const ComplexStep& b) { return a += b; }
inline ComplexStep operator-(ComplexStep a, const ComplexStep& b) { return a -= b; }
inline ComplexStep operator*(ComplexStep a, const ComplexStep& b) { return a *= b; }
inline ComplexStep operator/(ComplexStep a, const ComplexStep& b) { return a /= b; }
inline ComplexStep operator-(const ComplexStep& a) { return {-a.re, -a.im}; }
ComplexStep sqrt(const ComplexStep& x);
ComplexStep sin(const ComplexStep& x);
ComplexStep cos(const ComplexStep& x);
ComplexStep tan(const ComplexStep& x);
ComplexStep asin(const ComplexStep& x);
ComplexStep acos(const ComplexStep& x);
ComplexStep atan(const ComplexStep& x);
ComplexStep atan2(const ComplexStep& y, const ComplexStep& x);
ComplexStep exp(const ComplexStep& x);
ComplexStep log(const ComplexStep& x);
ComplexStep tanh(const ComplexStep& x);
inline ComplexStep abs(const ComplexStep& x) { return x.re < 0.0 ? -x : x; }
inline ComplexStep min(const ComplexStep& a, const ComplexStep& b) { return b.re < a.re ? b : a; }
inline ComplexStep max(const ComplexStep& a, const ComplexStep& b) { return a.re < b.re ? b : a; }
inline ComplexStep less(const ComplexStep& a, const ComplexStep& b) { return a.re < b.re ? 1.0 : 0.0; }
inline ComplexStep select(const ComplexStep& c, const ComplexStep& a, const ComplexStep& b) {
  return c.re != 0.0 ? a : b;
}

// The cost of a calculation.
struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;  // and subtractions
  std::int64_t divisions = 0;
  std::int64_t roots = 0;
  std::int64_t trigonometric = 0;  // sin, cos and related functions, exp, log
  std::int64_t comparisons = 0;    // abs, min, max, less, select
  bool operator==(const OperationCount&) const = default;
};

struct Count {
  double v = 0.0;
  OperationCount* count = nullptr;         // null: a constant
  Count(double value = 0.0) : v(value) {}  // NOLINT: a number is one
  Count(double value, OperationCount* counter) : v(value), count(counter) {}

  bool is_constant(double c) const { return count == nullptr && v == c; }
  Count& operator+=(const Count& o);
  Count& operator-=(const Count& o);
  Count& operator*=(const Count& o);
  Count& operator/=(const Count& o);
};
inline double value_of(const Count& x) { return x.v; }
inline Count operator+(Count a, const Count& b) { return a += b; }
inline Count operator-(Count a, const Count& b) { return a -= b; }
inline Count operator*(Count a, const Count& b) { return a *= b; }
inline Count operator/(Count a, const Count& b) { return a /= b; }
inline Count operator-(const Count& a) { return {-a.v, a.count}; }
Count sqrt(const Count& x);
Count sin(const Count& x);
Count cos(const Count& x);
Count tan(const Count& x);
Count asin(const Count& x);
Count acos(const Count& x);
Count atan(const Count& x);
Count atan2(const Count& y, const Count& x);
Count exp(const Count& x);
Count log(const Count& x);
Count tanh(const Count& x);
Count abs(const Count& x);
Count min(const Count& a, const Count& b);
Count max(const Count& a, const Count& b);
Count less(const Count& a, const Count& b);
Count select(const Count& c, const Count& a, const Count& b);

}  // namespace lw

// Every algorithm ends its .cpp with one of these explicit instantiations, so that headers contain only declarations.
// Long algorithms are counted as graphs (cost of a Function) instead of by Count. Fuzz targets use only double, because
// instrumenting five times as much code takes minutes.
#ifdef LINKWRIGHT_DOUBLE_ALONE
#define LW_INSTANTIATE_UNCOUNTED(MACRO) MACRO(double)
#define LW_INSTANTIATE_FOR_SCALARS(MACRO) MACRO(double)
#else
#define LW_INSTANTIATE_UNCOUNTED(MACRO) \
  MACRO(double)                         \
  MACRO(::lw::Expr)                     \
  MACRO(::lw::Dual)                     \
  MACRO(::lw::ComplexStep)
#define LW_INSTANTIATE_FOR_SCALARS(MACRO) \
  LW_INSTANTIATE_UNCOUNTED(MACRO)         \
  MACRO(::lw::Count)
#endif
