// Elementary rotations in any scalar. An angle that is a multiple of 90° to within the last bits of a double (as `90
// deg` or `pi/2` give it) gives exact zeros and ones; derivatives are preserved.
#pragma once

#include <cmath>

#include "../spatial/spatial.hpp"
#include "mechanism.hpp"

namespace lw {

// sin and cos with the exact values 0, ±1 at multiples of π/2.
void sin_cos_exact(double angle, double& s, double& c);

inline void sin_cos_exact(const Expr& angle, Expr& s, Expr& c) {
  if (!angle.is_constant()) {
    s = sin(angle);
    c = cos(angle);
    return;
  }
  double sine = 0.0, cosine = 0.0;
  sin_cos_exact(angle.constant(), sine, cosine);
  s = sine;
  c = cosine;
}
inline void sin_cos_exact(const Dual& angle, Dual& s, Dual& c) {
  double sine = 0.0, cosine = 0.0;
  sin_cos_exact(angle.v, sine, cosine);
  s = {sine, cosine * angle.d};
  c = {cosine, -sine * angle.d};
}
inline void sin_cos_exact(const ComplexStep& angle, ComplexStep& s, ComplexStep& c) {
  double sine = 0.0, cosine = 0.0;
  sin_cos_exact(angle.re, sine, cosine);
  s = {sine, cosine * angle.im};
  c = {cosine, -sine * angle.im};
}
inline void sin_cos_exact(const Count& angle, Count& s, Count& c) {
  double sine = 0.0, cosine = 0.0;
  sin_cos_exact(angle.v, sine, cosine);
  s = {sine, angle.count};
  c = {cosine, angle.count};
}

// The rotation about e_k that turns e_{k+1} towards e_{k+2} (cyclic).
template <class T>
Mat3<T> rotation_about(int k, const T& angle) {
  T s, c;
  sin_cos_exact(angle, s, c);
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  Mat3<T> R = Mat3<T>::identity();
  R(i, i) = c;
  R(i, j) = -s;
  R(j, i) = s;
  R(j, j) = c;
  return R;
}
template <class T>
Mat3<T> rotation_about_x(const T& angle) {
  return rotation_about(0, angle);
}
template <class T>
Mat3<T> rotation_about_y(const T& angle) {
  return rotation_about(1, angle);
}
template <class T>
Mat3<T> rotation_about_z(const T& angle) {
  return rotation_about(2, angle);
}

// Roll, pitch and yaw about fixed x, y, z.
template <class T>
Mat3<T> rotation_from_rpy(const T& roll, const T& pitch, const T& yaw) {
  return rotation_about_z(yaw) * rotation_about_y(pitch) * rotation_about_x(roll);
}

// The inverse. At pitch = ±90° roll and yaw are not unique: yaw is set to zero.
Vec3<double> rpy_from_rotation(const Mat3<double>& R);

// The rotation nearest to a rotation matrix written with few digits. Newton steps R (3 − RᵀR)/2 leave exact rotations
// unchanged; each doubles the number of digits.
template <class T>
Mat3<T> nearest_rotation(Mat3<T> R) {
  for (int step = 0; step < 2; ++step) {
    const Mat3<T> square = transpose(R) * R;
    R = R * (Mat3<T>::diagonal(T(1.5)) - square * T(0.5));
  }
  return R;
}

// The rotation given in a file, where `at` evaluates its formulas.
template <class T, class Values>
Mat3<T> rotation_of(const Values& at, const Rotation& r) {
  const auto v = [&](std::size_t k) -> T { return at(r.values[k]); };
  switch (r.kind) {
    case Rotation::Kind::none: break;
    case Rotation::Kind::rpy: return rotation_from_rpy<T>(v(0), v(1), v(2));
    case Rotation::Kind::quaternion: {
      using std::sqrt;
      const T n = sqrt(v(0) * v(0) + v(1) * v(1) + v(2) * v(2) + v(3) * v(3));
      return rotation_from_quaternion<T>(v(0) / n, v(1) / n, v(2) / n, v(3) / n);
    }
    case Rotation::Kind::matrix:
      // by rows in the file, by columns here
      return nearest_rotation(Mat3<T>({v(0), v(3), v(6)}, {v(1), v(4), v(7)}, {v(2), v(5), v(8)}));
  }
  return Mat3<T>::identity();
}

// A joint placed by a Denavit-Hartenberg row: the transform from the parent link to the joint's frame, whose z axis is
// the joint axis, and after the motion to the link's frame, which differs only in the standard convention.
template <class T>
struct DhPlaces {
  Transform<T> before, after;
};
template <class T, class Values>
DhPlaces<T> dh_places(const Values& at, const DenavitHartenberg& row) {
  const Transform<T> screw_x{rotation_about_x<T>(at(row.alpha)), {at(row.a), T(0.0), T(0.0)}};
  const Transform<T> screw_z{rotation_about_z<T>(at(row.theta)), {T(0.0), T(0.0), at(row.d)}};
  if (row.standard) return {screw_z, screw_x};
  return {screw_x * screw_z, {}};
}

}  // namespace lw
