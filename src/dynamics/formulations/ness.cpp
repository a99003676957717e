#include "ness.hpp"

namespace lw {

template <class T>
void ness_project(const Complement<T>& complement, const MomentumRates<T>& rates, Out<T> tau) {
  for (T& each : tau) each = T(0.0);
  for (std::size_t i = 0; i < complement.size(); ++i) {
    for (const auto& j : complement[i]) {
      tau[static_cast<std::size_t>(j.velocity)] += dot(j.c, rates.angular[i]) + dot(j.r, rates.linear[i]);
    }
  }
}

template <class T>
void ness_project(const Linkage<T>& linkage, const Complement<T>& complement, Out<T> M) {
  const auto n = static_cast<std::size_t>(linkage.nv);
  for (T& each : M) each = T(0.0);
  for (std::size_t i = 0; i < complement.size(); ++i) {
    const auto& link = linkage.links[i];
    const auto& columns = complement[i];
    for (std::size_t b = 0; b < columns.size(); ++b) {
      const Vec3<T> Jc = link.I * columns[b].c, mr = link.mass * columns[b].r;
      const auto k = static_cast<std::size_t>(columns[b].velocity);
      for (std::size_t a = 0; a <= b; ++a) {
        const auto j = static_cast<std::size_t>(columns[a].velocity);
        M[k * n + j] += dot(columns[a].c, Jc) + dot(columns[a].r, mr);
      }
    }
  }
  // a joint has a greater number than those before it, so the sums are above the diagonal
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) M[j * n + k] = M[k * n + j];
  }
}

template <class T>
void ness(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  ness_project<T>(orthogonal_complement(linkage, poses), momentum_rates<T>(linkage, poses, qd, qdd), tau);
}

template <class T>
void ness_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M) {
  ness_project<T>(linkage, orthogonal_complement(linkage, poses), M);
}

template <class T>
std::vector<ConstraintForce<T>> ness_constraint_forces(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd) {
  const auto wrenches = hinge_wrenches<T>(linkage, poses, momentum_rates<T>(linkage, poses, qd, qdd));
  std::vector<Mat3<T>> to_base;
  std::vector<ConstraintForce<T>> out;
  for (std::size_t i = 0; i < linkage.links.size(); ++i) {
    const auto& link = linkage.links[i];
    to_base.push_back(link.parent < 0 ? poses[i].R : to_base[static_cast<std::size_t>(link.parent)] * poses[i].R);
    Vec3<T> force = wrenches[i].lin, moment = wrenches[i].ang;
    switch (link.kind) {
      case JointKind::revolute: moment[2] = T(0.0); break;
      case JointKind::prismatic: force[2] = T(0.0); break;
      case JointKind::floating: force = Vec3<T>::zero(); [[fallthrough]];
      case JointKind::spherical: moment = Vec3<T>::zero(); break;
    }
    out.push_back({to_base[i] * force, moment});
  }
  return out;
}

#define LW_INSTANTIATE(T)                                                               \
  template void ness_project<T>(const Complement<T>&, const MomentumRates<T>&, Out<T>); \
  template void ness_project<T>(const Linkage<T>&, const Complement<T>&, Out<T>);       \
  template void ness<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);             \
  template void ness_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);               \
  template std::vector<ConstraintForce<T>> ness_constraint_forces<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
