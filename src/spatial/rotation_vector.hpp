// Rotations as axis times angle.
//
//   rotation_about_axis  R = c 1 + (1 − c) a aᵀ + s [a], a of unit length (Rodrigues)
//   rotation_vector      the inverse: θ a with 0 ≤ θ ≤ π
#pragma once

#include <cmath>

#include <Eigen/Geometry>

#include "spatial.hpp"

namespace lw {

template <class T>
Mat3<T> rotation_about_axis(const Vec3<T>& a, const T& angle) {
  using std::cos, std::sin;
  const T c = cos(angle), s = sin(angle);
  return Mat3<T>::diagonal(c) + outer(a, a) * (T(1.0) - c) + skew(a) * s;
}

inline Vec3<double> rotation_vector(const Mat3<double>& R) {
  Eigen::Quaterniond q(R.eigen());
  if (q.w() < 0.0) q.coeffs() *= -1.0;
  const double sine = q.vec().norm();
  if (sine < 1e-150) return Vec3<double>::zero();
  return Vec3<double>::from(q.vec() * (2.0 * std::atan2(sine, q.w()) / sine));
}

}  // namespace lw
