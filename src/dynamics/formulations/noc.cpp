#include "noc.hpp"

#include <limits>

namespace lw {
namespace {

// √x where x exceeds the threshold, else 0. The root is never taken of zero, where it has no derivative.
template <class T>
T root_above(const T& x, const T& threshold) {
  using std::sqrt;
  const T above = less(threshold, x);
  return select(above, sqrt(select(above, x, T(1.0))), T(0.0));
}

}  // namespace

template <class T>
Mat3<T> inertia_root(const Mat3<T>& J) {
  // below it a pivot is what rounding leaves of zero
  const T threshold = T(std::numeric_limits<double>::epsilon()) * (J(0, 0) + J(1, 1) + J(2, 2));
  Mat3<T> N;
  for (int i = 2; i >= 0; --i) {
    T pivot = J(i, i);
    for (int k = i + 1; k < 3; ++k) pivot -= N(k, i) * N(k, i);
    N(i, i) = root_above(pivot, threshold);
    const T divisor = select(less(T(0.0), N(i, i)), N(i, i), T(1.0));
    for (int j = 0; j < i; ++j) {
      T rest = J(i, j);
      for (int k = i + 1; k < 3; ++k) rest -= N(k, i) * N(k, j);
      N(i, j) = select(less(T(0.0), N(i, i)), rest / divisor, T(0.0));
    }
  }
  return N;
}

template <class T>
void noc_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> M) {
  const auto n = static_cast<std::size_t>(linkage.nv);
  const Complement<T> complement = orthogonal_complement(linkage, poses);
  for (T& each : M) each = T(0.0);
  for (std::size_t i = 0; i < complement.size(); ++i) {
    const Mat3<T> N = inertia_root(linkage.links[i].I);
    const T root_mass = root_above(linkage.links[i].mass, T(0.0));
    std::vector<Motion<T>> P;
    for (const auto& column : complement[i]) P.push_back({N * column.c, root_mass * column.r});
    for (std::size_t b = 0; b < P.size(); ++b) {
      const auto k = static_cast<std::size_t>(complement[i][b].velocity);
      for (std::size_t a = 0; a <= b; ++a) {
        const auto j = static_cast<std::size_t>(complement[i][a].velocity);
        M[k * n + j] += dot(P[a].ang, P[b].ang) + dot(P[a].lin, P[b].lin);
        M[j * n + k] = M[k * n + j];
      }
    }
  }
}

template <class T>
void natural_orthogonal_complement(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const auto wrenches = hinge_wrenches<T>(linkage, poses, momentum_rates<T>(linkage, poses, qd, qdd));
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    const auto& link = linkage.links[i];
    const auto v = static_cast<std::size_t>(link.v);
    const Force<T>& w = wrenches[i];
    switch (link.kind) {
      case JointKind::revolute: tau[v] = w.ang[2]; break;
      case JointKind::prismatic: tau[v] = w.lin[2]; break;
      case JointKind::floating:
        for (int k = 0; k < 3; ++k) tau[v + 3 + static_cast<std::size_t>(k)] = w.lin[k];
        [[fallthrough]];
      case JointKind::spherical:
        for (int k = 0; k < 3; ++k) tau[v + static_cast<std::size_t>(k)] = w.ang[k];
        break;
    }
  }
}

#define LW_INSTANTIATE(T)                                                                                       \
  template Mat3<T> inertia_root<T>(const Mat3<T>&);                                                             \
  template void noc_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);                                        \
  template void natural_orthogonal_complement<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
