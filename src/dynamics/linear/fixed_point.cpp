#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/linear.hpp"

namespace lw {
namespace {

constexpr double kSettled = 1e-14, kNewtonSettled = 1e-12;
constexpr int kPasses = 40, kNewton = 20;

double size_of(const std::vector<double>& x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

FixedPoint fixed_point(std::vector<double>& x,
                       const std::function<void(const std::vector<double>&, std::vector<double>&)>& G) {
  const std::size_t n = x.size();
  const std::vector<double> start = x;
  std::vector<double> next(n), moved(n);
  FixedPoint result;
  const auto change = [&] {
    double most = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double c = std::abs(next[k] - x[k]);
      if (!(c <= most)) most = c, result.worst = k;  // NaN too
    }
    return most;
  };
  for (int pass = 0; pass < kPasses; ++pass) {
    G(x, next);
    const double c = change();
    if (!std::isfinite(c)) break;
    x = next;
    result.settled = c <= kSettled * size_of(x);
    if (result.settled) return result;
  }
  // slowly or not at all
  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd slope(rows, rows);
  x = start;
  for (int k = 0; k < kNewton; ++k) {
    G(x, next);
    const std::vector<double> here = next;
    const double open = change(), size = size_of(here);
    if (!std::isfinite(open)) return result;
    const double step = 1e-7 * std::max(size, 1e-300);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> aside = x;
      aside[j] += step;
      G(aside, moved);
      for (std::size_t i = 0; i < n; ++i) {
        slope(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            (i == j ? 1.0 : 0.0) - (moved[i] - here[i]) / step;
      }
    }
    if (open <= kNewtonSettled * size) {
      result.settled = determinant(slope) > 0.0;
      G(x, next);
      return result;
    }
    Eigen::VectorXd residual(rows);
    for (std::size_t i = 0; i < n; ++i) residual[static_cast<Eigen::Index>(i)] = here[i] - x[i];
    const Eigen::VectorXd correction = least_squares(slope, residual);
    for (std::size_t i = 0; i < n; ++i) x[i] += correction[static_cast<Eigen::Index>(i)];
  }
  return result;
}

}  // namespace lw
