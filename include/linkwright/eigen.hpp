// Eigen's vectors and matrices as arguments of all calls, and results as Eigen's.
//
//   Eigen::VectorXd q(6), qd(6), tau(6);
//   Eigen::MatrixXd A(12, 12);
//   lw::aba(model, work, q, qd, tau, A.col(0).tail(6));
//   lw::forward_derivatives(model, work, q, qd, tau, A.bottomLeftCorner(6, 6), A.bottomRightCorner(6, 6), B);
//
// What lies in memory by columns is used in place. Of other blocks, of matrices by rows, and of expressions (inputs
// such as `q + 0.5 * qd`) the call gets a copy, and outputs are copied back when it has returned. No type
// of Eigen reaches the library, which may have been compiled for another instruction set.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "base/view.hpp"
#include "graph/scalar_eigen.hpp"
#include "spatial/spatial.hpp"

namespace lw {

template <class D>
void is_dense(const Eigen::DenseBase<D>&);
template <class D>
void is_plain(const Eigen::PlainObjectBase<D>&);
template <class V>
concept EigenDense = requires(const V& v) {
  is_dense(v);
};
template <class V>
concept EigenPlain = requires(const V& v) {
  is_plain(v);
};  // a matrix with entries of its own, no block or expression
// As inputs all, as outputs what can be assigned to.
template <class V, class T>
concept EigenArgument = EigenDense<V> && std::is_same_v<typename V::Scalar, std::remove_const_t<T>> &&
    (std::is_const_v<T> || (!std::is_const_v<V> && (int(V::Flags) & int(Eigen::LvalueBit)) != 0));
// Whether entries lie by columns, one behind the other, is known only when it runs, or they do not.
template <class V, class T>
concept EigenElsewhere = EigenArgument<V, T> &&
    ((int(V::Flags) & int(Eigen::DirectAccessBit)) == 0 || int(V::InnerStrideAtCompileTime) != 1 ||
     (int(V::IsVectorAtCompileTime) == 0 && (int(V::IsRowMajor) != 0 || !EigenPlain<V>)));

template <class V, class T>
requires EigenArgument<V, T>
struct ViewOf<V, T> {
  std::span<T> operator()(V& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
};

template <class V, class T>
requires EigenElsewhere<V, T>
struct ViewOf<V, T> {
  using Scalar = std::remove_const_t<T>;
  ViewOf() = default;
  ViewOf(const ViewOf&) = delete;
  ViewOf& operator=(const ViewOf&) = delete;
  ~ViewOf() {
    if constexpr (!std::is_const_v<T>) {
      if (original_) *original_ = by_columns();
    }
  }

  std::span<T> operator()(V& v) {
    if constexpr ((int(V::Flags) & int(Eigen::DirectAccessBit)) != 0) {
      const bool one_column = v.cols() == 1 && !V::IsRowMajor;
      if (v.innerStride() == 1 && (one_column || (!V::IsRowMajor && v.outerStride() == v.rows()))) {
        return {v.data(), static_cast<std::size_t>(v.size())};
      }
    }
    copy_.resize(static_cast<std::size_t>(v.size()));
    rows_ = v.rows();
    by_columns() = v;
    if constexpr (EigenPlain<V>) {
      original_ = &v;
    } else if constexpr (!std::is_const_v<T>) {
      original_.emplace(v);
    }
    return copy_;
  }

 private:
  Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> by_columns() {
    return {copy_.data(), rows_, rows_ == 0 ? 0 : static_cast<Eigen::Index>(copy_.size()) / rows_};
  }

  std::vector<Scalar> copy_;
  Eigen::Index rows_ = 0;
  // A block is itself no more than a place, which may end before this.
  std::conditional_t<EigenPlain<V>, V*, std::optional<V>> original_{};
};

// Results as Eigen's: a vector, or a matrix by columns, where it lies,
inline Eigen::Map<const Eigen::VectorXd> to_eigen(std::span<const double> vector) {
  return {vector.data(), static_cast<Eigen::Index>(vector.size())};
}
inline Eigen::Map<const Eigen::MatrixXd> to_eigen(std::span<const double> matrix, Eigen::Index rows) {
  return {matrix.data(), rows, static_cast<Eigen::Index>(matrix.size()) / rows};
}
// a pose,
inline Eigen::Isometry3d to_eigen(const Transform<double>& X) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = X.R.eigen();
  pose.translation() = X.p.eigen();
  return pose;
}
inline Transform<double> from_eigen(const Eigen::Isometry3d& pose) {
  return {Mat3<double>::from(pose.linear()), Vec3<double>::from(pose.translation())};
}
// twists and wrenches, [angular; linear].
inline Eigen::Matrix<double, 6, 1> to_eigen(const Motion<double>& m) {
  return (Eigen::Matrix<double, 6, 1>() << m.ang.eigen(), m.lin.eigen()).finished();
}
inline Eigen::Matrix<double, 6, 1> to_eigen(const Force<double>& f) {
  return (Eigen::Matrix<double, 6, 1>() << f.ang.eigen(), f.lin.eigen()).finished();
}

}  // namespace lw
