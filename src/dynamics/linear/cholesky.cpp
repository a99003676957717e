#include "cholesky.hpp"

namespace lw {

template <class T>
void cholesky_solve(Out<T> M, Out<T> b) {
  const std::size_t n = b.size();
  const auto L = [&](std::size_t i, std::size_t j) -> T& { return M[j * n + i]; };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = k + 1; j < n; ++j) {
      const T factor = L(j, k) / L(k, k);
      for (std::size_t i = j; i < n; ++i) L(i, j) -= factor * L(i, k);
      L(j, k) = factor;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= L(i, k) * b[k];
  }
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= L(i, i);
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= L(k, i) * b[k];
  }
}

#define LW_INSTANTIATE(T) template void cholesky_solve<T>(Out<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
