// Recursive Newton-Euler about the centres of mass, in link frames (docs/theory/newton-euler.md).
//
// Conventional (Luh, Walker, Paul 1980; Dhanaraj 1990, table 2.3). R, p: pose of link i in its parent; s: its centre of
// mass; z: its joint axis; base: ω = α = 0, a = −g. Outward ([R] revolute, [P] prismatic):
//   ω_i = Rᵀω_{i−1} + [R] z q̇,   α_i = Rᵀα_{i−1} + [R](z q̈ + Rᵀω_{i−1} × z q̇)
//   a_i = Rᵀ(a_{i−1} + α_{i−1} × p + ω_{i−1} × (ω_{i−1} × p)) + [P](z q̈ + 2 Rᵀω_{i−1} × z q̇)
//   a_ci = a_i + α_i × s + ω_i × (ω_i × s),   F = m a_c,   N = I α + ω × I ω
// Inward, over the links j that link i carries:
//   f_i = F_i + Σ R_j f_j,   n_i = N_i + s × F_i + Σ (R_j n_j + p_j × R_j f_j),   τ_i = z·n_i or z·f_i
//
// Modified (Dhanaraj 1990, table 2.4). With S = ωωᵀ − ω·ω 1 and λ = S + [α], so that λ r = α × r + ω × (ω × r):
//   α_i = Rᵀα_{i−1} + [R](q̇ω_y, −q̇ω_x, q̈),   λ_i from ω_i and α_i [R], Rᵀλ_{i−1}R [P]
//   a_i = Rᵀ(a_{i−1} + λ_{i−1} p) + [P](2q̇ω_y, −2q̇ω_x, q̈),   a_ci = a_i + λ_i s
//   N = I α + D∘(S_yz, S_zx, S_xy) + terms of I_yz, I_zx, I_xy,   D = (I_zz − I_yy, I_xx − I_zz, I_yy − I_xx)
// and the rest as above.
#pragma once

#include "linkage.hpp"

namespace lw {

// tau (nv of the linkage). Joints with one coordinate.
template <class T>
void newton_euler(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void newton_euler_modified(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

// The lines of both forms, which can be counted one by one. Vectors without index belong to the parent; `rate` is z q̇
// and `acceleration` is z q̈.
namespace newton_euler_steps {

// Both forms.
template <class T>
Vec3<T> angular_velocity(const Mat3<T>& Rt, const Vec3<T>& w, const Vec3<T>& rate) {
  return Rt * w + rate;
}
template <class T>
Vec3<T> passed_force(const Mat3<T>& R, const Vec3<T>& f) {
  return R * f;
}
template <class T>
Vec3<T> passed_moment(const Transform<T>& pose, const Vec3<T>& n, const Vec3<T>& passed_force) {
  return pose.R * n + cross(pose.p, passed_force);
}
template <class T>
Vec3<T> moment_about_joint(const Vec3<T>& N, const Vec3<T>& s, const Vec3<T>& F) {
  return N + cross(s, F);
}

// Conventional. `turned` is Rᵀω, or ω_i, which differs from it along z only.
template <class T>
Vec3<T> angular_acceleration(const Mat3<T>& Rt, const Vec3<T>& alpha, const Vec3<T>& turned, const Vec3<T>& rate,
                             const Vec3<T>& acceleration) {
  return Rt * alpha + (acceleration + cross(turned, rate));
}
// of a point at r from one that has the acceleration a
template <class T>
Vec3<T> point_acceleration(const Vec3<T>& a, const Vec3<T>& w, const Vec3<T>& alpha, const Vec3<T>& r) {
  return a + cross(alpha, r) + cross(w, cross(w, r));
}
template <class T>
Vec3<T> slide_acceleration(const Vec3<T>& turned, const Vec3<T>& rate, const Vec3<T>& acceleration) {
  return acceleration + cross(turned, T(2.0) * rate);
}
template <class T>
Vec3<T> own_moment(const Mat3<T>& I, const Vec3<T>& w, const Vec3<T>& alpha) {
  return I * alpha + cross(w, I * w);
}

// Modified.
template <class T>
struct Spin {
  Mat3<T> S, lambda;
};
template <class T>
Spin<T> spin(const Vec3<T>& w, const Vec3<T>& alpha) {
  const T xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const T kx = w[1] * w[2], ky = w[2] * w[0], kz = w[0] * w[1];
  const Mat3<T> S{{-(yy + zz), kz, ky}, {kz, -(zz + xx), kx}, {ky, kx, -(xx + yy)}};
  return {S, S + skew(alpha)};
}
template <class T>
Spin<T> turned_spin(const Mat3<T>& R, const Spin<T>& of) {
  const Mat3<T> Rt = transpose(R);
  return {Rt * (of.S * R), Rt * (of.lambda * R)};
}
// (q̇ω_y, −q̇ω_x, q̈) = z q̈ + ω × z q̇
template <class T>
Vec3<T> joint_acceleration(const Vec3<T>& w, const T& rate, const T& acceleration) {
  return {rate * w[1], -(rate * w[0]), acceleration};
}
template <class T>
Vec3<T> point_acceleration(const Vec3<T>& a, const Mat3<T>& lambda, const Vec3<T>& r) {
  return a + lambda * r;
}
template <class T>
Vec3<T> inertia_differences(const Mat3<T>& I) {
  return {I(2, 2) - I(1, 1), I(0, 0) - I(2, 2), I(1, 1) - I(0, 0)};
}
// The squares in ω × I ω occur in differences, and those of S are the same. Each difference is formed where it is
// multiplied, so that it costs nothing if the products of inertia are zero.
template <class T>
Vec3<T> own_moment(const Mat3<T>& I, const Vec3<T>& D, const Mat3<T>& S, const Vec3<T>& alpha) {
  const T kx = S(1, 2), ky = S(2, 0), kz = S(0, 1);
  const T Iyz = I(1, 2), Izx = I(2, 0), Ixy = I(0, 1);
  return I * alpha + Vec3<T>(D[0] * kx + (S(1, 1) * Iyz - S(2, 2) * Iyz + kz * Izx - ky * Ixy),
                             D[1] * ky + (S(2, 2) * Izx - S(0, 0) * Izx + kx * Ixy - kz * Iyz),
                             D[2] * kz + (S(0, 0) * Ixy - S(1, 1) * Ixy + ky * Iyz - kx * Izx));
}

}  // namespace newton_euler_steps
}  // namespace lw
