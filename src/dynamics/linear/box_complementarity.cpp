#include "box_complementarity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../base/linear.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kBoxRounding = 1e-12, kLostForce = 1e-11;

// In units of the bounds: |x| ≤ 1, gradient D x − c.
class ActiveSet {
 public:
  ActiveSet(const MatrixXd& D, const VectorXd& c)
      : D_(D), c_(c), x_(VectorXd::Zero(c.size())), bound_(at(c.size()), 0) {}

  bool solve() {
    sweep();
    const int most = 100 + 20 * static_cast<int>(c_.size());
    for (int k = 0; k < most; ++k) {
      if (!descend() && !release()) return true;
    }
    return false;
  }
  const VectorXd& x() const { return x_; }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  double gradient(Index j) const { return D_.row(j).dot(x_) - c_[j]; }
  double noise(Index j) const { return kBoxRounding * (std::abs(c_[j]) + D_.row(j).cwiseAbs().dot(x_.cwiseAbs())); }

  void sweep() {
    constexpr int kSweeps = 20;
    for (int k = 0; k < kSweeps; ++k) {
      for (Index j = 0; j < x_.size(); ++j) {
        const double g = gradient(j), d = D_(j, j);
        if (std::abs(g) <= noise(j)) continue;
        x_[j] = d > 0.0 && std::abs(g) < 4.0 * d ? std::clamp(x_[j] - g / d, -1.0, 1.0) : (g < 0.0 ? 1.0 : -1.0);
      }
    }
    for (Index j = 0; j < x_.size(); ++j) bound_[at(j)] = std::abs(x_[j]) < 1.0 ? 0 : x_[j] > 0.0 ? 1 : -1;
  }

  // Towards the least of what is free, as far as the bounds let it. False where nothing is left to gain.
  bool descend() {
    std::vector<Index> free;
    for (Index j = 0; j < x_.size(); ++j) {
      if (bound_[at(j)] == 0) free.push_back(j);
    }
    if (free.empty()) return false;
    VectorXd g(static_cast<Index>(free.size()));
    bool steep = false;
    for (std::size_t k = 0; k < free.size(); ++k) {
      g[static_cast<Index>(k)] = gradient(free[k]);
      steep = steep || std::abs(gradient(free[k])) > noise(free[k]);
    }
    if (!steep) return false;
    const MatrixXd part = D_(free, free);
    const Svd svd(part);
    VectorXd step = -svd.solve(g, kLostForce);
    const VectorXd left = g + part * step;
    bool flat = false;  // along what no force resists, the bound is the end
    for (std::size_t k = 0; k < free.size(); ++k)
      flat = flat || std::abs(left[static_cast<Index>(k)]) > 1e3 * noise(free[k]);
    if (flat) step = -left / left.cwiseAbs().maxCoeff() * 4.0;
    double part_of_it = 1.0;
    std::size_t first = free.size();
    for (std::size_t k = 0; k < free.size(); ++k) {
      const double d = step[static_cast<Index>(k)];
      if (d == 0.0) continue;
      const double room = ((d > 0.0 ? 1.0 : -1.0) - x_[free[k]]) / d;
      if (room < part_of_it) part_of_it = std::max(room, 0.0), first = k;
    }
    for (std::size_t k = 0; k < free.size(); ++k) x_[free[k]] += part_of_it * step[static_cast<Index>(k)];
    if (first == free.size()) return false;  // the least itself
    bound_[at(free[first])] = step[static_cast<Index>(first)] > 0.0 ? 1 : -1;
    x_[free[first]] = bound_[at(free[first])];
    return true;
  }

  // The bound that is most wrongly held. False where none is.
  bool release() {
    Index worst = -1;
    double most = 0.0;
    for (Index j = 0; j < x_.size(); ++j) {
      const double inward = bound_[at(j)] * gradient(j);
      if (bound_[at(j)] == 0 || inward <= noise(j)) continue;
      const double size = inward / std::sqrt(std::max(D_(j, j), 1e-300));
      if (size > most) most = size, worst = j;
    }
    if (worst < 0) return false;
    bound_[at(worst)] = 0;
    return true;
  }

  const MatrixXd& D_;
  const VectorXd& c_;
  VectorXd x_;
  std::vector<int> bound_;  // the side at which it is held, 0: free
};

}  // namespace

BoxForces box_forces(const MatrixXd& D, const VectorXd& c, const VectorXd& size) {
  const MatrixXd scaled = size.asDiagonal() * D * size.asDiagonal();
  const VectorXd pull = size.cwiseProduct(c);
  ActiveSet set(scaled, pull);
  BoxForces result;
  result.found = set.solve();
  result.force = size.cwiseProduct(set.x());
  return result;
}

}  // namespace lw
