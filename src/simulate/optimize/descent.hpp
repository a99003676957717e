// What is left to gain at a point: the steepest way down that constraints do not forbid.
//
//   −(g + A λ),  λ ≥ 0 such that |g + A λ| is least          (non-negative least squares: Lawson, Hanson 1974,
//                algorithm 23.10)
//
// g is the gradient of the cost, columns of A those of the constraints c ≤ 0 that are active. Zero at a first-order
// optimum (Karush, Kuhn, Tucker).
#pragma once

#include <Eigen/Core>

namespace lw {

Eigen::VectorXd descent_left(const Eigen::VectorXd& g, const Eigen::MatrixXd& A);

}  // namespace lw
