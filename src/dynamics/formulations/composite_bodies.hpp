// Mass matrices by composite bodies: all that a joint carries moves as one rigid body when that joint moves alone.
//
// Walker and Orin 1982, method 3, in link axes. Composite mass M̂, centre ĉ from the hinge and inertia Ĵ about the
// centre: the link's own, then joined with what it carries. For each joint direction e:
//   turning: F = M̂ e × ĉ, N = Ĵ e;   sliding: F = M̂ e, N = 0;   wrench at the hinge: f = F, n = N + ĉ × F
// passed inwards: f_p = R f, n_p = R n + p × R f. M_ij is its part along joint i.
//
// Bae, Hwang and Haug 1988, in base axes about the base's origin. x: centre of mass, h: hinge, e: axis.
//   K_i = [J − m x̃², m x̃; −m x̃, m 1] + Σ K_j of the links it carries
//   B = [e; h × e] (turning), [0; e] (sliding),   M_ij = B_iᵀ K_j B_j, j the outer of the two
//
// Torques: τ = M q̈ + h, the bias h by the Newton-Euler sweeps of noc.hpp.
#pragma once

#include "linkage.hpp"

namespace lw {

template <class T>
void walker_orin(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void walker_orin_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

template <class T>
void bae_hwang_haug(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void bae_hwang_haug_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M);

}  // namespace lw
