#include "newton_euler.hpp"

namespace lw {

template <class T>
void newton_euler(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::size_t n = linkage.links.size();
  const Vec3<T> z = Vec3<T>::unit(2);
  std::vector<Vec3<T>> w(n), alpha(n), a(n), f(n), moment(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = linkage.links[i];
    const Vec3<T>& p = poses[i].p;
    const Mat3<T> Rt = transpose(poses[i].R);
    Vec3<T> w_p, alpha_p, a_p = -linkage.gravity;
    if (link.parent >= 0) {
      const auto k = static_cast<std::size_t>(link.parent);
      w_p = w[k], alpha_p = alpha[k], a_p = a[k];
    }
    w[i] = Rt * w_p;
    alpha[i] = Rt * alpha_p;
    a[i] = Rt * (a_p + cross(alpha_p, p) + cross(w_p, cross(w_p, p)));
    const Vec3<T> turned = cross(w[i], z * qd[i]);
    if (link.slides()) {
      a[i] += z * qdd[i] + T(2.0) * turned;
    } else {
      w[i] += z * qd[i];
      alpha[i] += z * qdd[i] + turned;
    }
    const Vec3<T> force =
        link.mass * (a[i] + cross(alpha[i], link.com) + cross(w[i], cross(w[i], link.com)));
    f[i] = force;
    moment[i] = link.I * alpha[i] + cross(w[i], link.I * w[i]) + cross(link.com, force);
  }
  for (std::size_t i = n; i-- > 0;) {
    const auto& link = linkage.links[i];
    tau[i] = (link.slides() ? f[i] : moment[i])[2];
    if (link.parent < 0) continue;
    const auto k = static_cast<std::size_t>(link.parent);
    const Vec3<T> passed = poses[i].R * f[i];
    f[k] += passed;
    moment[k] += poses[i].R * moment[i] + cross(poses[i].p, passed);
  }
}

#define LW_INSTANTIATE(T) template void newton_euler<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
