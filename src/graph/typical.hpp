// Whether an expression vanishes, asked where structure is decided (are these axes parallel?) and no value may matter.
//
// Numbers stand for themselves. Symbols are given random values: there nothing vanishes but what vanishes everywhere.
// What carries a derivative is moved a little along it, so that only what vanishes together with its derivative does.
#pragma once

#include <vector>

#include "scalar.hpp"

namespace lw {

// Of expressions of one graph. Throws Error(data) where they are not finite at any of 100 points.
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

// A zero that stays one whatever it is multiplied by.
inline bool is_zero(double x) { return x == 0.0; }
inline bool is_zero(const Expr& x) { return x.is_constant(0.0); }
inline bool is_zero(const Dual& x) { return x.v == 0.0 && x.d == 0.0; }
inline bool is_zero(const ComplexStep& x) { return x.re == 0.0 && x.im == 0.0; }
inline bool is_zero(const Count& x) { return x.v == 0.0; }

}  // namespace lw
