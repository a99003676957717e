#include "lagrange.hpp"

namespace lw {
namespace {

template <class T>
using PoseDerivatives = std::vector<std::vector<Homogeneous<T>>>;  // of each link's pose, along the path to it

// U[j][a]: derivative of the pose of link j by the a-th coordinate on the path to it.
template <class T>
PoseDerivatives<T> first_derivatives(const Linkage<T>& linkage, Poses<T> poses) {
  std::vector<Homogeneous<T>> pose;
  PoseDerivatives<T> U;
  for (std::size_t j = 0; j < poses.size(); ++j) {
    const auto& link = linkage.links[j];
    std::vector<Homogeneous<T>> row;
    if (link.parent < 0) {
      pose.push_back(Homogeneous<T>::pose(poses[j]));
    } else {
      const auto p = static_cast<std::size_t>(link.parent);
      pose.push_back(pose[p] * poses[j]);
      for (const Homogeneous<T>& u : U[p]) row.push_back(u * poses[j]);
    }
    row.push_back(pose[j].derivative(link.slides()));
    U.push_back(std::move(row));
  }
  return U;
}

// UU[j][b (b + 1)/2 + a]: derivative by the a-th and the b-th coordinate, a ≤ b.
template <class T>
PoseDerivatives<T> second_derivatives(const Linkage<T>& linkage, Poses<T> poses, const PoseDerivatives<T>& U) {
  PoseDerivatives<T> UU;
  for (std::size_t j = 0; j < poses.size(); ++j) {
    const auto& link = linkage.links[j];
    std::vector<Homogeneous<T>> row;
    if (link.parent >= 0) {
      for (const Homogeneous<T>& u : UU[static_cast<std::size_t>(link.parent)]) row.push_back(u * poses[j]);
    }
    for (const Homogeneous<T>& u : U[j]) row.push_back(u.derivative(link.slides()));
    UU.push_back(std::move(row));
  }
  return UU;
}

// The contribution of link j to D, with UJ[a] = U_ja J_j.
template <class T>
void add_inertia(const std::vector<std::size_t>& way, const std::vector<Homogeneous<T>>& U,
                 const std::vector<Homogeneous<T>>& UJ, Out<T> D, std::size_t n) {
  for (std::size_t a = 0; a < way.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) D[way[b] * n + way[a]] += trace_of_product(U[b], UJ[a]);
  }
}

template <class T>
std::vector<Homogeneous<T>> weighted(const std::vector<Homogeneous<T>>& U, const PseudoInertia<T>& J) {
  std::vector<Homogeneous<T>> UJ;
  for (const Homogeneous<T>& u : U) UJ.push_back(u * J);
  return UJ;
}

// Copies the lower half (by columns) to the upper one. Joints are numbered parents first, so the lower half is
// computed.
template <class T>
void mirror(Out<T> D, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) D[i * n + k] = D[k * n + i];
  }
}

}  // namespace

template <class T>
void lagrange(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::size_t n = poses.size();
  const auto ways = joints_to(linkage);
  const PoseDerivatives<T> U = first_derivatives<T>(linkage, poses), UU = second_derivatives<T>(linkage, poses, U);
  std::vector<T> D(n * n, T(0.0)), h(n * n * n, T(0.0));
  for (T& t : tau) t = T(0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const std::vector<std::size_t>& way = ways[j];
    const std::vector<Homogeneous<T>> UJ = weighted(U[j], pseudo_inertia<T>(linkage.links[j]));
    add_inertia<T>(way, U[j], UJ, D, n);
    for (std::size_t i = 0; i < way.size(); ++i) {
      for (std::size_t m = 0, pair = 0; m < way.size(); ++m) {
        for (std::size_t k = 0; k <= m; ++k, ++pair) {
          h[(way[i] * n + way[m]) * n + way[k]] += trace_of_product(UU[j][pair], UJ[i]);
        }
      }
      tau[way[i]] -= dot(linkage.gravity, UJ[i].p);  // the last column of U J is U [m r; m]
    }
  }
  mirror<T>(D, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) tau[i] += D[k * n + i] * qdd[k];
  }
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t k = 0; k <= m; ++k) {
      const T rates = k < m ? T(2.0) * (qd[k] * qd[m]) : qd[k] * qd[k];
      for (std::size_t i = 0; i < n; ++i) tau[i] += h[(i * n + m) * n + k] * rates;
    }
  }
}

template <class T>
void lagrange_mass_matrix(const Linkage<T>& linkage, Poses<T> poses, Out<T> D) {
  const std::size_t n = poses.size();
  const auto ways = joints_to(linkage);
  const PoseDerivatives<T> U = first_derivatives<T>(linkage, poses);
  for (T& d : D) d = T(0.0);
  for (std::size_t j = 0; j < n; ++j) {
    add_inertia<T>(ways[j], U[j], weighted(U[j], pseudo_inertia<T>(linkage.links[j])), D, n);
  }
  mirror<T>(D, n);
}

#define LW_INSTANTIATE(T)                                                       \
  template void lagrange<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>); \
  template void lagrange_mass_matrix<T>(const Linkage<T>&, Poses<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
