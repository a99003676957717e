// Analytic derivatives of inverse dynamics: ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M (Carpentier, Mansard 2018; Singh, Russo,
// Wensing 2022). For joints with quaternions ∂q is a rotation (and a translation) along the joint's velocities, so
// there is one column per velocity.
//
// All vectors are spatial, in the axes and about the origin of the root body of the tree, so that the bodies supported
// by a joint are summed without transforms, a joint at the root is trivial, and the position of a floating tree costs
// no digits. For joint j, with p its parent, v velocity and a acceleration of bodies (the base accelerated by
// −gravity):
//   Ψ̇_j = v_p × S_j,   Ψ̈_j = a_p × S_j + v_p × Ψ̇_j,   E_j = Ψ̇_j + v_j × S_j  (= 2 Ψ̇_j for one velocity)
// for the bodies supported by joint i (composites: sums over the bodies from i on): inertia I, wrench f, and
//   B m = ½ (v ×* I m + m ×* I v − I (v × m)) = ∫ (x × (α × u), α × u) dm  for a motion m = (α, ·), u the velocity at x
//       = (N α, α × P),   N = (v·h) 1 − v hᵀ + [ω] (I − ½ tr I 1),   P the momentum: twelve numbers instead of 36
// Then for j between i and the base, or i itself:
//   ∂τ_i/∂q_j = S_iᵀ (2 B_i Ψ̇_j + I_i Ψ̈_j)        ∂τ_j/∂q_i = S_jᵀ (2 B_i Ψ̇_i + I_i Ψ̈_i + S_i ×* f_i)   (j ≠ i)
//   ∂τ_i/∂q̇_j = S_iᵀ (2 B_i S_j + I_i E_j)          ∂τ_j/∂q̇_i = S_jᵀ (2 B_i S_i + I_i E_i)
//   M_ij = S_jᵀ I_i S_i
// and zero if neither joint supports the other. A pair of joints costs five scalar products. A spherical or floating
// root has S = 1: the products with its velocities are the components of wrenches. Force elements add −∂Q/∂q
// (element_derivatives.hpp).
//
// The price of a single frame: S and I of a body at distance r from the root's origin are differences of numbers r (for
// S) and r² (for I) times larger than about its own joint. A link of size l then has up to (r/l)² times the rounding
// error in its own entries and r/l times in those with joints closer to the root: for grams and centimetres at ten
// metres, 2e-10 and 3e-12 of their terms (derivative_terms.hpp). In link frames (canonical/tensor_derivatives.hpp),
// used for traced functions, all errors are within 2e-13, but four wrenches are transformed along every pair of joints.
#pragma once

#include "derivative_workspace.hpp"

namespace lw {

// All results nv × nv by columns: d_q[j · nv + i] = ∂τ_i/∂q_j.
template <class T>
void inverse_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_qdd);

// Its steps. Positions, velocities, inertias and composites of every joint:
template <class T>
void place_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd);
// then accelerations, and the composite wrenches of every joint,
template <class T>
void accelerate_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> qd, In<T> qdd);
// τ, after accelerate_bodies,
template <class T>
void placed_torques(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qdd, Out<T> tau);
// M, after place_bodies,
template <class T>
void placed_mass_matrix(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> M);
// C of the velocity forces C q̇, after place_bodies: of Ṁ = C + Cᵀ, and for joints with coordinates of their own that of
// Christoffel. C_ij = S_iᵀ (I Ṡ_j + B S_j), I and B of what hangs on both, Ṡ_j = v_j × S_j,
template <class T>
void placed_coriolis_matrix(const Model<T>& model, const DerivativeWorkspace<T>& work, Out<T> C);
// and the other two, after accelerate_bodies: by columns, or in work.both. Without force elements.
template <class T>
void placed_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> d_q, Out<T> d_qd);
template <class T>
void placed_derivatives_in_lanes(const Model<T>& model, DerivativeWorkspace<T>& work);

}  // namespace lw
