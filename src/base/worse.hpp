// The largest of many errors. std::max(worst, error) drops an error that is NaN, and so does Eigen's maxCoeff(), so
// that a check of the maximum would not fail. Here NaN is larger than any number and is kept.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace lw {

inline double worse(double worst, double error) { return std::isnan(worst) || error <= worst ? worst : error; }

// Largest |aᵢ − bᵢ|; infinite if the sizes differ.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = worse(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace lw
