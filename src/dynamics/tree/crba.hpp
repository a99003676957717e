// Mass matrix M(q) by composite rigid bodies (Walker, Orin 1982; Featherstone 2008 §6.2), and M x = b by the
// factorisation M = LᵀL-with-diagonal that keeps its branch-induced zeros (LTDL, Featherstone 2005).
//
//   I^c_i = I_i + Σ_children X* I^c X,   M_ij = S_jᵀ X* I^c_i S_i for j on the path from i to the base
//
// M_ij is zero where neither joint is above the other; the factorisation never touches those entries: O(n d²) for depth
// d. Joints that follow others fill such entries, and rotors that tie two such joints together: then M is taken as
// dense.
#pragma once

#include "workspace.hpp"

namespace lw {

template <class T>
bool has_dense_mass_matrix(const Model<T>& model);

// M (nv × nv, both halves), rotor inertias included.
template <class T>
void crba(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> M);

// M = Lᵀ D L in place, L unit: row k of M then holds D_kk and the L_kj for j above k in the tree.
template <class T>
void factorize_mass_matrix(const Model<T>& model, Out<T> M);

// Solves M x = b with those factors; x overwrites b.
template <class T>
void solve_mass_matrix(const Model<T>& model, In<T> factors, Out<T> b);

// Forward dynamics by this method: q̈ = M⁻¹(τ − h).
template <class T>
void forward_by_crba(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> qdd,
                     std::span<const Force<std::type_identity_t<T>>> external = {});

}  // namespace lw
