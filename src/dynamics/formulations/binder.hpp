// Recursive Newton-Euler with frames at the far end of each link (Binder 1985, section 2.3.2; docs/theory/binder.md).
//
// Frame i is fixed on link i, at joint i+1's frame; joint i rotates about or translates along z_{i−1}, an axis of link
// i−1. A transforms components from frame i−1 to frame i; S: from origin i−1 to origin i; r: centre of mass from origin
// i; J: inertia about it. Base: ω = ω̇ = 0, a = −g. Outward ([R] revolute, [P] prismatic):
//   ω_i = A(ω_{i−1} + [R] z q̇),   ω̇_i = A(ω̇_{i−1} + [R](z q̈ + ω_{i−1} × z q̇))
//   a_i = A(a_{i−1} + [P] z q̈) + ω̇_i × S + ω_i × (ω_i × S) + [P] 2 ω_i × A z q̇
//   F = m(a_i + ω̇_i × r + ω_i × (ω_i × r)),   N = J ω̇ + ω × J ω
// Inward, with A' of link i+1:
//   f_i = A'ᵀ f_{i+1} + F,   n_i = A'ᵀ n_{i+1} + S × A'ᵀ f_{i+1} + (S + r) × F + N,   τ_i = n_i·A z or f_i·A z
// In link frames z = (0, 0, 1), and r and J are constant, as is S of a revolute joint. In base axes A = 1, and z, S, r
// and J are rotated into these axes.
#pragma once

#include "linkage.hpp"

namespace lw {

// tau (nv of the linkage). Chains of joints with one coordinate.
template <class T>
void binder_link(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void binder_base(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

// The chain in the axes of either form, and the common recursion.
template <class T>
struct BinderLink {
  bool slides = false;
  Mat3<T> A;
  Vec3<T> z;  // in frame i−1; all below in frame i
  Vec3<T> S;
  T mass = T(0.0);
  Vec3<T> r;
  Mat3<T> J;
};
template <class T>
struct BinderChain {
  Vec3<T> base_acceleration;  // −g, in frame 0
  std::vector<BinderLink<T>> links;
};
// Frame 0 is joint 1's frame at rest; the last link, which carries no joint, has the frame of its own joint.
template <class T>
BinderChain<T> chain_in_link_frames(const Linkage<T>& linkage, Poses<T> poses);
template <class T>
BinderChain<T> chain_in_base_axes(const Linkage<T>& linkage, Poses<T> poses);
template <class T>
void binder_recursion(const BinderChain<T>& chain, In<T> qd, In<T> qdd, Out<T> tau);

// Its terms, which can be counted one by one. Vectors without index belong to link i−1; `rate` is z q̇ and
// `acceleration` is z q̈.
namespace binder_steps {

template <class T>
Vec3<T> angular_velocity(const Mat3<T>& A, const Vec3<T>& w, const Vec3<T>& rate) {
  return A * (w + rate);
}
template <class T>
Vec3<T> angular_acceleration(const Mat3<T>& A, const Vec3<T>& wd, const Vec3<T>& w, const Vec3<T>& rate,
                             const Vec3<T>& acceleration) {
  return A * (wd + acceleration + cross(w, rate));
}
template <class T>
Vec3<T> origin_acceleration(const Mat3<T>& A, const Vec3<T>& a, const Vec3<T>& w_i, const Vec3<T>& wd_i,
                            const Vec3<T>& S) {
  return cross(wd_i, S) + cross(w_i, cross(w_i, S)) + A * a;
}
template <class T>
Vec3<T> own_force(const T& mass, const Vec3<T>& a_i, const Vec3<T>& w_i, const Vec3<T>& wd_i, const Vec3<T>& r) {
  return mass * (cross(wd_i, r) + cross(w_i, cross(w_i, r)) + a_i);
}
template <class T>
Vec3<T> own_moment(const Mat3<T>& J, const Vec3<T>& w_i, const Vec3<T>& wd_i) {
  return J * wd_i + cross(w_i, J * w_i);
}
// f and n of link i+1; `turned` is A'ᵀ, `passed` is A'ᵀ f
template <class T>
Vec3<T> joint_force(const Vec3<T>& passed, const Vec3<T>& F) {
  return passed + F;
}
template <class T>
Vec3<T> joint_moment(const Mat3<T>& turned, const Vec3<T>& n, const Vec3<T>& passed, const Vec3<T>& S, const Vec3<T>& r,
                     const Vec3<T>& F, const Vec3<T>& N) {
  return turned * n + cross(S, passed) + cross(S + r, F) + N;
}
template <class T>
T along_joint(const Vec3<T>& f_or_n, const Mat3<T>& A, const Vec3<T>& z) {
  return dot(f_or_n, A * z);
}

}  // namespace binder_steps
}  // namespace lw
