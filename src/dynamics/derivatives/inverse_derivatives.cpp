#include "inverse_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../../base/index.hpp"
#include "../../graph/kernels/sincos.hpp"
#include "../../spatial/cross.hpp"
#include "../tree/elements.hpp"
#include "element_derivatives.hpp"

// The sweeps with all their vector algebra inlined: with so many scalars in one file gcc would stop halfway.
#define LW_WHOLE [[gnu::flatten]]

namespace lw {
namespace {

template <class T>
using Column = typename DerivativeWorkspace<T>::Column;
template <class T>
using Composite = typename DerivativeWorkspace<T>::Composite;

template <class T>
Motion<T> operator*(const Motion<T>& m, const T& s) {
  return {m.ang * s, m.lin * s};
}

// What velocity k of a joint does to what hangs on it, in the root's axes.
template <class T>
Motion<T> unit_motion(const Body<T>& b, const Transform<T>& X, const Vec3<T>& axis, int k) {
  if (b.kind == JointKind::revolute) return {axis, cross(X.p, axis)};
  if (b.kind == JointKind::prismatic) return {Vec3<T>::zero(), axis};
  const Vec3<T>& e = X.R.col(k % 3);
  return k < 3 ? Motion<T>{e, cross(X.p, e)} : Motion<T>{Vec3<T>::zero(), e};
}

// The inertia of a body seen from the root's frame, as to_parent has it (spatial.hpp); this order of the products takes
// the numbers of the model as they stand in memory.
template <class T>
RigidInertia<T> seen_from_root(const Transform<T>& X, const RigidInertia<T>& inertia) {
  const Vec3<T> h = X.R * inertia.h, mp = inertia.mass * X.p, half = h + T(0.5) * mp;
  const Mat3<T> RI = X.R * inertia.I, Rt = transpose(X.R);
  return {inertia.mass, h + mp,
          RI * Rt - outer(half, X.p) - outer(X.p, half) + Mat3<T>::diagonal(T(2.0) * dot(X.p, half))};
}

// N of B.
template <class T>
Mat3<T> moments_of_velocity(const RigidInertia<T>& I, const Motion<T>& v) {
  const T half_trace = T(0.5) * (I.I(0, 0) + I.I(1, 1) + I.I(2, 2));
  return cross_columns(v.ang, I.I - Mat3<T>::diagonal(half_trace)) - outer(v.lin, I.h) +
         Mat3<T>::diagonal(dot(v.lin, I.h));
}

// B m of a motion with the angular part α.
template <class T>
Force<T> times_B(const Mat3<T>& N, const Vec3<T>& momentum, const Vec3<T>& alpha) {
  return {N * alpha, cross(alpha, momentum)};
}

// Wrenches of what hangs on joint i, by which the rows and columns of the joints above are made.
template <class T>
struct Wrenches {
  Force<T> inertia;  // I S
  Vec3<T> w;         // 2 Bᵀ S: its moment, it has no force
  Force<T> own_q;    // 2 B Ψ̇ + I Ψ̈
  Force<T> q;        // the same and S ×* f
  Force<T> qd;       // 2 B S + I E

  Wrenches(const Column<T>& c, const Composite<T>& all) {
    const Vec3<T> turn = c.S.ang + c.S.ang;
    inertia = all.inertia * c.S;
    w = transpose(all.N) * turn + cross(all.momentum, c.S.lin + c.S.lin);
    own_q = all.inertia * c.acceleration + times_B(all.N, all.momentum, c.rate.ang + c.rate.ang);
    q = own_q + cross(c.S, all.f);
    qd = all.inertia * c.twice + times_B(all.N, all.momentum, turn);
  }
};

template <class T>
T product(const Motion<T>& m, const Force<T>& f) {
  return sum(times(m.ang, f.ang) + times(m.lin, f.lin));
}
template <class T>
T product(const Motion<T>& m, const Force<T>& f, const Vec3<T>& turn, const Vec3<T>& moment) {
  return sum(times(m.ang, f.ang) + times(m.lin, f.lin) + times(turn, moment));
}

// Where the entries of a result stand. Joints that follow others share the place of the one that leads: entries are
// weighed and added.
template <class T, bool kShared>
struct PlacedEntries {
  T* data;
  const std::ptrdiff_t* columns;
  std::ptrdiff_t stride;

