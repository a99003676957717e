// M x = b for a symmetric positive definite M, by Cholesky's factorisation without square roots and without pivots, so
// that symbols can do it. The diagonal of L is 1.
//
//   cholesky_solve    M = L D Lᵀ, dense, from the first row to the last
//   solve_positive    the same for N × N in registers: one division per row
//   *_mass_matrix     M = Lᵀ D L, from the last row to the first, which keeps the zeros of a tree's branches
//                     (Featherstone 2005): O(n d²) for depth d. Joints that follow others fill such entries, and rotors
//                     that tie two such joints together: then M is taken as dense.
//
// Where rows are held, and where rounding counts: partial_cholesky.hpp, in numbers.
#pragma once

#include "../../model/model.hpp"

namespace lw {

// M (n × n, by columns; its lower half is read and replaced by L and D) and b, replaced by x.
template <class T>
void cholesky_solve(Out<T> M, Out<T> b);

// A x = b for an N × N matrix A, which is destroyed; x overwrites b.
template <int N, class Matrix, class Vector>
void solve_positive(Matrix& A, Vector& b) {
  using T = std::decay_t<decltype(b[0])>;
  for (int k = 0; k < N; ++k) {
    const T inverse = T(1.0) / A(k, k);
    for (int i = k + 1; i < N; ++i) {
      const T l = A(i, k) * inverse;
      for (int j = k + 1; j <= i; ++j) A(i, j) -= l * A(j, k);
      b[i] -= l * b[k];
    }
    for (int i = k + 1; i < N; ++i) A(i, k) *= inverse;
    b[k] *= inverse;
  }
  for (int k = N; k-- > 0;) {
    for (int i = k + 1; i < N; ++i) b[k] -= A(i, k) * b[i];
  }
}

template <class T>
bool has_dense_mass_matrix(const Model<T>& model);
// M = Lᵀ D L in place: row k of M then holds D_kk and the L_kj for j above k in the tree.
template <class T>
void factorize_mass_matrix(const Model<T>& model, Out<T> M);
// Solves M x = b with those factors; x overwrites b.
template <class T>
void solve_mass_matrix(const Model<T>& model, In<T> factors, Out<T> b);

}  // namespace lw
