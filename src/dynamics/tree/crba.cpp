#include "crba.hpp"

#include "elements.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

// Wrench of the composite body for a unit velocity k of its joint: I^c S e_k.
template <class T>
Force<T> inertia_times_axis(const Body<T>& b, const RigidInertia<T>& I, int k) {
  if (b.kind == JointKind::revolute) return {I.I * b.axis, cross(b.axis, I.h)};
  if (b.kind == JointKind::prismatic) return {cross(I.h, b.axis), I.mass * b.axis};
  const Vec3<T> e = Vec3<T>::unit(k % 3);
  if (k < 3) return {I.I.col(k), cross(e, I.h)};
  return {cross(I.h, e), I.mass * e};
}

// S_kᵀ F
template <class T>
T project(const Body<T>& b, const Force<T>& F, int k) {
  switch (b.kind) {
    case JointKind::revolute: return dot(b.axis, F.ang);
    case JointKind::prismatic: return dot(b.axis, F.lin);
    default: return k < 3 ? F.ang[k] : F.lin[k - 3];
  }
}

}  // namespace

template <class T>
void crba(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> M) {
  const auto nv = static_cast<std::size_t>(model.nv);
  check_sizes("crba", model, work, {{"q", q.size(), model.nq}, {"M", M.size(), model.nv * model.nv}});
  for (T& x : M) x = T(0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    work.X[i] = joint_transform<T>(model.bodies[i], q);
    work.composite[i] = model.bodies[i].inertia;
  }
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    const Body<T>& b = model.bodies[i];
    if (b.parent >= 0) work.composite[static_cast<std::size_t>(b.parent)] += to_parent(work.X[i], work.composite[i]);
    for (int k = 0; k < b.velocities(); ++k) {
      Force<T> F = inertia_times_axis(b, work.composite[i], k);
      // own block, then every joint on the path to the base
      std::size_t j = i;
      while (true) {
        const Body<T>& above = model.bodies[j];
        for (int l = 0; l < (j == i ? k + 1 : above.velocities()); ++l) {
          T value = project(above, F, l);
          if (j == i && k == l) value += b.armature;
          const auto row = static_cast<std::size_t>(b.v + k), column = static_cast<std::size_t>(above.v + l);
          if (model.has_mimics) {
            value *= b.ratio * above.ratio;
            M[row * nv + column] += value;
            if (j != i || k != l) M[column * nv + row] += value;
          } else {
            M[row * nv + column] = value;
            M[column * nv + row] = value;
          }
        }
        if (above.parent < 0) break;
        F = work.X[j].to_parent(F);
        j = static_cast<std::size_t>(above.parent);
      }
    }
  }
  add_rotor_ties<T>(model, M);
}

template <class T>
void forward_by_crba(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> qdd,
                     std::span<const Force<std::type_identity_t<T>>> external) {
  check_sizes("forward_by_crba", model, work, {{"tau", tau.size(), model.nv}, {"qdd", qdd.size(), model.nv}});
  rnea<T>(model, work, q, qd, work.zero, work.h, external);
  work.mass_matrix.resize(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(model.nv));  // see Workspace
  crba<T>(model, work, q, work.mass_matrix);
  for (std::size_t k = 0; k < qdd.size(); ++k) work.scratch[k] = tau[k] - work.h[k];
  factorize_mass_matrix<T>(model, work.mass_matrix);
  solve_mass_matrix<T>(model, work.mass_matrix, work.scratch);
  for (std::size_t k = 0; k < qdd.size(); ++k) qdd[k] = work.scratch[k];
}

#define LW_INSTANTIATE(T)                                                                       \
  template void crba<T>(const Model<T>&, Workspace<T>&, In<T>, Out<T>);                         \
  template void forward_by_crba<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                   std::span<const Force<T>>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