  static void put(T& entry, const T& weight, const T& value) {
    if constexpr (kShared) {
      entry += weight * value;
    } else {
      entry = value;
    }
  }
  void put(const Column<T>& row, const Column<T>& column, const T& value) const {
    put(data[columns[column.velocity] + stride * row.velocity], row.ratio * column.ratio, value);
  }
  // The products of a wrench with the velocities of a free root, in the column or in the row of c.
  void put_under(const Column<T>& root, int count, const Column<T>& c, const Force<T>& f) const {
    T* const column = data + columns[c.velocity] + stride * root.velocity;
    for (int k = 0; k < 3; ++k) put(column[stride * k], c.ratio, f.ang[k]);
    if (count == 3) return;
    for (int k = 0; k < 3; ++k) put(column[stride * (3 + k)], c.ratio, f.lin[k]);
  }
  void put_beside(const Column<T>& root, int count, const Column<T>& c, const Force<T>& f) const {
    T* const row = data + stride * c.velocity;
    const std::ptrdiff_t* const column = columns + root.velocity;
    for (int k = 0; k < 3; ++k) put(row[column[k]], c.ratio, f.ang[k]);
    if (count == 3) return;
    for (int k = 0; k < 3; ++k) put(row[column[3 + k]], c.ratio, f.lin[k]);
  }
};

// Turns, or turns and moves, along axes of its own.
template <class T>
bool is_free(const Body<T>& b) {
  return b.kind == JointKind::spherical || b.kind == JointKind::floating;
}

// With the base accelerated by −gravity.
template <class T>
Motion<T> parent_acceleration(const DerivativeWorkspace<T>& work, const Body<T>& b, std::size_t i) {
  if (b.parent < 0) return {Vec3<T>::zero(), work.fall[i]};
  return work.placed[at(b.parent)].a;
}

}  // namespace

namespace {

// Sines and cosines of all angles; of double at once, by the kernel that generated code has, as far as it is exact.
template <class T>
void find_sines(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q) {
  using std::cos, std::sin;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind == JointKind::revolute) work.angle[i] = joint_coordinate<T>(model.bodies[i], q);
  }
  if constexpr (std::is_same_v<T, double>) {
    constexpr double kExact = 1e5;
    double largest = 0.0;
    for (const double a : work.angle) largest = max(largest, std::abs(a));
    if (largest <= kExact) return sincos(work.angle, work.sine, work.cosine, false);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind != JointKind::revolute) continue;
    work.sine[i] = sin(work.angle[i]);
    work.cosine[i] = cos(work.angle[i]);
  }
}

}  // namespace

