#include "hollerbach.hpp"

namespace lw {

template <class T>
void hollerbach_4x4(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::size_t n = poses.size();
  std::vector<Homogeneous<T>> X(n), Xd(n), Xdd(n), U(n), D(n);
  std::vector<Vec3<T>> c(n);
  std::vector<T> mass(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    if (link.parent < 0) {
      X[i] = Homogeneous<T>::pose(poses[i]);
    } else {
      const auto p = static_cast<std::size_t>(link.parent);
      X[i] = X[p] * poses[i];
      Xd[i] = Xd[p] * poses[i];
      Xdd[i] = Xdd[p] * poses[i];
    }
    U[i] = X[i].derivative(link.slides());
    Xdd[i] += Xd[i].derivative(link.slides()) * (T(2.0) * qd[i]) + U[i].derivative(link.slides()) * (qd[i] * qd[i]) +
              U[i] * qdd[i];
    Xd[i] += U[i] * qd[i];
    const PseudoInertia<T> J = pseudo_inertia<T>(link);
    D[i] = Xdd[i] * J;
    c[i] = J.h;
    mass[i] = J.mass;
  }
  for (std::size_t i = n; i-- > 0;) {
    const Transform<T>& A = poses[i];
    tau[i] = trace_of_product(U[i], D[i]) - dot(linkage.gravity, U[i].R * c[i] + U[i].p * mass[i]);
    if (linkage.links[i].parent < 0) continue;
    const auto p = static_cast<std::size_t>(linkage.links[i].parent);
    D[p] += Homogeneous<T>{D[i].R * transpose(A.R) + outer(D[i].p, A.p), D[i].p};
    c[p] += A.R * c[i] + A.p * mass[i];
    mass[p] += mass[i];
  }
}

template <class T>
void hollerbach_3x3(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::size_t n = poses.size();
  // M Q for a revolute joint
  const auto turned = [](const Mat3<T>& M) { return Mat3<T>(M.col(1), -M.col(0), Vec3<T>::zero()); };
  std::vector<Mat3<T>> W(n), Wd(n), Wdd(n), D(n);
  std::vector<Vec3<T>> a(n), e(n), c(n);
  std::vector<T> mass(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    const Mat3<T>& R = poses[i].R;
    if (link.parent < 0) {
      W[i] = R;
    } else {
      const auto p = static_cast<std::size_t>(link.parent);
      W[i] = W[p] * R;
      Wd[i] = Wd[p] * R;
      Wdd[i] = Wdd[p] * R;
      a[i] = a[p] + Wdd[p] * poses[i].p;
    }
    if (link.slides()) {
      a[i] += Wd[i].col(2) * (T(2.0) * qd[i]) + W[i].col(2) * qdd[i];
    } else {
      const Mat3<T> by_q = turned(W[i]);
      Wdd[i] += turned(Wd[i]) * (T(2.0) * qd[i]) + turned(by_q) * (qd[i] * qd[i]) + by_q * qdd[i];
      Wd[i] += by_q * qd[i];
    }
    const PseudoInertia<T> J = pseudo_inertia<T>(link);
    D[i] = Wdd[i] * J.K + outer(a[i], J.h);
    e[i] = a[i] * J.mass + Wdd[i] * J.h;
    c[i] = J.h;
    mass[i] = J.mass;
  }
  for (std::size_t i = n; i-- > 0;) {
    const auto& link = linkage.links[i];
    const Mat3<T>& R = poses[i].R;
    const Vec3<T>&x = W[i].col(0), &y = W[i].col(1), &z = W[i].col(2);
    tau[i] = link.slides()
                 ? dot(z, e[i] - linkage.gravity * mass[i])
                 : dot(y, D[i].col(0)) - dot(x, D[i].col(1)) - dot(linkage.gravity, y * c[i][0] - x * c[i][1]);
    if (link.parent < 0) continue;
    const auto p = static_cast<std::size_t>(link.parent);
    D[p] += D[i] * transpose(R) + outer(e[i], poses[i].p);
    e[p] += e[i];
    c[p] += R * c[i] + poses[i].p * mass[i];
    mass[p] += mass[i];
  }
}

#define LW_INSTANTIATE(T)                                                             \
  template void hollerbach_4x4<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>); \
  template void hollerbach_3x3<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
