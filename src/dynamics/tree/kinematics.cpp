#include "kinematics.hpp"

#include "columns.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

template <class T>
void place(const Model<T>& model, Workspace<T>& work, std::size_t i, In<T> q) {
  const Body<T>& b = model.bodies[i];
  work.X[i] = joint_transform<T>(b, q);
  work.X_W[i] = b.parent < 0 ? work.X[i] : work.X_W[static_cast<std::size_t>(b.parent)] * work.X[i];
}

template <class T>
void put(Out<T> jacobian, int column, const Vec3<T>& ang, const Vec3<T>& lin) {
  T* out = jacobian.data() + 6 * column;
  for (int k = 0; k < 3; ++k) {
    out[k] += ang[k];
    out[3 + k] += lin[k];
  }
}

template <class T>
const Frame<T>& frame_of(const Model<T>& model, int frame) {
  require(frame >= 0 && frame < static_cast<int>(model.frames.size()), "the model has no frame with this index");
  return model.frames[static_cast<std::size_t>(frame)];
}

}  // namespace

template <class T>
void forward_kinematics(const Model<T>& model, Workspace<T>& work, In<T> q) {
  check_sizes("forward_kinematics", model, work, {{"q", q.size(), model.nq}});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) place(model, work, i, q);
}

template <class T>
void forward_velocities(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd) {
  check_sizes("forward_velocities", model, work, {{"q", q.size(), model.nq}, {"qd", qd.size(), model.nv}});
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    place(model, work, i, q);
    const Body<T>& b = model.bodies[i];
    Motion<T> v = b.parent < 0 ? Motion<T>{} : work.X[i].to_child(work.velocity[static_cast<std::size_t>(b.parent)]);
    const auto k = static_cast<std::size_t>(b.v);
    switch (b.kind) {
      case JointKind::revolute: v.ang += b.axis * joint_rate<T>(b, qd); break;
      case JointKind::prismatic: v.lin += b.axis * joint_rate<T>(b, qd); break;
      case JointKind::floating: v.lin += Vec3<T>(qd[k + 3], qd[k + 4], qd[k + 5]); [[fallthrough]];
      case JointKind::spherical: v.ang += Vec3<T>(qd[k], qd[k + 1], qd[k + 2]); break;
    }
    work.velocity[i] = v;
  }
}

template <class T>
Transform<T> frame_pose(const Workspace<T>& work, const Frame<T>& frame) {
  return frame.body < 0 ? frame.X_BF : work.X_W[static_cast<std::size_t>(frame.body)] * frame.X_BF;
}

template <class T>
Transform<T> frame_pose(const Model<T>& model, const Workspace<T>& work, int frame) {
  return frame_pose(work, frame_of(model, frame));
}

template <class T>
void frame_jacobian(const Model<T>& model, const Workspace<T>& work, int frame, Out<T> jacobian) {
  frame_jacobian<T>(model, work, frame_of(model, frame), jacobian);
}

template <class T>
void frame_jacobian(const Model<T>& model, const Workspace<T>& work, const Frame<T>& frame, Out<T> jacobian) {
  check_sizes("frame_jacobian", model, work, {{"jacobian", jacobian.size(), 6 * model.nv}});
  for (T& x : jacobian) x = T(0.0);
  const Vec3<T> p_WF = frame_pose(work, frame).p;
  for (int i = frame.body; i >= 0; i = model.bodies[static_cast<std::size_t>(i)].parent) {
    const Body<T>& b = model.bodies[static_cast<std::size_t>(i)];
    const Transform<T>& X = work.X_W[static_cast<std::size_t>(i)];
    visit_columns<T>(b, X.R, p_WF - X.p,
                     [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) { put<T>(jacobian, v, ang, lin); });
  }
}

template <class T>
Motion<T> frame_velocity(const Model<T>& model, const Workspace<T>& work, int frame) {
  const Frame<T>& f = frame_of(model, frame);
  if (f.body < 0) return {};
  const Motion<T>& v = work.velocity[static_cast<std::size_t>(f.body)];
  const Mat3<T>& R = work.X_W[static_cast<std::size_t>(f.body)].R;
  return {R * v.ang, R * (v.lin + cross(v.ang, f.X_BF.p))};
}

template <class T>
Motion<T> frame_bias(const Model<T>& model, Workspace<T>& work, int frame, In<T> q, In<T> qd) {
  const Frame<T>& f = frame_of(model, frame);
  check_sizes("frame_bias", model, work, {{"q", q.size(), model.nq}, {"qd", qd.size(), model.nv}});
  if (f.body < 0) return {};
  forward_accelerations<T>(model, work, q, qd, work.zero, Vec3<T>::zero());
  const auto i = static_cast<std::size_t>(f.body);
  const Vec3<T>&w = work.velocity[i].ang, &alpha = work.alpha[i], &r = f.X_BF.p;
  const Mat3<T>& R = work.X_W[i].R;
  return {R * alpha, R * (work.acceleration[i] + cross(alpha, r) + cross(w, cross(w, r)))};
}

#define LW_INSTANTIATE(T)                                                                         \
  template void forward_kinematics<T>(const Model<T>&, Workspace<T>&, In<T>);                     \
  template void forward_velocities<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>);              \
  template Transform<T> frame_pose<T>(const Model<T>&, const Workspace<T>&, int);                 \
  template void frame_jacobian<T>(const Model<T>&, const Workspace<T>&, int, Out<T>);             \
  template Transform<T> frame_pose<T>(const Workspace<T>&, const Frame<T>&);                      \
  template void frame_jacobian<T>(const Model<T>&, const Workspace<T>&, const Frame<T>&, Out<T>); \
  template Motion<T> frame_velocity<T>(const Model<T>&, const Workspace<T>&, int);                \
  template Motion<T> frame_bias<T>(const Model<T>&, Workspace<T>&, int, In<T>, In<T>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
