// Largest magnitude of the entries of a matrix; NaN if any entry is NaN (see worse.hpp).
#pragma once

#include <Eigen/Core>

namespace lw {

template <class Entries>
double largest(const Eigen::DenseBase<Entries>& m) {
  return m.derived().cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace lw
