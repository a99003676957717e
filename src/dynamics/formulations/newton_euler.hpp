// Recursive Newton-Euler about the centres of mass, in link frames.
//
// Conventional (Luh, Walker, Paul 1980; Dhanaraj 1990, table 2.3). R, p: pose of link i in its parent; s: its centre of
// mass; z: its joint axis; base: ω = α = 0, a = −g. Outward ([R] revolute, [P] prismatic):
//   ω_i = Rᵀω_{i−1} + [R] z q̇,   α_i = Rᵀα_{i−1} + [R](z q̈ + Rᵀω_{i−1} × z q̇)
//   a_i = Rᵀ(a_{i−1} + α_{i−1} × p + ω_{i−1} × (ω_{i−1} × p)) + [P](z q̈ + 2 Rᵀω_{i−1} × z q̇)
//   a_ci = a_i + α_i × s + ω_i × (ω_i × s),   F = m a_c,   N = I α + ω × I ω
// Inward, over the links j that link i carries:
//   f_i = F_i + Σ R_j f_j,   n_i = N_i + s × F_i + Σ (R_j n_j + p_j × R_j f_j),   τ_i = z·n_i or z·f_i
#pragma once

#include "linkage.hpp"

namespace lw {

// tau (nv of the linkage). Joints with one coordinate.
template <class T>
void newton_euler(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

}  // namespace lw
