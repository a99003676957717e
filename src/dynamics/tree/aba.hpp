// Forward dynamics in O(n): q̈ from τ by articulated bodies (Featherstone 1983; 2008 §7.3).
//
// Outward: velocities v, their bias c = v × S q̇, bias force p = v ×* I v − f_ext. Inward, for the articulated inertia
// I_A and bias force p_A of body i (starting from I and p):
//   U = I_A S,  D = Sᵀ U + armature,  u = τ − Sᵀ p_A
//   parent: I_A += X* (I_A − U D⁻¹ Uᵀ) X,   p_A += X* (p_A + (I_A − U D⁻¹ Uᵀ) c + U D⁻¹ u)
// Outward: a = X a_p + c,  q̈ = D⁻¹(u − Uᵀ a),  a += S q̈. The base is accelerated by −gravity.
// About 300 multiplications per revolute joint. Force elements add to p and τ (elements.hpp). A model with mimic joints
// or coupled rotors uses the mass matrix instead (crba.hpp).
#pragma once

#include "workspace.hpp"

namespace lw {

template <class T>
void aba(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> qdd,
         std::span<const Force<std::type_identity_t<T>>> external = {});

}  // namespace lw
