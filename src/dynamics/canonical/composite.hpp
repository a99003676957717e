// Mass matrix with few operations, by composite bodies on a canonical tree.
//
// Moments of the composite body of a link are rotated into its carrier's axes, which is all that is needed: a unit
// acceleration about z requires
//
//   n = (−E_xz, −E_yz, E_xx + E_yy),   f = (−h_y, h_x, 0)
//
// which are entries of moments that the parent's composite needs anyway. E_xx + E_yy is invariant under the rotation.
#pragma once

#include "tensor_inverse.hpp"

namespace lw {

// M (nv × nv, both halves), rotor inertias included. Allocates, because it is for tracing.
template <class T>
void composite_mass_matrix(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q,
                           Out<T> M);

}  // namespace lw
