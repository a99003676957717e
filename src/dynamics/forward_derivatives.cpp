#include "forward_derivatives.hpp"

#include <algorithm>

namespace lw {
namespace {

constexpr int kLanes = Lanes<double>::kCount;

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// M = LᵀDL from the dense M: a row then holds its L and, last, 1/D.
template <class T>
void factorize(DerivativeWorkspace<T>& work, In<T> M, int nv) {
  for (int k = 0; k < nv; ++k) {
    const auto& row = work.rows[at(k)];
    for (int s = row.begin; s < row.begin + row.size; ++s) work.factors[at(s)] = M[at(work.path[at(s)] * nv + k)];
  }
  for (int n = nv; n-- > 0;) {
    const auto& row = work.rows[at(work.order[at(n)])];
    T* const own = &work.factors[at(row.begin)];
    const int above = row.size - 1;
    const T inverse = T(1.0) / own[above];
    // the row of the t-th velocity above has entries for the first t + 1
    for (int t = above; t-- > 0;) {
      const T a = own[t] * inverse;
      T* const other = &work.factors[at(work.rows[at(work.path[at(row.begin + t)])].begin)];
      for (int s = 0; s <= t; ++s) other[s] -= a * own[s];
      own[t] = a;
    }
    own[above] = inverse;
  }
}

// Lᵀ y = b and z = D⁻¹ y in place, for the rows that have entries. A row is one number or many lanes.
template <class T, class Rows>
void solve_up(const DerivativeWorkspace<T>& work, std::span<const int> touched, Rows& rows) {
  for (std::size_t n = touched.size(); n-- > 0;) {
    const auto& row = work.rows[at(touched[n])];
    const T* const factor = &work.factors[at(row.begin)];
    const int* const path = &work.path[at(row.begin)];
    const auto own = rows[at(touched[n])];
    for (int s = 0; s < row.size - 1; ++s) rows[at(path[s])] -= factor[s] * own;
    rows[at(touched[n])] = factor[row.size - 1] * own;
  }
}

// L x = z in one row, those above being solved.
template <class T, class Rows>
void solve_row(const DerivativeWorkspace<T>& work, int k, Rows& rows) {
  const auto& row = work.rows[at(k)];
  const T* const factor = &work.factors[at(row.begin)];
  const int* const path = &work.path[at(row.begin)];
  auto x = rows[at(k)];
  for (int s = 0; s < row.size - 1; ++s) x -= factor[s] * rows[at(path[s])];
  rows[at(k)] = x;
}

// Columns [begin, begin + count) of a matrix by columns, of which row k is spread over the lanes.
template <class T>
struct Block {
  T* columns;
  int nv, count;

  Lanes<T> row(int k) const {
    if (count == kLanes) return Lanes<T>::gathered(columns + k, at(nv));
    Lanes<T> x = Lanes<T>::zero();
    for (int lane = 0; lane < count; ++lane) x.data()[lane] = columns[lane * nv + k];
    return x;
  }
  void set_row(int k, const Lanes<T>& x) const {
    for (int lane = 0; lane < count; ++lane) columns[lane * nv + k] = x.data()[lane];
  }
};
template <class T>
Block<T> block_of(Out<T> matrix, int nv, int begin) {
  return {&matrix[at(begin * nv)], nv, std::min(kLanes, nv - begin)};
}

// −M⁻¹ A and −M⁻¹ B in place.
template <class T>
void solve_columns(DerivativeWorkspace<T>& work, Out<T> A, Out<T> B, int nv) {
  auto& x = work.twin;
  for (int begin = 0; begin < nv; begin += kLanes) {
    const Block<T> a = block_of<T>(A, nv, begin), b = block_of<T>(B, nv, begin);
    const std::vector<int>& touched = work.touched[at(begin / kLanes)];
    std::fill(x.begin(), x.end(), TwoLanes<T>::zero());
    for (const int k : touched) x[at(k)] -= TwoLanes<T>{a.row(k), b.row(k)};
    solve_up<T>(work, touched, x);
    for (const int k : work.order) solve_row(work, k, x);
    for (int k = 0; k < nv; ++k) {
      a.set_row(k, x[at(k)].a);
      b.set_row(k, x[at(k)].b);
    }
  }
}

// M⁻¹: the rows before a block are known, as columns of the blocks before.
template <class T>
void invert(DerivativeWorkspace<T>& work, Out<T> inverse, int nv) {
  auto& x = work.single;
  for (int begin = 0; begin < nv; begin += kLanes) {
    const Block<T> block = block_of<T>(inverse, nv, begin);
    std::fill(x.begin(), x.end(), Lanes<T>::zero());
    for (int lane = 0; lane < block.count; ++lane) x[at(begin + lane)].data()[lane] = T(1.0);
    solve_up<T>(work, work.touched[at(begin / kLanes)], x);
    for (int k = 0; k < begin; ++k) {
      const T* const known = &inverse[at(k * nv + begin)];
      std::copy(known, known + block.count, x[at(k)].data());
    }
    for (const int k : work.order) {
      if (k >= begin) solve_row(work, k, x);
    }
    for (int k = 0; k < nv; ++k) block.set_row(k, x[at(k)]);
    for (int j = 0; j < block.count; ++j) {
      for (int k = 0; k < j; ++k) block.columns[j * nv + begin + k] = block.columns[k * nv + begin + j];
    }
  }
}

}  // namespace

template <class T>
void forward_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_tau) {
  const int nv = model.nv, square = nv * nv;
  check_sizes("forward_derivatives", model,
              {{"q", q.size(), model.nq}, {"qd", qd.size(), nv}, {"tau", tau.size(), nv}, {"d_q", d_q.size(), square},
               {"d_qd", d_qd.size(), square}, {"d_tau", d_tau.size(), square}});
  place_bodies<T>(model, work, q, qd);
  accelerate_bodies<T>(model, work, qd, work.zero);
  placed_torques<T>(model, work, q, work.zero, work.h);
  placed_mass_matrix<T>(model, work, d_tau);
  factorize<T>(work, d_tau, nv);
  for (std::size_t k = 0; k < tau.size(); ++k) work.qdd[k] = tau[k] - work.h[k];
  solve_up<T>(work, work.order, work.qdd);
  for (const int k : work.order) solve_row(work, k, work.qdd);
  accelerate_bodies<T>(model, work, qd, work.qdd);
  placed_derivatives<T>(model, work, d_q, d_qd);
  solve_columns<T>(work, d_q, d_qd, nv);
  invert<T>(work, d_tau, nv);
}

#define LW_INSTANTIATE(T)                                                                                         \
  template void forward_derivatives<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>, \
                                       Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
