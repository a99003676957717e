// Mass matrix M(q) by composite rigid bodies (Walker, Orin 1982; Featherstone 2008 §6.2).
//
//   I^c_i = I_i + Σ_children X* I^c X,   M_ij = S_jᵀ X* I^c_i S_i for j on the path from i to the base
//
// M_ij is zero where neither joint is above the other, and so are the entries of its factors (linear/cholesky.hpp).
#pragma once

#include "../linear/cholesky.hpp"
#include "workspace.hpp"

namespace lw {

// M (nv × nv, both halves), rotor inertias included.
template <class T>
void crba(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> M);

// Forward dynamics by this method: q̈ = M⁻¹(τ − h).
template <class T>
void forward_by_crba(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> qdd,
                     std::span<const Force<std::type_identity_t<T>>> external = {});

}  // namespace lw
