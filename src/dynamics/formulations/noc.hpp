// Natural orthogonal complement (Angeles and Ma 1988; Angeles, Ma and Rojas 1989), over the H̄ of complement.hpp.
//
//   M = PᵀP,  P_ij = [N_i c_ij; √m_i r_ij],  N_iᵀN_i = J_i:    M is symmetric and positive semidefinite
//   τ_j = e_j·n_j or e_j·f_j, the wrenches (f, n) at the hinges by one inward sweep: O(n)
//
// Inertias must not be negative.
#pragma once

#include "complement.hpp"

namespace lw {

template <class T>
void natural_orthogonal_complement(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void noc_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

// N with NᵀN = J: Cholesky with the largest pivot first (found by `select`), so that it is exact for inertias that
// vanish about an axis (a thin rod) or entirely; the remaining rows are then zero. With its columns reordered N is
// triangular.
template <class T>
Mat3<T> inertia_root(const Mat3<T>& J);

}  // namespace lw
