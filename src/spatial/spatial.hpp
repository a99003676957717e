// Spatial algebra of rigid bodies in any scalar. Spatial vectors are [angular; linear].
//
//   Transform  X_AB: pose of frame B in frame A; a point r_B is R r_B + p in A
//   Motion     twist of a body at its frame's origin, in its frame's axes: (ω, v)
//   Force      wrench at the frame's origin: (moment n, force f)
//   RigidInertia  mass m, first moment h = m c, inertia I about the frame's ORIGIN;
//                 momentum of a twist: n = I ω + h × v,  f = m v − h × ω
#pragma once

#include "vec3.hpp"

namespace lw {

template <class T>
struct Motion {
  Vec3<T> ang, lin;

  friend Motion operator+(const Motion& a, const Motion& b) { return {a.ang + b.ang, a.lin + b.lin}; }
  Motion& operator+=(const Motion& o) { return *this = *this + o; }
};

template <class T>
struct Force {
  Vec3<T> ang, lin;

  friend Force operator+(const Force& a, const Force& b) { return {a.ang + b.ang, a.lin + b.lin}; }
  friend Force operator-(const Force& a, const Force& b) { return {a.ang - b.ang, a.lin - b.lin}; }
  Force& operator+=(const Force& o) { return *this = *this + o; }
  Force& operator-=(const Force& o) { return *this = *this - o; }
};

// Power.
template <class T>
T dot(const Motion<T>& m, const Force<T>& f) {
  const T of_force = dot(m.lin, f.lin);  // in this order, as in vec3.hpp
  return dot(m.ang, f.ang) + of_force;
}

template <class T>
struct Transform {
  Mat3<T> R = Mat3<T>::identity();
  Vec3<T> p;

  // A motion of A, at A's origin -> the same motion at B's origin, in B's axes.
  Motion<T> to_child(const Motion<T>& m) const {
    const Mat3<T> Rt = transpose(R);
    return {Rt * m.ang, Rt * (m.lin + cross(m.ang, p))};
  }
  // A wrench at B's origin -> the same wrench at A's origin, in A's axes.
  Force<T> to_parent(const Force<T>& f) const {
    const Vec3<T> lin = R * f.lin;
    return {R * f.ang + cross(p, lin), lin};
  }
  Force<T> to_child(const Force<T>& f) const {
    const Mat3<T> Rt = transpose(R);
    return {Rt * (f.ang - cross(p, f.lin)), Rt * f.lin};
  }
  Transform operator*(const Transform& X_BC) const { return {R * X_BC.R, p + R * X_BC.p}; }
  Transform inverse() const {
    const Mat3<T> Rt = transpose(R);
    return {Rt, -(Rt * p)};
  }
};

template <class T>
struct RigidInertia {
  T mass = T(0.0);
  Vec3<T> h;
  Mat3<T> I;

  static RigidInertia about_com(const T& mass, const Vec3<T>& com, const Mat3<T>& I_com);
  Force<T> operator*(const Motion<T>& m) const {  // in this order, as in vec3.hpp
    const Vec3<T> n_of_v = cross(h, m.lin), n = I * m.ang + n_of_v, f_of_w = cross(h, m.ang);
    return {n, mass * m.lin - f_of_w};
  }
  RigidInertia& operator+=(const RigidInertia& o) { return *this = {mass + o.mass, h + o.h, I + o.I}; }
};

// The inertia of a body given in frame B, transformed to frame A, with h' = R h:
//   I_A = R I Rᵀ − [p][h'] − [h'][p] − m [p][p] = R I Rᵀ + (p·g) 1 − ½ (g pᵀ + p gᵀ),  g = 2 h' + m p
template <class T>
RigidInertia<T> to_parent(const Transform<T>& X_AB, const RigidInertia<T>& inertia) {
  const Vec3<T>& p = X_AB.p;
  const Vec3<T> h = X_AB.R * inertia.h;
  const Vec3<T> mp = inertia.mass * p;
  const Vec3<T> half = h + T(0.5) * mp;
  const Mat3<T> rotated = X_AB.R * (inertia.I * transpose(X_AB.R));
  const T trace = T(2.0) * dot(p, half);
  return {inertia.mass, h + mp, rotated - outer(half, p) - outer(p, half) + Mat3<T>::diagonal(trace)};
}

template <class T>
RigidInertia<T> RigidInertia<T>::about_com(const T& mass, const Vec3<T>& com, const Mat3<T>& I_com) {
  return to_parent(Transform<T>{Mat3<T>::identity(), com}, RigidInertia<T>{mass, Vec3<T>::zero(), I_com});
}

// R of a unit quaternion (x, y, z, w).
template <class T>
Mat3<T> rotation_from_quaternion(const T& x, const T& y, const T& z, const T& w) {
  const T two(2.0), one(1.0);
  return {{one - two * (y * y + z * z), two * (x * y + z * w), two * (x * z - y * w)},
          {two * (x * y - z * w), one - two * (x * x + z * z), two * (y * z + x * w)},
          {two * (x * z + y * w), two * (y * z - x * w), one - two * (x * x + y * y)}};
}

}  // namespace lw
