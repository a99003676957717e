// Newton-Euler state space in body axes (Wong 1991, chapter 3): the free-body equations of all links, projected by the
// orthogonal complement H̄ = [C; ρ × C] of complement.hpp.
//
//   M_jk = Σ_i c_ij·J_i c_ik + r_ij·m_i r_ik,    τ_j = Σ_i c_ij·L̇_i + r_ij·m_i p̈_i,    i over the links beyond both
//   joints
//
// O(n³) for M, O(n²) for τ. Forward dynamics is M q̈ = τ − τ(q̈ = 0).
#pragma once

#include "complement.hpp"

namespace lw {

template <class T>
void ness(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void ness_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

// The two products with H̄ if it is already known.
template <class T>
void ness_project(const Complement<T>& complement, const MomentumRates<T>& rates, Out<T> tau);
template <class T>
void ness_project(const Linkage<T>& linkage, const Complement<T>& complement, Out<T> M);

// The forces eliminated by the projection: constraint forces of the joints on their links, without the components along
// the free directions (which are τ).
template <class T>
struct ConstraintForce {
  Vec3<T> gamma;   // force of the hinge on the link, in base axes
  Vec3<T> lambda;  // moment about the locked axes at the hinge, in the link's axes
};
template <class T>
std::vector<ConstraintForce<T>> ness_constraint_forces(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd);

}  // namespace lw
