#include "elements.hpp"

#include <cmath>

#include "../../base/index.hpp"
#include "../../graph/typical.hpp"
#include "kinematics.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

template <class T>
Vec3<T> point(const Workspace<T>& work, const Frame<T>& f) {
  if (f.body < 0) return f.X_BF.p;
  const Transform<T>& X = work.X_W[at(f.body)];
  return X.R * f.X_BF.p + X.p;
}

template <class T>
Vec3<T> point_velocity(const Workspace<T>& work, const Frame<T>& f) {
  if (f.body < 0) return Vec3<T>::zero();
  const Motion<T>& v = work.velocity[at(f.body)];
  return work.X_W[at(f.body)].R * (v.lin + cross(v.ang, f.X_BF.p));
}

// visit(body, wrench) for both ends of a spring that pulls with `force` in the direction from a to b.
template <class T, class Visit>
void pull(const Workspace<T>& work, const PointSpringElement<T>& spring, const Vec3<T>& force, const Visit& visit) {
  const Vec3<T> none = Vec3<T>::zero();
  if (spring.a.body >= 0) visit(spring.a.body, wrench_on_body<T>(work, spring.a, {none, force}));
  if (spring.b.body >= 0) visit(spring.b.body, wrench_on_body<T>(work, spring.b, {none, -force}));
}

// visit(body, wrench that acts on it), in its frame.
template <class T, class Visit>
void each_wrench(const Model<T>& model, const Workspace<T>& work, const Visit& visit) {
  for (const PointSpringElement<T>& s : model.springs) {
    const SpringLine<T> line = spring_line<T>(point(work, s.a), point(work, s.b));
    pull(work, s, line.along * tension<T>(s, line.length), visit);
  }
  for (const ForceElement<T>& f : model.forces) {
    if (f.frame.body < 0) continue;
    visit(f.frame.body, f.in_link ? f.frame.X_BF.to_parent(f.wrench) : wrench_on_body<T>(work, f.frame, f.wrench));
  }
}

template <class T, class Visit>
void each_damping_wrench(const Model<T>& model, const Workspace<T>& work, const Visit& visit) {
  for (const PointSpringElement<T>& s : model.springs) {
    if (is_zero(s.damping)) continue;
    const SpringLine<T> line = spring_line<T>(point(work, s.a), point(work, s.b));
    const T rate = dot(line.along, point_velocity(work, s.b) - point_velocity(work, s.a));
    pull(work, s, line.along * (s.damping * rate), visit);
  }
}

// visit(penetration of the stop, sign of its force)
template <class T, class Visit>
void each_stop(const JointElement<T>& e, const T& q, const Visit& visit) {
  if (e.has_upper) visit(q - e.upper, -1);
  if (e.has_lower) visit(e.lower - q, 1);
}

// visit(body, torque that acts at its joint)
template <class T, class Visit>
void each_torque(const Model<T>& model, In<T> q, const Visit& visit) {
  for (const JointElement<T>& e : model.joint_elements) {
    const T x = joint_coordinate<T>(model.bodies[at(e.body)], q);
    if (!e.spring.empty()) visit(e.body, -e.spring(x));
    each_stop<T>(e, x, [&](const T& s, int sign) {
      const T push = e.stiffness * max(s, T(0.0));
      visit(e.body, sign > 0 ? push : -push);
    });
  }
  for (const ShaftElement<T>& s : model.shafts) {
    const Body<T>&a = model.bodies[at(s.body_a)], &b = model.bodies[at(s.body_b)];
    const T torque = s.stiffness * shaft_twist<T>(s, joint_coordinate<T>(a, q) - joint_coordinate<T>(b, q));
    visit(s.body_a, -torque);
    visit(s.body_b, torque);
  }
}

template <class T, class Visit>
void each_damping_torque(const Model<T>& model, In<T> q, In<T> qd, const Visit& visit) {
  const T zero(0.0);
  for (const JointElement<T>& e : model.joint_elements) {
    if (is_zero(e.damping)) continue;
    const Body<T>& b = model.bodies[at(e.body)];
    const T rate = joint_rate<T>(b, qd);
    each_stop<T>(e, joint_coordinate<T>(b, q), [&](const T& s, int sign) {
      const T inward = e.damping * (sign > 0 ? -rate : rate);
      const T push = select(less(zero, s), max(inward, -(e.stiffness * s)), zero);
      visit(e.body, sign > 0 ? push : -push);
    });
  }
  for (const ShaftElement<T>& s : model.shafts) {
    if (is_zero(s.damping)) continue;
    const Body<T>&a = model.bodies[at(s.body_a)], &b = model.bodies[at(s.body_b)];
    T torque = s.damping * (joint_rate<T>(a, qd) - joint_rate<T>(b, qd));
    if (!is_zero(s.play)) {
      torque = select(is_slack<T>(s, joint_coordinate<T>(a, q) - joint_coordinate<T>(b, q)), zero, torque);
    }
    visit(s.body_a, -torque);
    visit(s.body_b, torque);
  }
}

