// Forces between bounds that allow as little motion as they can (Gauss 1829). With accelerations s̈(F) = c − D F, D
// symmetric and positive semidefinite, find |F_j| ≤ size_j such that
//
//   s̈_j = 0 where F_j is inside its bounds,   s̈_j ≥ 0 where F_j = size_j,   s̈_j ≤ 0 where F_j = −size_j
//
// These are the conditions of the convex problem min ½ FᵀDF − cᵀF in a box, which always has a solution. The
// accelerations are unique; the forces are not where several of them hold one freedom (D singular). A row of D that is
// zero cannot hold anything: its force goes to the bound that c_j points to.
//
// Method: a few sweeps of projected Gauss-Seidel, then a primal active set, exact to rounding. Meant for up to a few
// dozen forces.
#pragma once

#include <Eigen/Core>

namespace lw {

struct BoxForces {
  Eigen::VectorXd force;
  bool found = false;  // false only where rounding keeps the active set from settling
};
BoxForces box_forces(const Eigen::MatrixXd& D, const Eigen::VectorXd& c, const Eigen::VectorXd& size);

}  // namespace lw
