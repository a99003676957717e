// Forces between bounds that allow as little motion as they can (Gauss 1829). With accelerations s̈(F) = c − D F, D
// symmetric and positive semidefinite, find low_j ≤ F_j ≤ high_j such that
//
//   s̈_j = 0 where F_j is inside its bounds,   s̈_j ≥ 0 where F_j = high_j,   s̈_j ≤ 0 where F_j = low_j
//
// These are the conditions of the convex problem min ½ FᵀDF − cᵀF in a box, which always has a solution. The
// accelerations are unique; the forces are not where several of them hold one freedom (D singular). A row of D that is
// zero cannot hold anything: its force goes to the bound that c_j points to.
//
// Method: a few sweeps of projected Gauss-Seidel, then a primal active set, exact to rounding. Meant for up to a few
// dozen forces.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace lw {

// For up to `most` forces. Nothing allocates after construction while no two of them hold the same freedom.
class BoxForces {
 public:
  explicit BoxForces(Eigen::Index most);

  using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
  using Vector = Eigen::Ref<const Eigen::VectorXd>;
  // False only where rounding keeps the active set from settling.
  bool find(const Matrix& D, const Vector& c, const Vector& low, const Vector& high);
  double force(Eigen::Index j) const { return middle_[j] + half_[j] * x_[j]; }

 private:
  double gradient(Eigen::Index j) const;
  double noise(Eigen::Index j) const;
  void sweep();
  bool descend();
  bool release();
  bool factorize();

  // in units of half the widths of the boxes: |x| ≤ 1, gradient D x − c
  Eigen::Index m_ = 0;
  Eigen::MatrixXd D_, L_;  // L_: of the free part
  Eigen::VectorXd middle_, half_, c_, x_, step_;
  std::vector<int> bound_;  // the side at which it is held, 0: free
  std::vector<Eigen::Index> free_;
};

}  // namespace lw
