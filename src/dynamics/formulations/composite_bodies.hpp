// Mass matrices by composite bodies: if only one joint moves, everything that it carries moves as one rigid body.
//
// Walker and Orin 1982, method 3, in link axes. Composite mass M̂, centre ĉ from the hinge and inertia Ĵ about the
// centre: those of the link combined with those of the bodies that it carries. For each joint direction e:
//   rotation: F = M̂ e × ĉ, N = Ĵ e;   translation: F = M̂ e, N = 0;   wrench at the hinge: f = F, n = N + ĉ × F
// passed inward: f_p = R f, n_p = R n + p × R f. M_ij is its component along joint i.
//
// Bae, Hwang and Haug 1988, in base axes about the base's origin. x: centre of mass, h: hinge, e: axis.
//   K_i = [J − m x̃², m x̃; −m x̃, m 1] + Σ K_j of the links it carries
//   B = [e; h × e] (rotation), [0; e] (translation),   M_ij = B_iᵀ K_j B_j, j the outer of the two
//
// Torques: τ = M q̈ + h, with the bias h by the Newton-Euler sweeps of noc.hpp.
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
