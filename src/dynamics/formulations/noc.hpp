// Natural orthogonal complement (Angeles and Ma 1988; Angeles, Ma and Rojas 1989), over the H̄ of complement.hpp.
//
//   M = PᵀP,  P_ij = [N_i c_ij; √m_i r_ij],  N_iᵀN_i = J_i,    so that M is symmetric and not negative by construction
//   τ_j = e_j·n_j or e_j·f_j, the wrenches (f, n) at the hinges by one sweep inwards: O(n)
//
// N is lower triangular, hence N z has one entry. Inertias must not be negative.
#pragma once

#include "complement.hpp"

namespace lw {

template <class T>
void natural_orthogonal_complement(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void noc_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

// N, lower triangular, with NᵀN = J. Where J has no inertia left about an axis (a thin rod, a massless link), that row of N
// is zero.
template <class T>
Mat3<T> inertia_root(const Mat3<T>& J);

}  // namespace lw
