#include "descent.hpp"

#include <algorithm>
#include <vector>

#include "../../base/linear.hpp"

namespace lw {

Eigen::VectorXd descent_left(const Eigen::VectorXd& g, const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.cols();
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Index> free;  // those that are not held at zero
  const auto is_free = [&](Eigen::Index k) { return std::find(free.begin(), free.end(), k) != free.end(); };
  const double small = 1e-12 * (1.0 + g.norm());
  for (Eigen::Index round = 0; round < 3 * n + 3; ++round) {
    const Eigen::VectorXd way = -(A.transpose() * (g + A * lambda));
    Eigen::Index best = -1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!is_free(k) && way[k] > small && (best < 0 || way[k] > way[best])) best = k;
    }
    if (best < 0) break;
    free.push_back(best);
    // the least squares over those that are free; where one would turn negative, as far as it allows
    while (!free.empty()) {
      Eigen::MatrixXd columns(A.rows(), static_cast<Eigen::Index>(free.size()));
      for (std::size_t k = 0; k < free.size(); ++k) columns.col(static_cast<Eigen::Index>(k)) = A.col(free[k]);
      const Eigen::VectorXd wanted = least_squares(columns, -g);
      double share = 1.0;
      for (std::size_t k = 0; k < free.size(); ++k) {
        const double from = lambda[free[k]], to = wanted[static_cast<Eigen::Index>(k)];
        if (to <= 0.0 && from > to) share = std::min(share, from / (from - to));
      }
      for (std::size_t k = 0; k < free.size(); ++k) {
        lambda[free[k]] += share * (wanted[static_cast<Eigen::Index>(k)] - lambda[free[k]]);
      }
      if (share == 1.0) break;
      std::erase_if(free, [&](Eigen::Index k) {
        if (lambda[k] > small) return false;
        lambda[k] = 0.0;
        return true;
      });
    }
  }
  return -(g + A * lambda);
}

}  // namespace lw
