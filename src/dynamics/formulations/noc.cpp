#include "noc.hpp"

#include <limits>

namespace lw {
namespace {

// √x if x exceeds the threshold, else 0. The root of zero, which has no derivative, is never taken.
template <class T>
T root_above(const T& x, const T& threshold) {
  using std::sqrt;
  const T above = less(threshold, x);
  return select(above, sqrt(select(above, x, T(1.0))), T(0.0));
}

}  // namespace

template <class T>
Mat3<T> inertia_root(const Mat3<T>& J) {
  // smaller pivots are rounding errors of zero
  const T threshold = T(4.0 * std::numeric_limits<double>::epsilon()) * (J(0, 0) + J(1, 1) + J(2, 2));
  const T zero(0.0), one(1.0);
  Mat3<T> rest = J, N;
  for (int row = 0; row < 3; ++row) {
    const T second = less(rest(0, 0), rest(1, 1));
    const T third = less(select(second, rest(1, 1), rest(0, 0)), rest(2, 2));
    const auto at_pivot = [&](const T& a, const T& b, const T& c) { return select(third, c, select(second, b, a)); };
    const T is_pivot[3] = {at_pivot(one, zero, zero), at_pivot(zero, one, zero), at_pivot(zero, zero, one)};
    const T root = root_above(at_pivot(rest(0, 0), rest(1, 1), rest(2, 2)), threshold);
    const T present = less(zero, root), scale = select(present, one / select(present, root, one), zero);
    for (int k = 0; k < 3; ++k) {
      N(row, k) = select(is_pivot[k], root, at_pivot(rest(k, 0), rest(k, 1), rest(k, 2)) * scale);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        rest(i, j) = select(is_pivot[i], zero, select(is_pivot[j], zero, rest(i, j) - N(row, i) * N(row, j)));
      }
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

#define LW_INSTANTIATE(T)                                                \
  template Mat3<T> inertia_root<T>(const Mat3<T>&);                      \
  template void noc_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>); \
  template void natural_orthogonal_complement<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
