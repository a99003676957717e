// Names of Eigen's matrices without Eigen: most files that see such a name in an interface never touch one, and are
// spared reading a library that is larger than ours. Who uses them includes <Eigen/Core>.
#pragma once

namespace Eigen {
template <typename, int, int, int, int, int>
class Matrix;
}

namespace lw {

template <class T, int rows, int columns>
using EigenMatrix = Eigen::Matrix<T, rows, columns, 0, rows, columns>;
using EigenVector3 = EigenMatrix<double, 3, 1>;
using EigenMatrix3 = EigenMatrix<double, 3, 3>;
using EigenMatrixX = EigenMatrix<double, -1, -1>;

}  // namespace lw
