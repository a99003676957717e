// Physically possible inertia tensors. With second moments x, y, z = ∫ x² dm, … ≥ 0 along the principal axes, the
// principal moments are (y+z, x+z, x+y): a cone whose faces are a + b ≥ c and cyclic (from which a, b, c ≥ 0 follows).
#pragma once

#include <Eigen/Core>

namespace lw {

struct InertiaVerdict {
  bool possible = true;
  Eigen::Vector3d moments;  // principal, ascending
  Eigen::Matrix3d nearest;  // the possible tensor with the least sum of squared changes (itself if possible)
};

// For a tensor about the centre of mass. The moments may violate the inequalities by 1e-9 of the largest, because rods
// and plates lie on the faces of the cone.
InertiaVerdict judge_inertia(const Eigen::Matrix3d& tensor);

// Orthogonal projection of (a, b, c) onto the cone. It preserves the order of the three, so that projecting the
// principal moments and rotating back gives the nearest tensor in the Frobenius norm.
Eigen::Vector3d nearest_moments(const Eigen::Vector3d& moments);

}  // namespace lw
