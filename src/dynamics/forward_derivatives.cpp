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

template <class T>
void solve_one(const DerivativeWorkspace<T>& work, Out<T> x) {
  for (std::size_t n = work.order.size(); n-- > 0;) {
    const int k = work.order[n];
    const auto& row = work.rows[at(k)];
    for (int s = row.begin; s < row.begin + row.size - 1; ++s) x[at(work.path[at(s)])] -= work.factors[at(s)] * x[at(k)];
  }
  for (const int k : work.order) {
    const auto& row = work.rows[at(k)];
    T value = x[at(k)] * work.factors[at(row.begin + row.size - 1)];
    for (int s = row.begin; s < row.begin + row.size - 1; ++s) value -= work.factors[at(s)] * x[at(work.path[at(s)])];
    x[at(k)] = value;
  }
}

// Lᵀ y = b and z = D⁻¹ y, for the rows that have entries.
template <class T>
void solve_up(DerivativeWorkspace<T>& work, const std::vector<int>& touched) {
  for (std::size_t n = touched.size(); n-- > 0;) {
    const auto& row = work.rows[at(touched[n])];
    Lanes<T>& own = work.solution[at(touched[n])];
    for (int s = row.begin; s < row.begin + row.size - 1; ++s) {
      work.solution[at(work.path[at(s)])].subtract(work.factors[at(s)], own);
    }
    own.scale(work.factors[at(row.begin + row.size - 1)]);
  }
}

// L x = z in one row, those above being solved.
template <class T>
void solve_row(DerivativeWorkspace<T>& work, int k) {
  const auto& row = work.rows[at(k)];
  Lanes<T> x = work.solution[at(k)];
  for (int s = row.begin; s < row.begin + row.size - 1; ++s) {
    x.subtract(work.factors[at(s)], work.solution[at(work.path[at(s)])]);
  }
  work.solution[at(k)] = x;
}

// −M⁻¹ B in place.
template <class T>
void solve_columns(DerivativeWorkspace<T>& work, Out<T> B, int nv) {
  for (int begin = 0; begin < nv; begin += kLanes) {
    const int count = std::min(kLanes, nv - begin);
    T* const columns = &B[at(begin * nv)];
    const std::vector<int>& touched = work.touched[at(begin / kLanes)];
    for (Lanes<T>& x : work.solution) x = Lanes<T>::zero();
    for (const int k : touched) {
      for (int lane = 0; lane < count; ++lane) work.solution[at(k)].set(lane, -columns[lane * nv + k]);
    }
    solve_up(work, touched);
    for (const int k : work.order) solve_row(work, k);
    for (int lane = 0; lane < count; ++lane) {
      for (int k = 0; k < nv; ++k) columns[lane * nv + k] = work.solution[at(k)].get(lane);
    }
  }
}

// M⁻¹: rows before the eight columns are those columns' halves that are known already.
template <class T>
void invert(DerivativeWorkspace<T>& work, Out<T> inverse, int nv) {
  for (int begin = 0; begin < nv; begin += kLanes) {
    const int count = std::min(kLanes, nv - begin);
    T* const columns = &inverse[at(begin * nv)];
    for (Lanes<T>& x : work.solution) x = Lanes<T>::zero();
    for (int lane = 0; lane < count; ++lane) work.solution[at(begin + lane)].set(lane, T(1.0));
    solve_up(work, work.touched[at(begin / kLanes)]);
    for (int k = 0; k < begin; ++k) {
      for (int lane = 0; lane < count; ++lane) {
        work.solution[at(k)].set(lane, inverse[at(k * nv + begin + lane)]);
      }
    }
    for (const int k : work.order) {
      if (k >= begin) solve_row(work, k);
    }
    for (int lane = 0; lane < count; ++lane) {
      for (int k = 0; k < nv; ++k) {
        const bool known = k >= begin && k < begin + lane;
        columns[lane * nv + k] = known ? columns[(k - begin) * nv + begin + lane] : work.solution[at(k)].get(lane);
      }
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
  solve_one<T>(work, work.qdd);
  accelerate_bodies<T>(model, work, qd, work.qdd);
  placed_derivatives<T>(model, work, d_q, d_qd);
  solve_columns<T>(work, d_q, nv);
  solve_columns<T>(work, d_qd, nv);
  invert<T>(work, d_tau, nv);
}

#define LW_INSTANTIATE(T)                                                                                         \
  template void forward_derivatives<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>, \
                                       Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