// A torque at a body's joint, as a generalised force on its velocity.
template <class T>
T geared(const Body<T>& b, const T& torque) {
  return b.mimics ? b.ratio * torque : torque;
}

// Q of the wrenches in work.force.
template <class T>
void project(const Model<T>& model, Workspace<T>& work, Out<T> Q) {
  for (T& x : Q) x = T(0.0);
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    const Body<T>& b = model.bodies[i];
    const Force<T>& f = work.force[i];
    const auto v = at(b.v);
    switch (b.kind) {
      case JointKind::revolute: Q[v] += geared<T>(b, dot(b.axis, f.ang)); break;
      case JointKind::prismatic: Q[v] += geared<T>(b, dot(b.axis, f.lin)); break;
      case JointKind::floating:
        for (int k = 0; k < 3; ++k) Q[v + 3 + at(k)] = f.lin[k];
        [[fallthrough]];
      case JointKind::spherical:
        for (int k = 0; k < 3; ++k) Q[v + at(k)] = f.ang[k];
        break;
    }
    if (b.parent >= 0) work.force[at(b.parent)] += work.X[i].to_parent(f);
  }
}

}  // namespace

template <class T>
Model<T> without_elements(Model<T> model) {
  model.joint_elements.clear();
  model.springs.clear();
  model.forces.clear();
  model.shafts.clear();
  return model;
}

template <class T>
void subtract_element_wrenches(const Model<T>& model, Workspace<T>& work, std::span<Force<T>> needed) {
  if (model.springs.empty() && model.forces.empty()) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int parent = model.bodies[i].parent;
    work.X_W[i] = parent < 0 ? work.X[i] : work.X_W[at(parent)] * work.X[i];
  }
  each_wrench(model, work, [&](int body, const Force<T>& f) { needed[at(body)] -= f; });
}

template <class T>
void subtract_element_torques(const Model<T>& model, In<T> q, Out<T> needed) {
  each_torque<T>(model, q, [&](int body, const T& torque) {
    const Body<T>& b = model.bodies[at(body)];
    needed[at(b.v)] -= geared<T>(b, torque);
  });
}

template <class T>
void element_torques(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> Q) {
  check_sizes("element_torques", model, work, {{"Q", Q.size(), model.nv}});
  forward_kinematics<T>(model, work, q);
  for (Force<T>& f : work.force) f = {};
  each_wrench(model, work, [&](int body, const Force<T>& f) { work.force[at(body)] += f; });
  project<T>(model, work, Q);
  each_torque<T>(model, q, [&](int body, const T& torque) {
    const Body<T>& b = model.bodies[at(body)];
    Q[at(b.v)] += geared<T>(b, torque);
  });
}

template <class T>
void damping_torques(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, Out<T> Q) {
  check_sizes("damping_torques", model, work, {{"Q", Q.size(), model.nv}});
  forward_velocities<T>(model, work, q, qd);
  for (Force<T>& f : work.force) f = {};
  each_damping_wrench(model, work, [&](int body, const Force<T>& f) { work.force[at(body)] += f; });
  project<T>(model, work, Q);
  each_damping_torque<T>(model, q, qd, [&](int body, const T& torque) {
    const Body<T>& b = model.bodies[at(body)];
    Q[at(b.v)] += geared<T>(b, torque);
  });
}

template <class T>
void add_damping(const Model<T>& model, const Workspace<T>& work, In<T> q, In<T> qd, std::span<Force<T>> on_bodies,
                 Out<T> at_joints) {
  check_sizes("add_damping", model, work,
              {{"on_bodies", on_bodies.size(), static_cast<int>(model.bodies.size())},
               {"at_joints", at_joints.size(), model.nv}});
  each_damping_wrench(model, work, [&](int body, const Force<T>& f) { on_bodies[at(body)] += f; });
  each_damping_torque<T>(model, q, qd, [&](int body, const T& torque) {
    const Body<T>& b = model.bodies[at(body)];
    at_joints[at(b.v)] += geared<T>(b, torque);
  });
}

