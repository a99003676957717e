#include "binder.hpp"

namespace lw {
namespace {

// The displacement of a prismatic joint.
template <class T>
T stroke(const typename Linkage<T>::Link& link, const Transform<T>& pose) {
  return dot(link.rest.R.col(2), pose.p - link.rest.p);
}

// Rz(q), or 1 for a prismatic joint.
template <class T>
Mat3<T> joint_rotation(const typename Linkage<T>::Link& link, const Transform<T>& pose) {
  if (link.slides()) return Mat3<T>::identity();
  const T c = dot(link.rest.R.col(0), pose.R.col(0)), s = dot(link.rest.R.col(1), pose.R.col(0)), zero(0.0);
  return {{c, s, zero}, {-s, c, zero}, Vec3<T>::unit(2)};
}

// The frame of joint i+1 on link i; the last link has none.
template <class T>
Transform<T> far_end(const Linkage<T>& linkage, std::size_t i) {
  return i + 1 < linkage.links.size() ? linkage.links[i + 1].rest : Transform<T>();
}

// Link i with its vectors rotated by B from its own frame at the joint. The caller sets A and z.
template <class T>
BinderLink<T> turned_link(const Linkage<T>& linkage, Poses<T> poses, std::size_t i, const Mat3<T>& B) {
  const auto& link = linkage.links[i];
  const Vec3<T> p = far_end(linkage, i).p;
  BinderLink<T> out;
  out.slides = link.slides();
  out.S = B * (link.slides() ? p + Vec3<T>::unit(2) * stroke<T>(link, poses[i]) : p);
  out.mass = link.mass;
  out.r = B * (link.com - p);
  out.J = B * (link.I * transpose(B));
  return out;
}

}  // namespace

template <class T>
BinderChain<T> chain_in_link_frames(const Linkage<T>& linkage, Poses<T> poses) {
  BinderChain<T> chain;
  for (std::size_t i = 0; i < linkage.links.size(); ++i) {
    if (i == 0) chain.base_acceleration = -(transpose(linkage.links[0].rest.R) * linkage.gravity);
    const Mat3<T> B = transpose(far_end(linkage, i).R);
    chain.links.push_back(turned_link<T>(linkage, poses, i, B));
    chain.links.back().A = B * transpose(joint_rotation<T>(linkage.links[i], poses[i]));
    chain.links.back().z = Vec3<T>::unit(2);
  }
  return chain;
}

template <class T>
BinderChain<T> chain_in_base_axes(const Linkage<T>& linkage, Poses<T> poses) {
  BinderChain<T> chain;
  chain.base_acceleration = -linkage.gravity;
  Mat3<T> R = Mat3<T>::identity();  // of the link in the base
  for (std::size_t i = 0; i < linkage.links.size(); ++i) {
    R = R * poses[i].R;
    chain.links.push_back(turned_link<T>(linkage, poses, i, R));
    chain.links.back().A = Mat3<T>::identity();
    chain.links.back().z = R.col(2);
  }
  return chain;
}

template <class T>
void binder_recursion(const BinderChain<T>& chain, In<T> qd, In<T> qdd, Out<T> tau) {
  const std::vector<BinderLink<T>>& links = chain.links;
  Vec3<T> w, wd, a = chain.base_acceleration;
  std::vector<Vec3<T>> F, N;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const BinderLink<T>& link = links[i];
    const Vec3<T> rate = link.z * qd[i], acceleration = link.z * qdd[i];
    if (link.slides) {
      wd = link.A * wd;
      w = link.A * w;
      a = binder_steps::origin_acceleration(link.A, a + acceleration, w, wd, link.S) + T(2.0) * cross(w, link.A * rate);
    } else {
      wd = binder_steps::angular_acceleration(link.A, wd, w, rate, acceleration);
      w = binder_steps::angular_velocity(link.A, w, rate);
      a = binder_steps::origin_acceleration(link.A, a, w, wd, link.S);
    }
    F.push_back(binder_steps::own_force(link.mass, a, w, wd, link.r));
    N.push_back(binder_steps::own_moment(link.J, w, wd));
  }
  Vec3<T> f, n;  // of link i+1
  for (std::size_t i = links.size(); i-- > 0;) {
    const BinderLink<T>& link = links[i];
    const Mat3<T> turned = i + 1 < links.size() ? transpose(links[i + 1].A) : Mat3<T>::identity();
    const Vec3<T> passed = turned * f;
    f = binder_steps::joint_force(passed, F[i]);
    n = binder_steps::joint_moment(turned, n, passed, link.S, link.r, F[i], N[i]);
    tau[i] = binder_steps::along_joint(link.slides ? f : n, link.A, link.z);
  }
}

template <class T>
void binder_link(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  binder_recursion<T>(chain_in_link_frames<T>(linkage, poses), qd, qdd, tau);
}
template <class T>
void binder_base(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau) {
  binder_recursion<T>(chain_in_base_axes<T>(linkage, poses), qd, qdd, tau);
}

#define LW_INSTANTIATE(T)                                                          \
  template BinderChain<T> chain_in_link_frames<T>(const Linkage<T>&, Poses<T>);    \
  template BinderChain<T> chain_in_base_axes<T>(const Linkage<T>&, Poses<T>);      \
  template void binder_recursion<T>(const BinderChain<T>&, In<T>, In<T>, Out<T>);  \
  template void binder_link<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>); \
  template void binder_base<T>(const Linkage<T>&, Poses<T>, In<T>, In<T>, Out<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
