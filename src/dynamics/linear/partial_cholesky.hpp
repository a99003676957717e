// Equations of motion of which some accelerations are held at zero: M_ff x_f = r_f, x_held = 0, by M_ff = L Lᵀ.
//
// n³/6 multiplications for n free joints; nothing allocates after construction, and no pivots are sought: the order of
// rows is that of the joints.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace lw {

class PartialCholesky {
 public:
  explicit PartialCholesky(Eigen::Index size) : L_(size, size) { free_.reserve(static_cast<std::size_t>(size)); }

  // `held(k)`: whether row and column k are left out. False where what is left is not positive definite.
  template <class Held>
  bool factorize(const Eigen::MatrixXd& M, const Held& held) {
    free_.clear();
    for (Eigen::Index k = 0; k < M.rows(); ++k) {
      if (!held(k)) free_.push_back(k);
    }
    return factorize_free(M);
  }
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) const;

 private:
  bool factorize_free(const Eigen::MatrixXd& M);

  std::vector<Eigen::Index> free_;
  Eigen::MatrixXd L_;  // of as many rows as are free
};

}  // namespace lw