template <class T>
void rnea_with_damping(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> tau,
                       Out<T> damping, std::span<const Force<std::type_identity_t<T>>> external) {
  check_sizes("rnea_with_damping", model, work, {{"damping", damping.size(), model.nv}});
  const T zero(0.0);
  if (!has_elements(model)) {
    for (T& x : damping) x = zero;
    rnea<T>(model, work, q, qd, qdd, tau, external);
    return;
  }
  damping_torques<T>(model, work, q, qd, damping);
  for (std::size_t i = 0; i < work.bias.size(); ++i) work.bias[i] = external.empty() ? Force<T>{} : external[i];
  for (T& x : work.scratch) x = zero;
  add_damping<T>(model, work, q, qd, work.bias, work.scratch);
  rnea<T>(model, work, q, qd, qdd, tau, work.bias);
  for (std::size_t k = 0; k < tau.size(); ++k) {
    tau[k] += damping[k] - work.scratch[k];  // contribution of the wrenches
    damping[k] = -damping[k];
  }
}

template <class T>
void subtract_elements(const Model<T>& model, In<T> q, Out<T> tau) {
  if (!has_elements(model)) return;
  Workspace<T> work(model);
  std::vector<T> Q(at(model.nv));
  element_torques<T>(model, work, q, Q);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= Q[k];
}

template <class T>
T element_energy(const Model<T>& model, const Workspace<T>& work, In<T> q) {
  const T half(0.5);
  T sum(0.0);
  for (const JointElement<T>& e : model.joint_elements) {
    const T x = joint_coordinate<T>(model.bodies[at(e.body)], q);
    if (!e.spring.empty()) sum += e.spring.integral(x);
    each_stop<T>(e, x, [&](const T& s, int) {
      const T in = max(s, T(0.0));
      sum += half * e.stiffness * in * in;
    });
  }
  for (const PointSpringElement<T>& s : model.springs) {
    const T length = spring_line<T>(point(work, s.a), point(work, s.b)).length;
    const T stretch = length - s.rest;
    sum += s.tension.empty() ? half * s.stiffness * stretch * stretch : s.tension.integral(length);
  }
  for (const ShaftElement<T>& s : model.shafts) {
    const Body<T>&a = model.bodies[at(s.body_a)], &b = model.bodies[at(s.body_b)];
    const T twist = shaft_twist<T>(s, joint_coordinate<T>(a, q) - joint_coordinate<T>(b, q));
    sum += half * s.stiffness * twist * twist;
  }
  return sum;
}

template <class T>
SpringLine<T> spring_line(const Vec3<T>& a, const Vec3<T>& b) {
  using std::sqrt;
  const Vec3<T> d = b - a;
  const T length = sqrt(max(dot(d, d), T(1e-200)));
  return {d * (T(1.0) / length), length};
}

template <class T>
T tension(const PointSpringElement<T>& spring, const T& length) {
  return spring.tension.empty() ? spring.stiffness * (length - spring.rest) : spring.tension(length);
}

template <class T>
T shaft_twist(const ShaftElement<T>& shaft, const T& difference) {
  if (is_zero(shaft.play)) return difference;
  const T zero(0.0);
  return max(difference - shaft.play, zero) + min(difference + shaft.play, zero);
}

template <class T>
T is_slack(const ShaftElement<T>& shaft, const T& difference) {
  return less(-shaft.play, difference) * less(difference, shaft.play);
}

#define LW_INSTANTIATE(T)                                                                                        \
  template Model<T> without_elements<T>(Model<T>);                                                               \
  template void subtract_element_wrenches<T>(const Model<T>&, Workspace<T>&, std::span<Force<T>>);               \
  template void subtract_element_torques<T>(const Model<T>&, In<T>, Out<T>);                                     \
  template void element_torques<T>(const Model<T>&, Workspace<T>&, In<T>, Out<T>);                               \
  template void damping_torques<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, Out<T>);                        \
  template void add_damping<T>(const Model<T>&, const Workspace<T>&, In<T>, In<T>, std::span<Force<T>>, Out<T>); \
  template void rnea_with_damping<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>, Out<T>,        \
                                     std::span<const Force<T>>);                                                 \
  template void subtract_elements<T>(const Model<T>&, In<T>, Out<T>);                                            \
  template T element_energy<T>(const Model<T>&, const Workspace<T>&, In<T>);                                     \
  template SpringLine<T> spring_line<T>(const Vec3<T>&, const Vec3<T>&);                                         \
  template T tension<T>(const PointSpringElement<T>&, const T&);                                                 \
  template T shaft_twist<T>(const ShaftElement<T>&, const T&);                                                   \
  template T is_slack<T>(const ShaftElement<T>&, const T&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