template <class T>
LW_WHOLE void place_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd) {
  const std::size_t n = model.bodies.size();
  find_sines<T>(model, work, q);
  for (std::size_t i = 0; i < n; ++i) {
    const Body<T>& b = model.bodies[i];
    auto& body = work.placed[i];
    const bool turns = b.kind == JointKind::revolute;
    const Transform<T> X = turns ? turned_transform<T>(b, work.cosine[i], work.sine[i]) : joint_transform<T>(b, q);
    Vec3<T> axis = b.axis;
    if (b.parent < 0) {
      work.fall[i] = -(transpose(X.R) * model.gravity);
      body.X = {};
      body.v = {};
      body.inertia = b.inertia;
    } else {
      const auto& parent = work.placed[at(b.parent)];
      const bool on_root = model.bodies[at(b.parent)].parent < 0;
      body.X = on_root ? X : parent.X * X;
      axis = on_root ? b.slide : parent.X.R * b.slide;
      body.v = parent.v;
      body.inertia = seen_from_root(body.X, b.inertia);
    }
    for (int k = 0; k < b.velocities(); ++k) {
      Column<T>& c = work.columns[at(work.first[i] + k)];
      c.S = unit_motion(b, body.X, axis, k);
      if (b.parent >= 0) c.rate = cross(work.placed[at(b.parent)].v, c.S);
      body.v += c.S * (is_free(b) ? qd[at(b.v + k)] : joint_rate<T>(b, qd));
    }
    for (int k = 0; k < b.velocities(); ++k) {
      Column<T>& c = work.columns[at(work.first[i] + k)];
      c.twice = c.rate + (is_free(b) ? cross(body.v, c.S) : c.rate);
    }
    const RigidInertia<T>& I = body.inertia;
    auto& all = work.composite[i];
    all.inertia = I;
    all.N = moments_of_velocity(I, body.v);
    all.momentum = I.mass * body.v.lin - cross(I.h, body.v.ang);
    body.coriolis = times_B(all.N, all.momentum, body.v.ang);
  }
  for (std::size_t i = n; i-- > 0;) {
    if (model.bodies[i].parent < 0) continue;
    auto &all = work.composite[at(model.bodies[i].parent)], &part = work.composite[i];
    all.inertia += part.inertia;
    all.N += part.N;
    all.momentum += part.momentum;
  }
}

template <class T>
LW_WHOLE void accelerate_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> qd, In<T> qdd) {
  const std::size_t n = model.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Body<T>& b = model.bodies[i];
    auto& body = work.placed[i];
    body.a = parent_acceleration(work, b, i);
    for (int k = 0; k < b.velocities(); ++k) {
      const Column<T>& c = work.columns[at(work.first[i] + k)];
      const bool free = is_free(b);
      body.a += c.S * (free ? qdd[at(b.v + k)] : joint_rate<T>(b, qdd));
      if (b.parent >= 0) body.a += c.rate * (free ? qd[at(b.v + k)] : joint_rate<T>(b, qd));
    }
    work.composite[i].f = body.inertia * body.a + body.coriolis;
  }
  for (std::size_t i = n; i-- > 0;) {
    if (model.bodies[i].parent >= 0) work.composite[at(model.bodies[i].parent)].f += work.composite[i].f;
  }
}

template <class T>
void placed_torques(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qdd, Out<T> tau) {
  if (model.has_mimics) std::fill(tau.begin(), tau.end(), T(0.0));
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    for (int k = 0; k < b.velocities(); ++k) {
      const Column<T>& c = work.columns[at(work.first[i] + k)];
      T value = product(c.S, work.composite[i].f);
      if (!is_free(b)) {
        value += b.armature * joint_rate<T>(b, qdd) + b.stiffness * (joint_coordinate<T>(b, q) - b.rest);
      }
      if (model.has_mimics) {
        tau[static_cast<std::size_t>(c.velocity)] += b.ratio * value;
      } else {
        tau[static_cast<std::size_t>(c.velocity)] = value;
      }
    }
  }
  if (has_elements(model)) subtract_element_torques<T>(model, work, q, tau);
  add_rotor_ties<T>(model, qdd, tau);
}

namespace {

template <class T, bool kShared>
LW_WHOLE void put_mass_matrix(const Model<T>& model, const DerivativeWorkspace<T>& work,
                              const PlacedEntries<T, kShared>& to) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    for (int own = work.first[i]; own < work.first[i] + b.velocities(); ++own) {
      const Column<T>& c = work.columns[at(own)];
      const Force<T> IS = work.composite[i].inertia * c.S;
      if (const int r = work.root[i]; r >= 0) {
        const Column<T>& root = work.columns[at(work.first[at(r)])];
        const int count = model.bodies[at(r)].velocities();
        to.put_under(root, count, c, IS);
        if (at(r) == i) continue;
        to.put_beside(root, count, c, IS);
      }
      to.put(c, c, product(c.S, IS) + b.armature);
      for (int j = c.above; j >= 0; j = work.columns[at(j)].above) {
        const Column<T>& above = work.columns[at(j)];
        const T value = product(above.S, IS);
        to.put(c, above, value);
        to.put(above, c, value);
      }
    }
  }
}

