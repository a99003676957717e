#include "reflections.hpp"

#include <algorithm>
#include <cmath>

#include "../../graph/typical.hpp"

namespace lw {

template <class T>
void Reflections<T>::reflect(std::size_t k, T* column) const {
  if (is_zero(beta_[k])) return;
  T sum(0.0);
  for (std::size_t i = k; i < n_; ++i) sum += at(i, k) * column[i];
  sum *= beta_[k];
  for (std::size_t i = k; i < n_; ++i) column[i] -= sum * at(i, k);
}

template <class T>
void Reflections<T>::factorize(In<T> A) {
  using std::abs, std::sqrt;
  std::copy(A.begin(), A.end(), A_.begin());
  for (std::size_t k = 0; k < n_; ++k) {
    beta_[k] = T(0.0);
    T below(0.0);
    for (std::size_t i = k + 1; i < n_; ++i) below += at(i, k) * at(i, k);
    T& first = at(k, k);
    if (is_zero(below)) {  // it is in its place already
      inverse_[k] = T(1.0) / first;
      continue;
    }
    const T length = sqrt(below + first * first), negative = less(first, T(0.0));
    const T reciprocal = T(1.0) / length;
    beta_[k] = reciprocal / (length + abs(first));
    inverse_[k] = select(negative, reciprocal, -reciprocal);
    first += select(negative, -length, length);
    for (std::size_t j = k + 1; j < n_; ++j) reflect(k, &at(0, j));
  }
}

template <class T>
void Reflections<T>::solve(Out<T> b) const {
  for (std::size_t k = 0; k < n_; ++k) reflect(k, b.data());
  for (std::size_t k = n_; k-- > 0;) {
    for (std::size_t j = k + 1; j < n_; ++j) b[k] -= at(k, j) * b[j];
    b[k] *= inverse_[k];
  }
}

template <class T>
void Reflections<T>::solve_transposed(Out<T> c) const {
  for (std::size_t k = 0; k < n_; ++k) {
    for (std::size_t i = 0; i < k; ++i) c[k] -= at(i, k) * c[i];
    c[k] *= inverse_[k];
  }
  for (std::size_t k = n_; k-- > 0;) reflect(k, c.data());
}

#define LW_INSTANTIATE(T) template class Reflections<T>;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
