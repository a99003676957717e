// Lagrange's equations by groups of matrices (Twu 1987, equations 2-12, 2-14 and chapter 4):
//
//   Q_j = Σ_i m_i [v̇_i·∂v_i/∂q̇_j + v_i·(d/dt ∂v_i/∂q̇_j − ∂v_i/∂q_j) − g·∂v_i/∂q̇_j]
//       + Σ_i [Ẇ_i·I_i ∂W_i/∂q̇_j + W_i·I_i (d/dt ∂W_i/∂q̇_j − ∂W_i/∂q_j)]
//
// v: velocity of the centre of mass r in the base, T_i = A_1 … A_i, v_i = Ṫ_i r_i; W: angular velocity in link axes.
// (The weight's term is g·∂Y_i/∂q_j for the position Y_i, and ∂Y_i/∂q_j = ∂v_i/∂q̇_j.) Each derivative of v_i is a sum
// of groups, products of i matrices applied to r_i. The matrix at position k is, for all l and m on the path to link i:
//
//   (4-4) v          all l      k = l: Ȧ
//   (4-5) v̇          all l, m   l = m = k: Ä;        l ≠ m: Ȧ at l and at m
//   (4-6) ∂v/∂q_j    all l      l = j = k: ∂Ȧ/∂q;    l ≠ j: ∂A/∂q at j, Ȧ at l
//   (4-7) ∂v/∂q̇_j    one        k = j: ∂Ȧ/∂q̇
//   (4-8) d/dt of it  all l      l = j = k: d/dt ∂Ȧ/∂q̇;  l ≠ j: ∂Ȧ/∂q̇ at j, Ȧ at l
//
// and A everywhere else. The rotational terms differentiate the recursion W_i = Rᵀ W_p + z q̇ (without z q̇ for a
// prismatic joint). (4-6) and (4-8) are equal, so the velocity terms cancel; Twu evaluates both, and so does this code.
// Those of W, in rotating axes, do not cancel. Inertia tensors may be full; Twu's are along the link's axes.
#pragma once

#include "homogeneous.hpp"

namespace lw {

// tau (nv of the linkage). Joints with one coordinate.
template <class T>
void twu(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

// M_ja = Σ_i m_i (∂v_i/∂q̇_a)·∂v_i/∂q̇_j + (∂W_i/∂q̇_a)·I_i ∂W_i/∂q̇_j: the coefficient of q̈_a with Ä = A' q̈ + A''
// q̇².
template <class T>
void twu_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

namespace detail {

// The basic matrices of a joint, with A' = dA/dq.
template <class T>
struct TwuMatrices {
  Homogeneous<T> A;
  Homogeneous<T> rate;       // Ȧ = A' q̇
  Homogeneous<T> rate_rate;  // Ä = A' q̈ + A'' q̇²
  Homogeneous<T> by_q;       // ∂A/∂q = ∂Ȧ/∂q̇ = A'
  Homogeneous<T> rate_by_q;  // ∂Ȧ/∂q = d/dt ∂Ȧ/∂q̇ = A'' q̇
};
template <class T>
TwuMatrices<T> twu_matrices(const typename Linkage<T>::Link& link, const Transform<T>& pose, const T& qd, const T& qdd);

template <class T>
using TwuWay = std::span<const TwuMatrices<std::type_identity_t<T>>>;  // from the base to the link, itself included

template <class T>
Vec3<T> twu_v(TwuWay<T> way, const Vec3<T>& r);  // (4-4)
template <class T>
Vec3<T> twu_v_rate(TwuWay<T> way, const Vec3<T>& r);  // (4-5)
// (4-6) and, the basic matrices being the same, (4-8)
template <class T>
Vec3<T> twu_v_by_q(TwuWay<T> way, std::size_t j, const Vec3<T>& r);
template <class T>
Vec3<T> twu_v_by_rate(TwuWay<T> way, std::size_t j, const Vec3<T>& r);  // (4-7)

// The second sum of Q, that of W.
template <class T>
void twu_turning(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

}  // namespace detail

}  // namespace lw
