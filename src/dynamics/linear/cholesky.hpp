// M x = b for a symmetric positive definite M: M = L D Lᵀ (Cholesky without square roots; the diagonal of L is 1), then
// two substitutions.
#pragma once

#include "../tree/workspace.hpp"

namespace lw {

// M (n × n, by columns; its lower half is read and replaced by L and D) and b, replaced by x.
template <class T>
void cholesky_solve(Out<T> M, Out<T> b);

}  // namespace lw
