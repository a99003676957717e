// Linear equations A x = b and Aᵀ y = c without a choice of pivots, over any scalar: A = Q U by reflections
// (Householder 1958).
//
//   H = 1 − β v vᵀ,  v = x ± |x| e₁,  β = 1/(|x|(|x| + |x₁|))      takes a column x to ∓|x| e₁; the sign is that of x₁
//   x = U⁻¹ Qᵀ b,    y = Q U⁻ᵀ c
//
// As stable as elimination with pivots and better, for whatever A there is, and the same operations for all: what
// traced text needs. ⅔n³ multiplications and n roots to factorise, 3/2 n² to solve: twice those of an elimination that
// need not choose.
#pragma once

#include <vector>

#include "../../model/model.hpp"

namespace lw {

template <class T>
class Reflections {
 public:
  explicit Reflections(std::size_t n) : n_(n), A_(n * n), beta_(n), inverse_(n) {}

  void factorize(In<T> A);  // n × n, by columns
  void solve(Out<T> b) const;
  void solve_transposed(Out<T> c) const;

 private:
  const T& at(std::size_t row, std::size_t column) const { return A_[column * n_ + row]; }
  T& at(std::size_t row, std::size_t column) { return A_[column * n_ + row]; }
  void reflect(std::size_t k, T* column) const;

  std::size_t n_;
  std::vector<T> A_;               // U above the diagonal, v on it and below
  std::vector<T> beta_, inverse_;  // of each column, and 1/U_kk
};

}  // namespace lw
