// Derivatives of force elements (elements.hpp) along the joints' velocities: −∂Q/∂q, as in ∂τ/∂q.
//
// A force f and moment m at a point of a body: Q_i = f·J_i + m·A_i, with J_i the velocity of the point and A_i the
// angular velocity of the body for a unit velocity i of a joint above it, all in world axes. A rotation j moves
// everything that it carries:
//   ∂J_i/∂q_j = A_j × J_i,  ∂A_i/∂q_j = A_j × A_i   where j is above i or of the same joint
//   ∂J_i/∂q_j = A_i × J_j,  ∂A_i/∂q_j = 0           where j is below i
// and of a point spring with tension t along n over the length L, ∂(t n)/∂d = t′ n nᵀ + (t/L)(1 − n nᵀ).
#pragma once

#include "derivative_workspace.hpp"

namespace lw {

// All after place_bodies (inverse_derivatives.hpp). τ −= Q:
template <class T>
void subtract_element_torques(const Model<T>& model, const DerivativeWorkspace<T>& work, In<T> q, Out<T> tau);

// ∂τ/∂q −= ∂Q/∂q. The entry of row i in column j stands at data[columns[j] + stride · i].
template <class T>
void subtract_element_derivatives(const Model<T>& model, const DerivativeWorkspace<T>& work, In<T> q, T* data,
                                  const std::vector<std::ptrdiff_t>& columns, std::ptrdiff_t stride);

}  // namespace lw
