// Forward declarations of Eigen's matrices: most files that see such a name in an interface never use one and need not
// include Eigen, which is larger than this library. Files that use them include <Eigen/Core>.
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
