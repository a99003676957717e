#include "cholesky.hpp"

namespace lw {

template <class T>
void cholesky_solve(Out<T> M, Out<T> b) {
  using std::sqrt;
  const std::size_t n = b.size();
  const auto L = [&](std::size_t i, std::size_t j) -> T& { return M[j * n + i]; };
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) L(j, j) -= L(j, k) * L(j, k);
    L(j, j) = sqrt(L(j, j));
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) L(i, j) -= L(i, k) * L(j, k);
      L(i, j) /= L(j, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= L(i, k) * b[k];
    b[i] /= L(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= L(k, i) * b[k];
    b[i] /= L(i, i);
  }
}

#define LW_INSTANTIATE(T) template void cholesky_solve<T>(Out<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
