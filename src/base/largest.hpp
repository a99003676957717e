// Largest magnitude of an entry of a matrix; NaN where one is (see worse.hpp).
#pragma once

#include <Eigen/Core>

namespace lw {

template <class Entries>
double largest(const Eigen::DenseBase<Entries>& m) {
  return m.derived().cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace lw
