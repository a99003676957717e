// Derivatives of inverse dynamics with few operations, on a canonical tree: ∂τ/∂q, ∂τ/∂q̇ and M, by the composite
// bodies of inverse_derivatives.hpp in link frames, after the sweeps of tensor_inverse.hpp.
//
// For a joint about z, in its carrier's axes at its origin, for an observer who moves with the parent's point there (′:
// of the parent), the columns of that header are mostly zeros and known values:
//
//   S = (z, 0)   Ψ̇ = (ω′ × z, 0)   Ψ̈ = (U′ z, a′ × z)   E = 2 Ψ̇             about z
//   S = (0, z)   Ψ̇ = (0, ω′ × z)   Ψ̈ = (0, U′ z)        E = 2 Ψ̇             along z
//
// The bodies supported by a joint have the moments P = (E, h, m), the momentum p and N α = ∫ r × (α × u) dm, with u the
// velocity of the mass at r. For a body about its own origin N = −[ω] E, p = ω × h. An observer with another velocity
// sees all u increased by V, one at another point all r increased by d:
//
//   N += (h·V) 1 − V hᵀ,  p += m V          N += (d·p) 1 − p dᵀ
//
// Towards the base a joint passes on three wrenches, I S, ∂/∂q and ∂/∂q̇, and one couple w = 2 ∫ u × s dm (s: the
// velocity that S gives), which changes with the observer by 2 V × (I S)'s force. A joint above uses their components
// along z and a few products with its own columns.
#pragma once

#include "tensor_inverse.hpp"

namespace lw {

// All results nv × nv by columns, without force elements. Allocates, because it is for tracing.
template <class T>
void tensor_derivatives(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q,
                        In<T> qd, In<T> qdd, Out<T> d_q, Out<T> d_qd, Out<T> d_qdd);

}  // namespace lw
