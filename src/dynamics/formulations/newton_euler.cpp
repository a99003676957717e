#include "newton_euler.hpp"

namespace lw {
namespace {

// From F and N + s × F of every link, in place.
template <class T>
void inward(const Linkage<T>& linkage, Poses<T> poses, std::vector<Vec3<T>>& f, std::vector<Vec3<T>>& n, Out<T> tau) {
  for (std::size_t i = linkage.links.size(); i-- > 0;) {
    const auto& link = linkage.links[i];
    tau[i] = (link.slides() ? f[i] : n[i])[2];
    if (link.parent < 0) continue;
    const auto k = static_cast<std::size_t>(link.parent);
    const Vec3<T> passed = newton_euler_steps::passed_force(poses[i].R, f[i]);
    f[k] += passed;
    n[k] += newton_euler_steps::passed_moment(poses[i], n[i], passed);
  }
}

}  // namespace

template <class T>
void newton_euler(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  struct Motion {
    Vec3<T> w, alpha, a;
  };
  const std::size_t count = linkage.links.size();
  const Vec3<T> z = Vec3<T>::unit(2), none;
  std::vector<Motion> motion(count);
  std::vector<Vec3<T>> f(count), n(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& link = linkage.links[i];
    const Mat3<T> Rt = transpose(poses[i].R);
    const Motion from =
        link.parent < 0 ? Motion{none, none, -linkage.gravity} : motion[static_cast<std::size_t>(link.parent)];
    const Vec3<T> rate = z * qd[i], acceleration = z * qdd[i];
    auto& [w, alpha, a] = motion[i];
    w = newton_euler_steps::angular_velocity(Rt, from.w, link.slides() ? none : rate);
    a = Rt * newton_euler_steps::point_acceleration(from.a, from.w, from.alpha, poses[i].p);
    if (link.slides()) {
      alpha = Rt * from.alpha;
      a += newton_euler_steps::slide_acceleration(w, rate, acceleration);
    } else {
      alpha = newton_euler_steps::angular_acceleration(Rt, from.alpha, w, rate, acceleration);
    }
    f[i] = link.mass * newton_euler_steps::point_acceleration(a, w, alpha, link.com);
    n[i] = newton_euler_steps::moment_about_joint(newton_euler_steps::own_moment(link.I, w, alpha), link.com, f[i]);
  }
  inward<T>(linkage, poses, f, n, tau);
}

template <class T>
void newton_euler_modified(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  struct Motion {
    Vec3<T> w, alpha, a;
    newton_euler_steps::Spin<T> spin;
  };
  const std::size_t count = linkage.links.size();
  const Vec3<T> z = Vec3<T>::unit(2), none;
  std::vector<Motion> motion(count);
  std::vector<Vec3<T>> f(count), n(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& link = linkage.links[i];
    const Mat3<T>& R = poses[i].R;
    const Mat3<T> Rt = transpose(R);
    const Motion from =
        link.parent < 0 ? Motion{none, none, -linkage.gravity, {}} : motion[static_cast<std::size_t>(link.parent)];
    auto& [w, alpha, a, spin] = motion[i];
    w = newton_euler_steps::angular_velocity(Rt, from.w, link.slides() ? none : z * qd[i]);
    alpha = Rt * from.alpha;
    a = Rt * newton_euler_steps::point_acceleration(from.a, from.spin.lambda, poses[i].p);
    if (link.slides()) {
      a += newton_euler_steps::joint_acceleration(w, T(2.0) * qd[i], qdd[i]);
      spin = newton_euler_steps::turned_spin(R, from.spin);
    } else {
      alpha += newton_euler_steps::joint_acceleration(w, qd[i], qdd[i]);
      spin = newton_euler_steps::spin(w, alpha);
    }
    f[i] = link.mass * newton_euler_steps::point_acceleration(a, spin.lambda, link.com);
    const Vec3<T> N =
        newton_euler_steps::own_moment(link.I, newton_euler_steps::inertia_differences(link.I), spin.S, alpha);
    n[i] = newton_euler_steps::moment_about_joint(N, link.com, f[i]);
  }
  inward<T>(linkage, poses, f, n, tau);
}

#define LW_INSTANTIATE(T)                                                           \
  template void newton_euler<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>); \
  template void newton_euler_modified<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
