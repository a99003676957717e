// Closed Lagrange equations (Uicker 1965, Kahn 1969; Dhanaraj 1990, appendix A.1), with every coefficient formed:
//
//   τ_i = Σ_k D_ik q̈_k + Σ_k Σ_m h_ikm q̇_k q̇_m + c_i
//   D_ik = Σ_j tr(U_jk J_j U_jiᵀ),  h_ikm = Σ_j tr(U_jkm J_j U_jiᵀ),  c_i = −Σ_j gᵀ U_ji [m r; m]_j
//
// over the links j that the joints move. T_j: pose of link j; U_ji = ∂T_j/∂q_i; U_jkm = ∂²T_j/∂q_k ∂q_m. With the
// parent p of j and A its pose in p:
//   U_ji = U_pi A,  U_jj = T_j Q;   U_jkm = U_pkm A,  U_jkj = U_jk Q      (k, m on the way to p)
// h is symmetric in k and m, D in i and k: half of each is computed. The cost grows with the fourth power of the
// joints.
#pragma once

#include "homogeneous.hpp"

namespace lw {

// tau (nv of the linkage). Joints with one coordinate.
template <class T>
void lagrange(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

// D (nv × nv).
template <class T>
void lagrange_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> D);

}  // namespace lw
