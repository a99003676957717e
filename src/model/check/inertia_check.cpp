#include "inertia_check.hpp"

#include <Eigen/Eigenvalues>

#include "../../base/linear.hpp"

namespace lw {

// Least squares over (x, y, z) ≥ 0 by trying all eight sets of coordinates fixed at zero.
Eigen::Vector3d nearest_moments(const Eigen::Vector3d& moments) {
  Eigen::Matrix3d from_second;
  from_second << 0, 1, 1, 1, 0, 1, 1, 1, 0;
  Eigen::Vector3d best = Eigen::Vector3d::Zero();
  double best_distance = moments.squaredNorm();  // all fixed
  for (int free = 1; free < 8; ++free) {
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> columns(3, 0);
    for (int k = 0; k < 3; ++k) {
      if ((free >> k & 1) == 0) continue;
      columns.conservativeResize(3, columns.cols() + 1);
      columns.col(columns.cols() - 1) = from_second.col(k);
    }
    const Eigen::VectorXd second = solve_positive(columns.transpose() * columns, columns.transpose() * moments);
    if (second.minCoeff() < 0.0) continue;
    const Eigen::Vector3d candidate = columns * second;
    const double distance = (candidate - moments).squaredNorm();
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

InertiaVerdict judge_inertia(const Eigen::Matrix3d& tensor) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  InertiaVerdict verdict;
  verdict.moments = solver.eigenvalues();
  const Eigen::Vector3d& m = verdict.moments;
  // Compares with the largest magnitude, because a negative tensor has no positive moment.
  const double tolerance = 1e-9 * m.cwiseAbs().maxCoeff();
  verdict.possible = m[0] >= -tolerance && m[0] + m[1] >= m[2] - tolerance;
  verdict.nearest = verdict.possible ? tensor
                                     : Eigen::Matrix3d(solver.eigenvectors() * nearest_moments(m).asDiagonal() *
                                                       solver.eigenvectors().transpose());
  return verdict;
}

}  // namespace lw
