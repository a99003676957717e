// Derivatives of forward dynamics q̈(q, q̇, τ), from those of inverse dynamics at the q̈ of the motion:
//   ∂q̈/∂q = −M⁻¹ ∂τ/∂q,   ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇,   ∂q̈/∂τ = M⁻¹
//
// M = LᵀDL keeps the zeros of the branches (crba.hpp): row k of L has entries only for the velocities above k. In
// double, eight columns are solved at a time, so that each entry of L serves eight products; Lᵀ y = b starts from the
// rows in which a column of b has entries, the joints above and below; and only half of M⁻¹ is computed.
#pragma once

#include "inverse_derivatives.hpp"

namespace lw {

// All results nv × nv by columns. Leaves q̈ in work.qdd.
template <class T>
void forward_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_tau);

}  // namespace lw
