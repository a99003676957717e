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

template <class T>
bool has_dense_mass_matrix(const Model<T>& model) {
  if (model.has_mimics) return true;
  const auto is_above = [&](int upper, int lower) {
    while (lower >= 0 && lower != upper) lower = model.dof_parent[static_cast<std::size_t>(lower)];
    return lower == upper;
  };
  for (const RotorTie<T>& tie : model.rotor_ties) {
    if (!is_above(tie.v, tie.w) && !is_above(tie.w, tie.v)) return true;
  }
  return false;
}

namespace {

// velocity k, and the next one above it
template <class T>
struct Path {
  const Model<T>& model;
  int size() const { return model.nv; }
  bool dense = has_dense_mass_matrix(model);
  int order(int k) const { return dense ? k : model.dof_order[static_cast<std::size_t>(k)]; }
  int above(int k) const { return dense ? k - 1 : model.dof_parent[static_cast<std::size_t>(k)]; }
};

}  // namespace

template <class T>
void factorize_mass_matrix(const Model<T>& model, Out<T> M) {
  check_sizes("factorize_mass_matrix", model, {{"M", M.size(), model.nv * model.nv}});
  const Path<T> path{model};
  const int nv = model.nv;
  const auto at = [&](int row, int column) -> T& {
    return M[static_cast<std::size_t>(row) * static_cast<std::size_t>(nv) + static_cast<std::size_t>(column)];
  };
  for (int n = nv; n-- > 0;) {
    const int k = path.order(n);
    const T inverse = T(1.0) / at(k, k);
    for (int i = path.above(k); i >= 0; i = path.above(i)) {
      const T a = at(k, i) * inverse;
      for (int j = i; j >= 0; j = path.above(j)) at(i, j) -= a * at(k, j);
      at(k, i) = a;
    }
  }
}

template <class T>
void solve_mass_matrix(const Model<T>& model, In<T> factors, Out<T> b) {
  check_sizes("solve_mass_matrix", model,
              {{"factors", factors.size(), model.nv * model.nv}, {"b", b.size(), model.nv}});
  const Path<T> path{model};
  const int nv = model.nv;
  const auto at = [&](int row, int column) -> const T& {
    return factors[static_cast<std::size_t>(row) * static_cast<std::size_t>(nv) + static_cast<std::size_t>(column)];
  };
  const auto x = [&](int k) -> T& { return b[static_cast<std::size_t>(k)]; };
  // Lᵀ y = b, then z = D⁻¹ y, then L x = z
  for (int n = nv; n-- > 0;) {
    const int k = path.order(n);
    for (int i = path.above(k); i >= 0; i = path.above(i)) x(i) -= at(k, i) * x(k);
  }
  for (int k = 0; k < nv; ++k) x(k) /= at(k, k);
  for (int n = 0; n < nv; ++n) {
    const int k = path.order(n);
    for (int i = path.above(k); i >= 0; i = path.above(i)) x(k) -= at(k, i) * x(i);
  }
}

#define LW_INSTANTIATE(T)                                          \
  template void cholesky_solve<T>(Out<T>, Out<T>);                 \
  template bool has_dense_mass_matrix<T>(const Model<T>&);         \
  template void factorize_mass_matrix<T>(const Model<T>&, Out<T>); \
  template void solve_mass_matrix<T>(const Model<T>&, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
