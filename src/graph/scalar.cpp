#include "scalar.hpp"

namespace lw {

// f(x + i y) for the tiny y of a complex step: f(x) + i f'(x) y is exact to the last bit, because y² is negligible.
#define LW_COMPLEX_STEP(name, derivative)  \
  ComplexStep name(const ComplexStep& x) { \
    const double f = std::name(x.re);      \
    return {f, (derivative)*x.im};         \
  }
LW_COMPLEX_STEP(sqrt, 0.5 / f)
LW_COMPLEX_STEP(sin, std::cos(x.re))
LW_COMPLEX_STEP(cos, -std::sin(x.re))
LW_COMPLEX_STEP(tan, 1.0 + f * f)
LW_COMPLEX_STEP(asin, 1.0 / std::sqrt(1.0 - x.re * x.re))
LW_COMPLEX_STEP(acos, -1.0 / std::sqrt(1.0 - x.re * x.re))
LW_COMPLEX_STEP(atan, 1.0 / (1.0 + x.re * x.re))
LW_COMPLEX_STEP(exp, f)
LW_COMPLEX_STEP(log, 1.0 / x.re)
LW_COMPLEX_STEP(tanh, 1.0 - f * f)
#undef LW_COMPLEX_STEP

ComplexStep atan2(const ComplexStep& y, const ComplexStep& x) {
  return {std::atan2(y.re, x.re), (x.re * y.im - y.re * x.im) / (x.re * x.re + y.re * y.re)};
}

namespace {
OperationCount* counter(const Count& a, const Count& b) { return a.count != nullptr ? a.count : b.count; }
}  // namespace

Count& Count::operator+=(const Count& o) {
  if (o.is_constant(0.0)) return *this;
  if (is_constant(0.0)) return *this = o;
  OperationCount* c = counter(*this, o);
  if (c != nullptr) ++c->additions;
  return *this = {v + o.v, c};
}

Count& Count::operator-=(const Count& o) { return *this += -o; }

Count& Count::operator*=(const Count& o) {
  if (is_constant(0.0) || o.is_constant(0.0)) return *this = 0.0;
  if (o.is_constant(1.0)) return *this;
  if (o.is_constant(-1.0)) return *this = -*this;
  if (is_constant(1.0)) return *this = o;
  if (is_constant(-1.0)) return *this = -o;
  OperationCount* c = counter(*this, o);
  if (c != nullptr) ++c->multiplications;
  return *this = {v * o.v, c};
}

Count& Count::operator/=(const Count& o) {
  if (is_constant(0.0)) return *this;
  if (o.is_constant(1.0)) return *this;
  if (o.is_constant(-1.0)) return *this = -*this;
  OperationCount* c = counter(*this, o);
  if (c != nullptr) ++c->divisions;
  return *this = {v / o.v, c};
}

#define LW_COUNT_UNARY(name, field)           \
  Count name(const Count& x) {                \
    if (x.count != nullptr) ++x.count->field; \
    return {std::name(x.v), x.count};         \
  }
LW_COUNT_UNARY(sqrt, roots)
LW_COUNT_UNARY(sin, trigonometric)
LW_COUNT_UNARY(cos, trigonometric)
LW_COUNT_UNARY(tan, trigonometric)
LW_COUNT_UNARY(asin, trigonometric)
LW_COUNT_UNARY(acos, trigonometric)
LW_COUNT_UNARY(atan, trigonometric)
LW_COUNT_UNARY(exp, trigonometric)
LW_COUNT_UNARY(log, trigonometric)
LW_COUNT_UNARY(tanh, trigonometric)
LW_COUNT_UNARY(abs, comparisons)
#undef LW_COUNT_UNARY

#define LW_COUNT_BINARY(name, field, expression) \
  Count name(const Count& a, const Count& b) {   \
    OperationCount* c = counter(a, b);           \
    if (c != nullptr) ++c->field;                \
    return {expression, c};                      \
  }
LW_COUNT_BINARY(atan2, trigonometric, std::atan2(a.v, b.v))
LW_COUNT_BINARY(min, comparisons, lw::min(a.v, b.v))
LW_COUNT_BINARY(max, comparisons, lw::max(a.v, b.v))
LW_COUNT_BINARY(less, comparisons, lw::less(a.v, b.v))
#undef LW_COUNT_BINARY

Count select(const Count& c, const Count& a, const Count& b) {
  if (c.count != nullptr) ++c.count->comparisons;
  return c.v != 0.0 ? a : b;
}

}  // namespace lw