template <class T, bool kShared>
LW_WHOLE void put_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work,
                              const PlacedEntries<T, kShared>& to_q, const PlacedEntries<T, kShared>& to_qd) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    const int first = work.first[i], end = first + b.velocities();
    for (int own = first; own < end; ++own) {
      Column<T>& c = work.columns[at(own)];
      c.acceleration = cross(parent_acceleration(work, b, i), c.S);
      if (b.parent >= 0) c.acceleration += cross(work.placed[at(b.parent)].v, c.rate);
      const Wrenches<T> of(c, work.composite[i]);
      if (const int r = work.root[i]; r >= 0) {
        const Column<T>& root = work.columns[at(work.first[at(r)])];
        const int count = model.bodies[at(r)].velocities();
        const bool is_root = at(r) == i;
        to_q.put_under(root, count, c, is_root ? of.own_q : of.q);
        to_qd.put_under(root, count, c, of.qd);
        if (is_root) continue;
        // Ψ̇ = 0, Ψ̈ = a × S and E = v × S, with S = 1
        const Motion<T>& v = work.placed[at(r)].v;
        const Vec3<T>&n = of.inertia.ang, &f = of.inertia.lin;
        to_q.put_beside(root, count, c, {cross(f, work.fall[at(r)]), Vec3<T>::zero()});
        to_qd.put_beside(root, count, c, {of.w + cross(n, v.ang) + cross(f, v.lin), cross(f, v.ang)});
      }
      for (int j = first; j < end; ++j) {
        const Column<T>& other = work.columns[at(j)];
        T value = product(other.S, of.own_q);
        if (j == own) value += b.stiffness;
        to_q.put(other, c, value);
        to_qd.put(other, c, product(other.S, of.qd));
      }
      for (int j = work.columns[at(first)].above; j >= 0; j = work.columns[at(j)].above) {
        const Column<T>& above = work.columns[at(j)];
        to_q.put(above, c, product(above.S, of.q));
        to_qd.put(above, c, product(above.S, of.qd));
        to_q.put(c, above, product(above.acceleration, of.inertia, above.rate.ang, of.w));
        to_qd.put(c, above, product(above.twice, of.inertia, above.S.ang, of.w));
      }
    }
  }
}

}  // namespace

template <class T>
void placed_mass_matrix(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> M) {
  if (work.branches || model.has_mimics) std::fill(M.begin(), M.end(), T(0.0));
  const std::ptrdiff_t* const columns = work.by_columns.data();
  if (model.has_mimics) {
    put_mass_matrix(model, work, PlacedEntries<T, true>{M.data(), columns, 1});
  } else {
    put_mass_matrix(model, work, PlacedEntries<T, false>{M.data(), columns, 1});
  }
  add_rotor_ties<T>(model, M);
}

namespace {

template <class T>
void put_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, T* d_q, T* d_qd,
                     const std::vector<std::ptrdiff_t>& columns, std::ptrdiff_t stride) {
  const std::ptrdiff_t* const c = columns.data();
  if (model.has_mimics) {
    put_derivatives(model, work, PlacedEntries<T, true>{d_q, c, stride}, PlacedEntries<T, true>{d_qd, c, stride});
  } else {
    put_derivatives(model, work, PlacedEntries<T, false>{d_q, c, stride}, PlacedEntries<T, false>{d_qd, c, stride});
  }
}

}  // namespace

template <class T>
void placed_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> d_q, Out<T> d_qd) {
  if (work.branches || model.has_mimics) {
    std::fill(d_q.begin(), d_q.end(), T(0.0));
    std::fill(d_qd.begin(), d_qd.end(), T(0.0));
  }
  put_derivatives(model, work, d_q.data(), d_qd.data(), work.by_columns, 1);
}

