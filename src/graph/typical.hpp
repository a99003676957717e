// Whether an expression vanishes identically, for structural decisions (are these axes parallel?) independent of
// values.
//
// Numbers are used as they are. Symbols get random values, where only identically zero expressions vanish. Values with
// a derivative are displaced slightly along it, so that only those that vanish together with their derivative count as
// zero.
#pragma once

#include <vector>

#include "scalar.hpp"

namespace lw {

// For expressions of one graph. Throws Error(data) if they are not finite at any of 100 points.
std::vector<double> typical_values(const std::vector<Expr>& x);

inline double typical_value(double x) { return x; }
inline double typical_value(const Dual& x) { return x.v + 1e-3 * x.d; }
inline double typical_value(const ComplexStep& x) { return x.re + 1e-3 * derivative_of(x); }
inline double typical_value(const Count& x) { return x.v; }
template <class T>
std::vector<double> typical_values(const std::vector<T>& x) {
  std::vector<double> values;
  for (const T& v : x) values.push_back(typical_value(v));
  return values;
}

// A constant of this value without symbol, derivative or count.
inline bool is_exactly(double x, double c) { return x == c; }
inline bool is_exactly(const Expr& x, double c) { return x.is_constant(c); }
inline bool is_exactly(const Dual& x, double c) { return x.v == c && x.d == 0.0; }
inline bool is_exactly(const ComplexStep& x, double c) { return x.re == c && x.im == 0.0; }
inline bool is_exactly(const Count& x, double c) { return x.is_constant(c); }
template <class T>
bool is_zero(const T& x) {
  return is_exactly(x, 0.0);
}

}  // namespace lw
