#include "forward_derivatives.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../tree/elements.hpp"
#include "element_derivatives.hpp"

namespace lw {
namespace {

template <class T>
using Row = typename DerivativeWorkspace<T>::Row;
template <class T>
using Entry = typename DerivativeWorkspace<T>::Entry;

// M = LᵀDL from the dense M: a row then holds its L and, last, 1/D.
template <class T>
void factorize(DerivativeWorkspace<T>& work, In<T> M, int nv) {
  constexpr int kLanes = Lanes<T>::kCount;
  std::fill(work.factors.begin(), work.factors.end(), Lanes<T>::zero());
  T* const entries = work.factors.front().data();
  for (int k = 0; k < nv; ++k) {
    const Row<T>& row = work.rows[at(k)];
    T* const own = entries + row.lanes * kLanes;
    const int* const path = &work.path[at(row.path)];
    for (int s = 0; s < row.size; ++s) own[s] = M[at(k * nv + path[s])];
  }
  for (int n = nv; n-- > 0;) {
    const Row<T>& row = work.rows[at(work.order[at(n)].velocity)];
    const int* const path = &work.path[at(row.path)];
    T* const own = entries + row.lanes * kLanes;
    Lanes<T>* const lanes = &work.factors[at(row.lanes)];
    const int above = row.size - 1;
    const T inverse = T(1.0) / own[above];
    // The row of the t-th velocity above has entries for the first t + 1. What its last lanes hold beyond is never
    // read.
    for (int t = above; t-- > 0;) {
      const T a = own[t] * inverse;
      Lanes<T>* const other = &work.factors[at(work.rows[at(path[t])].lanes)];
      for (int s = 0; s <= t / kLanes; ++s) other[s] = less_product(other[s], a, lanes[s]);
    }
    for (int s = 0; s <= above / kLanes; ++s) lanes[s] = inverse * lanes[s];
    own[above] = inverse;
  }
}

// Lᵀ y = b in place, for the rows of a list. A row is one number or many lanes.
template <class T, class X>
void solve_up(const DerivativeWorkspace<T>& work, const std::vector<Entry<T>>& list, X* rows) {
  for (std::size_t n = list.size(); n-- > 0;) {
    const int i = list[n].velocity;
    const int place = work.rows[at(i)].size - 1;  // of i in the rows below it
    X y = rows[i];
    for (std::size_t m = n + at(list[n].below); m > n; --m) {
      const int k = list[m].velocity;
      y = less_product(y, work.factors[at(work.rows[at(k)].lanes)].data()[place], rows[k]);
    }
    rows[i] = y;
  }
}

// L x = sign · D⁻¹ y in place, for the velocities from `begin` on, those before being solved. A joint and the one that
// hangs on it are taken together: what they read is the same.
enum class Sign { plus, minus };
template <class T, class X>
void solve_down(const DerivativeWorkspace<T>& work, int begin, Sign sign, X* rows) {
  const auto& order = work.order;
  const auto start = [&](const Row<T>& row, const T* factor, int k) {
    const T& inverse = factor[row.size - 1];
    return (sign == Sign::plus ? inverse : -inverse) * rows[k];
  };
  for (std::size_t n = 0; n < order.size(); ++n) {
    const int k = order[n].velocity;
    if (k < begin) continue;
    const Row<T>& row = work.rows[at(k)];
    const T* const factor = work.factors[at(row.lanes)].data();
    const int* const path = &work.path[at(row.path)];
    X x = start(row, factor, k);
    if (order[n].below > 0 && order[n + 1].velocity >= begin) {
      const int next = order[++n].velocity;
      const Row<T>& below = work.rows[at(next)];
      const T* const other = work.factors[at(below.lanes)].data();
      X y = start(below, other, next);
      for (int s = 0; s < row.size - 1; ++s) {
        const X above = rows[path[s]];
        x = less_product(x, factor[s], above);
        y = less_product(y, other[s], above);
      }
      y = less_product(y, other[row.size - 1], x);
      rows[next] = y;
    } else {
      for (int s = 0; s < row.size - 1; ++s) x = less_product(x, factor[s], rows[path[s]]);
    }
    rows[k] = x;
  }
}

// −M⁻¹ times what is in work.both. Elements fill rows that the tree leaves empty.
template <class T>
void solve_both(DerivativeWorkspace<T>& work, int nv, bool elements, Out<T> d_q, Out<T> d_qd) {
  constexpr int kLanes = Lanes<T>::kCount;
  TwoLanes<T>* rows = work.both.data();
  for (int begin = 0; begin < nv; begin += kLanes, rows += nv) {
    const int count = std::min(kLanes, nv - begin);
    solve_up<T>(work, elements ? work.order : work.touched[at(begin / kLanes)], rows);
    solve_down<T>(work, 0, Sign::minus, rows);
    write_columns<T>(rows->a.data(), 2 * kLanes, count, nv, &d_q[at(begin * nv)]);
    write_columns<T>(rows->b.data(), 2 * kLanes, count, nv, &d_qd[at(begin * nv)]);
  }
}

// M⁻¹: the rows before a block are known, as columns of the blocks before.
template <class T>
void invert(DerivativeWorkspace<T>& work, int nv, Out<T> inverse) {
  constexpr int kLanes = Lanes<T>::kCount;
  Lanes<T>* const rows = work.single.data();
  for (int begin = 0; begin < nv; begin += kLanes) {
    const int count = std::min(kLanes, nv - begin);
    T* const block = &inverse[at(begin * nv)];
    std::fill(rows, rows + nv, Lanes<T>::zero());
    for (int lane = 0; lane < count; ++lane) rows[begin + lane].data()[lane] = T(1.0);
    solve_up<T>(work, work.above[at(begin / kLanes)], rows);
    for (int k = 0; k < begin; ++k) {
      for (int lane = 0; lane < count; ++lane) rows[k].data()[lane] = inverse[at(k * nv + begin + lane)];
    }
    solve_down<T>(work, begin, Sign::plus, rows);
    write_columns<T>(rows->data(), kLanes, count, nv, block);
    for (int j = 0; j < count; ++j) {
      for (int k = 0; k < j; ++k) block[j * nv + begin + k] = block[k * nv + begin + j];
    }
  }
}

}  // namespace

template <class T>
void forward_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_tau) {
  const int nv = model.nv, square = nv * nv;
  check_workspace("forward_derivatives", model, work);
  check_sizes("forward_derivatives", model,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), nv},
               {"tau", tau.size(), nv},
               {"d_q", d_q.size(), square},
               {"d_qd", d_qd.size(), square},
               {"d_tau", d_tau.size(), square}});
  if (nv == 0) return;
  if (work.rows.empty()) work.prepare_solutions(model);
  place_bodies<T>(model, work, q, qd);
  accelerate_bodies<T>(model, work, qd, work.zero);
  placed_torques<T>(model, work, q, work.zero, work.h);
  placed_mass_matrix<T>(model, work, d_tau);
  factorize<T>(work, d_tau, nv);
  for (std::size_t k = 0; k < tau.size(); ++k) work.qdd[k] = tau[k] - work.h[k];
  solve_up<T>(work, work.order, work.qdd.data());
  solve_down<T>(work, 0, Sign::plus, work.qdd.data());
  accelerate_bodies<T>(model, work, qd, work.qdd);
  placed_derivatives_in_lanes<T>(model, work);
  const bool elements = has_elements(model);
  if (elements) {
    subtract_element_derivatives<T>(model, work, q, work.both.front().a.data(), work.in_lanes, 2 * Lanes<T>::kCount);
  }
  solve_both<T>(work, nv, elements, d_q, d_qd);
  invert<T>(work, nv, d_tau);
}

#define LW_INSTANTIATE(T)                                                                                             \
  template void forward_derivatives<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>, \
                                       Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