template <class T>
void placed_derivatives_in_lanes(const Model<T>& model, DerivativeWorkspace<T>& work) {
  if (model.nv == 0) return;
  std::fill(work.both.begin(), work.both.end(), TwoLanes<T>::zero());
  put_derivatives(model, work, work.both.front().a.data(), work.both.front().b.data(), work.in_lanes,
                  2 * Lanes<T>::kCount);
}

template <class T>
void inverse_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_qdd) {
  const int square = model.nv * model.nv;
  check_workspace("inverse_derivatives", model, work);
  check_sizes("inverse_derivatives", model,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), model.nv},
               {"qdd", qdd.size(), model.nv},
               {"d_q", d_q.size(), square},
               {"d_qd", d_qd.size(), square},
               {"d_qdd", d_qdd.size(), square}});
  place_bodies<T>(model, work, q, qd);
  accelerate_bodies<T>(model, work, qd, qdd);
  placed_mass_matrix<T>(model, work, d_qdd);
  placed_derivatives<T>(model, work, d_q, d_qd);
  if (has_elements(model)) subtract_element_derivatives<T>(model, work, q, d_q.data(), work.by_columns, 1);
}

template <class T>
void placed_coriolis_matrix(const Model<T>& model, const DerivativeWorkspace<T>& work, Out<T> C) {
  const std::size_t nv = at(model.nv);
  for (T& x : C) x = T(0.0);
  const auto put = [&](const Column<T>& row, const Column<T>& column, const T& value) {
    C[at(static_cast<int>(column.velocity)) * nv + at(static_cast<int>(row.velocity))] +=
        row.ratio * column.ratio * value;
  };
  const auto rate = [](const Column<T>& c) { return Motion<T>{c.twice.ang - c.rate.ang, c.twice.lin - c.rate.lin}; };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int first = work.first[i], end = first + model.bodies[i].velocities();
    for (int own = first; own < end; ++own) {
      const Column<T>& c = work.columns[at(own)];
      const Composite<T>& all = work.composite[i];
      const Force<T> inertia = all.inertia * c.S,
                     wrench = all.inertia * rate(c) + times_B(all.N, all.momentum, c.S.ang);
      const Vec3<T> moment = transpose(all.N) * c.S.ang + cross(all.momentum, c.S.lin);  // Bᵀ S, it has no force
      const auto with_above = [&](const Column<T>& above) {
        put(above, c, product(above.S, wrench));
        put(c, above, product(rate(above), inertia) + dot(above.S.ang, moment));
      };
      for (int j = first; j < end; ++j) put(work.columns[at(j)], c, product(work.columns[at(j)].S, wrench));
      for (int j = work.columns[at(first)].above; j >= 0; j = work.columns[at(j)].above)
        with_above(work.columns[at(j)]);
      const int root = work.root[i];
      if (root < 0 || at(root) == i) continue;
      for (int k = 0; k < model.bodies[at(root)].velocities(); ++k)
        with_above(work.columns[at(work.first[at(root)] + k)]);
    }
  }
}

#define LW_INSTANTIATE(T)                                                                                             \
  template void inverse_derivatives<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>, \
                                       Out<T>);                                                                       \
  template void place_bodies<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>);                              \
  template void accelerate_bodies<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>);                         \
  template void placed_torques<T>(const Model<T>&, DerivativeWorkspace<T>&, In<T>, In<T>, Out<T>);                    \
  template void placed_coriolis_matrix<T>(const Model<T>&, const DerivativeWorkspace<T>&, Out<T>);                    \
  template void placed_mass_matrix<T>(const Model<T>&, DerivativeWorkspace<T>&, Out<T>);                              \
  template void placed_derivatives<T>(const Model<T>&, DerivativeWorkspace<T>&, Out<T>, Out<T>);                      \
  template void placed_derivatives_in_lanes<T>(const Model<T>&, DerivativeWorkspace<T>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE
#undef LW_WHOLE

}  // namespace lw
