#include "box_complementarity.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/linear.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kBoxRounding = 1e-12, kLostForce = 1e-11;

std::size_t at(Index k) { return static_cast<std::size_t>(k); }

}  // namespace

BoxForces::BoxForces(Index most)
    : D_(most, most), L_(most, most), middle_(most), half_(most), c_(most), x_(most), step_(most), bound_(at(most)) {
  free_.reserve(at(most));
}

double BoxForces::gradient(Index j) const { return D_.row(j).head(m_).dot(x_.head(m_)) - c_[j]; }
double BoxForces::noise(Index j) const {
  return kBoxRounding * (std::abs(c_[j]) + D_.row(j).head(m_).cwiseAbs().dot(x_.head(m_).cwiseAbs()));
}

bool BoxForces::find(const Matrix& D, const Vector& c, const Vector& low, const Vector& high) {
  m_ = c.size();
  for (Index j = 0; j < m_; ++j) {
    middle_[j] = 0.5 * (low[j] + high[j]);
    half_[j] = 0.5 * (high[j] - low[j]);
  }
  for (Index j = 0; j < m_; ++j) {
    c_[j] = half_[j] * (c[j] - D.row(j).dot(middle_.head(m_)));
    for (Index i = 0; i < m_; ++i) D_(i, j) = half_[i] * D(i, j) * half_[j];
    x_[j] = 0.0;
  }
  sweep();
  const int most = 100 + 20 * static_cast<int>(m_);
  for (int k = 0; k < most; ++k) {
    if (!descend() && !release()) return true;
  }
  return false;
}

void BoxForces::sweep() {
  constexpr int kSweeps = 20;
  for (int k = 0; k < kSweeps; ++k) {
    for (Index j = 0; j < m_; ++j) {
      const double g = gradient(j), d = D_(j, j);
      if (std::abs(g) <= noise(j)) continue;
      x_[j] = d > 0.0 && std::abs(g) < 4.0 * d ? std::clamp(x_[j] - g / d, -1.0, 1.0) : (g < 0.0 ? 1.0 : -1.0);
    }
  }
  for (Index j = 0; j < m_; ++j) bound_[at(j)] = std::abs(x_[j]) < 1.0 ? 0 : x_[j] > 0.0 ? 1 : -1;
}

// L_ Lᵀ of the free part of D_; false where two forces hold the same freedom.
bool BoxForces::factorize() {
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const auto i = static_cast<Index>(a);
    for (Index j = 0; j <= i; ++j) {
      double sum = D_(free_[a], free_[at(j)]);
      for (Index k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      if (j < i)
        L_(i, j) = sum / L_(j, j);
      else if (sum > kLostForce * D_(free_[a], free_[a]))
        L_(i, i) = std::sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

// Towards the least of what is free, as far as the bounds let it. False where nothing is left to gain.
bool BoxForces::descend() {
  free_.clear();
  bool steep = false;
  for (Index j = 0; j < m_; ++j) {
    if (bound_[at(j)] != 0) continue;
    free_.push_back(j);
    steep = steep || std::abs(gradient(j)) > noise(j);
  }
  if (!steep) return false;
  const auto n = static_cast<Index>(free_.size());
  for (Index k = 0; k < n; ++k) step_[k] = -gradient(free_[at(k)]);
  if (factorize()) {
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < i; ++k) step_[i] -= L_(i, k) * step_[k];
      step_[i] /= L_(i, i);
    }
    for (Index i = n; i-- > 0;) {
      for (Index k = i + 1; k < n; ++k) step_[i] -= L_(k, i) * step_[k];
      step_[i] /= L_(i, i);
    }
  } else {
    const MatrixXd part = D_(free_, free_);
    const VectorXd g = -step_.head(n);
    VectorXd step = -Svd(part).solve(g, kLostForce);
    const VectorXd left = g + part * step;
    bool flat = false;  // along what no force resists, the bound is the end
    for (Index k = 0; k < n; ++k) flat = flat || std::abs(left[k]) > 1e3 * noise(free_[at(k)]);
    if (flat) step = -left / left.cwiseAbs().maxCoeff() * 4.0;
    step_.head(n) = step;
  }
  double part_of_it = 1.0;
  Index first = n;
  for (Index k = 0; k < n; ++k) {
    const double d = step_[k];
    if (d == 0.0) continue;
    const double room = ((d > 0.0 ? 1.0 : -1.0) - x_[free_[at(k)]]) / d;
    if (room < part_of_it) part_of_it = std::max(room, 0.0), first = k;
  }
  for (Index k = 0; k < n; ++k) x_[free_[at(k)]] += part_of_it * step_[k];
  if (first == n) return false;  // the least itself
  bound_[at(free_[at(first)])] = step_[first] > 0.0 ? 1 : -1;
  x_[free_[at(first)]] = bound_[at(free_[at(first)])];
  return true;
}

// The bound that is most wrongly held. False where none is.
bool BoxForces::release() {
  Index worst = -1;
  double most = 0.0;
  for (Index j = 0; j < m_; ++j) {
    const double inward = bound_[at(j)] * gradient(j);
    if (bound_[at(j)] == 0 || inward <= noise(j)) continue;
    const double size = inward / std::sqrt(std::max(D_(j, j), 1e-300));
    if (size > most) most = size, worst = j;
  }
  if (worst < 0) return false;
  bound_[at(worst)] = 0;
  return true;
}

}  // namespace lw
