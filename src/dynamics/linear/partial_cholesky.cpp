#include "partial_cholesky.hpp"

#include <cmath>

namespace lw {

bool PartialCholesky::factorize_free(const Eigen::MatrixXd& M) {
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const auto i = static_cast<Eigen::Index>(a);
    for (Eigen::Index j = 0; j <= i; ++j) {
      double sum = M(free_[a], free_[static_cast<std::size_t>(j)]);
      for (Eigen::Index k = 0; k < j; ++k) sum -= L_(i, k) * L_(j, k);
      if (j < i)
        L_(i, j) = sum / L_(j, j);
      else if (sum > 0.0)
        L_(i, i) = std::sqrt(sum);
      else
        return false;
    }
  }
  return true;
}

void PartialCholesky::solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) const {
  x.head(L_.rows()).setZero();
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const auto i = static_cast<Eigen::Index>(a);
    double sum = r[free_[a]];
    for (Eigen::Index k = 0; k < i; ++k) sum -= L_(i, k) * x[free_[static_cast<std::size_t>(k)]];
    x[free_[a]] = sum / L_(i, i);
  }
  for (std::size_t a = free_.size(); a-- > 0;) {
    const auto i = static_cast<Eigen::Index>(a);
    double sum = x[free_[a]];
    for (std::size_t b = a + 1; b < free_.size(); ++b) sum -= L_(static_cast<Eigen::Index>(b), i) * x[free_[b]];
    x[free_[a]] = sum / L_(i, i);
  }
}

}  // namespace lw
