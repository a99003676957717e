#include "rnea.hpp"

#include "elements.hpp"

namespace lw {
namespace {

template <class T>
Vec3<T> three(In<T> x, int first) {
  const auto k = static_cast<std::size_t>(first);
  return {x[k], x[k + 1], x[k + 2]};
}

// Transform and accelerations of one body from its parent's.
template <class T>
inline void step_out(const Body<T>& b, Workspace<T>& work, std::size_t i, const Vec3<T>& w_parent,
                     const Vec3<T>& alpha_parent, const Vec3<T>& a_parent, In<T> q, In<T> qd, In<T> qdd) {
  const Transform<T> X = joint_transform<T>(b, q);
  work.X[i] = X;
  const Mat3<T> Rt = transpose(X.R);
  const Vec3<T> w = Rt * w_parent;
  Vec3<T> alpha = Rt * alpha_parent;
  const Vec3<T> wr = cross(w_parent, X.p);
  Vec3<T> a = Rt * (a_parent + cross(alpha_parent, X.p) + cross(w_parent, wr));
  Vec3<T>& w_out = work.velocity[i].ang;
  switch (b.kind) {
    case JointKind::revolute: {
      const Vec3<T> rate = b.axis * joint_rate<T>(b, qd);
      alpha += b.axis * joint_rate<T>(b, qdd) + cross(w, rate);
      w_out = w + rate;
      break;
    }
    case JointKind::prismatic: {
      const Vec3<T> rate = b.axis * joint_rate<T>(b, qd);
      const Vec3<T> coriolis = cross(w, rate);
      a += b.axis * joint_rate<T>(b, qdd) + (coriolis + coriolis);
      w_out = w;
      break;
    }
    case JointKind::spherical: {
      const Vec3<T> rate = three<T>(qd, b.v);
      alpha += three<T>(qdd, b.v) + cross(w, rate);
      w_out = w + rate;
      break;
    }
    case JointKind::floating: {
      const Vec3<T> rate = three<T>(qd, b.v), v = three<T>(qd, b.v + 3);
      alpha += three<T>(qdd, b.v) + cross(w, rate);
      // the origin moves with v in axes that rotate with ω_p + rate
      a += three<T>(qdd, b.v + 3) + cross(rate, v) + T(2.0) * cross(w, v);
      w_out = w + rate;
      break;
    }
  }
  work.alpha[i] = alpha;
  work.acceleration[i] = a;
}

}  // namespace

template <class T>
void forward_accelerations(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
                           const Vec3<T>& gravity) {
  const Vec3<T> zero = Vec3<T>::zero();
  const Vec3<T> a_base = -gravity;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    if (b.parent < 0) {
      step_out<T>(b, work, i, zero, zero, a_base, q, qd, qdd);
    } else {
      const auto p = static_cast<std::size_t>(b.parent);
      step_out<T>(b, work, i, work.velocity[p].ang, work.alpha[p], work.acceleration[p], q, qd, qdd);
    }
  }
}

template <class T>
void rnea(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> tau,
          std::span<const Force<std::type_identity_t<T>>> external) {
  check_sizes("rnea", model, work,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), model.nv},
               {"qdd", qdd.size(), model.nv},
               {"tau", tau.size(), model.nv}});
  if (!external.empty())
    check_sizes("rnea", model, {{"external", external.size(), static_cast<int>(model.bodies.size())}});
  forward_accelerations<T>(model, work, q, qd, qdd, model.gravity);

  // wrench that each body needs for its own motion
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<T>& I = model.bodies[i].inertia;
    const Vec3<T>&w = work.velocity[i].ang, &alpha = work.alpha[i], &a = work.acceleration[i];
    const Vec3<T> wh = cross(w, I.h);
    const Vec3<T> Iw = I.I * w;
    work.force[i].lin = I.mass * a + cross(alpha, I.h) + cross(w, wh);
    work.force[i].ang = I.I * alpha + cross(w, Iw) + cross(I.h, a);
  }
  if (!external.empty()) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      work.force[i] -= external[i];
    }
  }
  const bool elements = has_elements(model);
  if (elements) subtract_element_wrenches<T>(model, work, work.force);

  // inward: project on the joint, pass the rest to the parent
  if (model.has_mimics) {
    for (T& t : tau) t = T(0.0);
  }
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    const Body<T>& b = model.bodies[i];
    const Force<T>& f = work.force[i];
    const auto v = static_cast<std::size_t>(b.v);
    switch (b.kind) {
      case JointKind::revolute:
      case JointKind::prismatic: {
        const T t = dot(b.axis, b.kind == JointKind::revolute ? f.ang : f.lin) + b.armature * joint_rate<T>(b, qdd) +
                    b.stiffness * (joint_coordinate<T>(b, q) - b.rest);
        if (!model.has_mimics) {
          tau[v] = t;
        } else {
          tau[v] += b.ratio * t;
        }
        break;
      }
      case JointKind::floating:
        for (std::size_t k = 0; k < 3; ++k) tau[v + 3 + k] = f.lin[static_cast<int>(k)];
        [[fallthrough]];
      case JointKind::spherical:
        for (std::size_t k = 0; k < 3; ++k) tau[v + k] = f.ang[static_cast<int>(k)];
        break;
    }
    if (b.parent >= 0) work.force[static_cast<std::size_t>(b.parent)] += work.X[i].to_parent(f);
  }
  if (elements) subtract_element_torques<T>(model, q, tau);
  add_rotor_ties<T>(model, qdd, tau);
}

template <class T>
void bias_forces(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, Out<T> bias) {
  rnea<T>(model, work, q, qd, work.zero, bias);
}

template <class T>
void gravity_forces(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> gravity) {
  rnea<T>(model, work, q, work.zero, work.zero, gravity);
}

template <class T>
Force<T> wrench_on_body(const Model<T>& model, const Workspace<T>& work, int frame, const Force<T>& wrench) {
  return wrench_on_body<T>(work, model.frames[static_cast<std::size_t>(frame)], wrench);
}

template <class T>
Force<T> wrench_on_body(const Workspace<T>& work, const Frame<T>& frame, const Force<T>& wrench) {
  require(frame.body >= 0, "the frame must not be fixed to the base, where a wrench has no effect");
  const Mat3<T> Rt = transpose(work.X_W[static_cast<std::size_t>(frame.body)].R);
  const Vec3<T> lin = Rt * wrench.lin;
  return {Rt * wrench.ang + cross(frame.X_BF.p, lin), lin};
}

#define LW_INSTANTIATE(T)                                                                                        \
  template void forward_accelerations<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, const Vec3<T>&);   \
  template void rnea<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>, std::span<const Force<T>>); \
  template void bias_forces<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, Out<T>);                            \
  template void gravity_forces<T>(const Model<T>&, Workspace<T>&, In<T>, Out<T>);                                \
  template Force<T> wrench_on_body<T>(const Model<T>&, const Workspace<T>&, int, const Force<T>&);               \
  template Force<T> wrench_on_body<T>(const Workspace<T>&, const Frame<T>&, const Force<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
