#include "element_derivatives.hpp"

#include "../../base/index.hpp"
#include "../tree/elements.hpp"

namespace lw {
namespace {

// A point of a body, with what the velocities above it do to it, in world axes.
template <class T>
class Arm {
 public:
  struct Effect {
    int body;
    const typename DerivativeWorkspace<T>::Column& column;
    Vec3<T> A, J;
  };

  Arm(const Model<T>& model, const DerivativeWorkspace<T>& work, In<T> q, const Frame<T>& f)
      : model_(model), work_(work), body_(f.body), in_root_(f.X_BF.p), in_world_(in_root_) {
    if (body_ < 0) return;
    int root = body_;
    while (model.bodies[at(root)].parent >= 0) root = model.bodies[at(root)].parent;
    const Transform<T>& X = work.placed[at(body_)].X;
    root_ = joint_transform<T>(model.bodies[at(root)], q);
    in_root_ = X.R * in_root_ + X.p;
    in_world_ = root_.R * in_root_ + root_.p;
  }

  const Vec3<T>& place() const { return in_world_; }
  Mat3<T> axes() const { return body_ < 0 ? Mat3<T>::identity() : root_.R * work_.placed[at(body_)].X.R; }

  template <class Visit>
  void each(const Visit& visit) const {
    for (int b = body_; b >= 0; b = model_.bodies[at(b)].parent) {
      for (int k = 0; k < model_.bodies[at(b)].velocities(); ++k) {
        const auto& c = work_.columns[at(work_.first[at(b)] + k)];
        visit(Effect{b, c, root_.R * c.S.ang, root_.R * (c.S.lin + cross(c.S.ang, in_root_))});
      }
    }
  }

 private:
  const Model<T>& model_;
  const DerivativeWorkspace<T>& work_;
  int body_;
  Transform<T> root_;
  Vec3<T> in_root_, in_world_;
};

// A force element on its body: force and moment in world axes.
template <class T>
Force<T> in_world(const ForceElement<T>& e, const Arm<T>& arm) {
  if (!e.in_link) return e.wrench;
  const Mat3<T> R = arm.axes() * e.frame.X_BF.R;
  return {R * e.wrench.ang, R * e.wrench.lin};
}

template <class T>
struct AddedEntries {
  T* data;
  const std::vector<std::ptrdiff_t>& columns;
  std::ptrdiff_t stride;

  void add(int row, int column, const T& value) const { data[columns[at(column)] + stride * row] += value; }
  template <class Effect>
  void add(const Effect& row, const Effect& column, const T& value) const {
    add(static_cast<int>(row.column.velocity), static_cast<int>(column.column.velocity),
        row.column.ratio * column.column.ratio * value);
  }
};

// What a wrench at the end of an arm does, moved along with the body or kept in the world.
template <class T>
void subtract_wrench(const Arm<T>& arm, const Force<T>& w, bool moves, const AddedEntries<T>& to) {
  arm.each([&](const auto& i) {
    arm.each([&](const auto& j) {
      const bool carried = j.body <= i.body;
      if (carried && moves) return;  // turned with the axis and the arm
      T value = dot(w.lin, carried ? cross(j.A, i.J) : cross(i.A, j.J));
      if (carried) value += dot(w.ang, cross(j.A, i.A));
      if (moves) value += dot(cross(j.A, w.lin), i.J) + dot(cross(j.A, w.ang), i.A);
      to.add(i, j, -value);
    });
  });
}

template <class T>
void subtract_spring(const PointSpringElement<T>& s, const Arm<T>& a, const Arm<T>& b, const AddedEntries<T>& to) {
  const SpringLine<T> line = spring_line<T>(a.place(), b.place());
  const Vec3<T>& n = line.along;
  const T pull = tension<T>(s, line.length), slope = s.tension.empty() ? s.stiffness : s.tension.slope(line.length);
  const T across = pull / line.length, along = slope - across;
  const auto stretch = [&](const Arm<T>& row, const Arm<T>& column, bool same) {
    row.each([&](const auto& i) {
      const Vec3<T> resists = i.J * across + n * (along * dot(n, i.J));
      column.each([&](const auto& j) {
        const T value = dot(resists, j.J);
        to.add(i, j, same ? value : -value);
      });
    });
  };
  stretch(a, a, true);
  stretch(a, b, false);
  stretch(b, a, false);
  stretch(b, b, true);
  subtract_wrench<T>(a, {Vec3<T>::zero(), n * pull}, false, to);
  subtract_wrench<T>(b, {Vec3<T>::zero(), -(n * pull)}, false, to);
}

}  // namespace

template <class T>
void subtract_element_torques(const Model<T>& model, const DerivativeWorkspace<T>& work, In<T> q, Out<T> tau) {
  const auto subtract = [&](const Arm<T>& arm, const Force<T>& w) {
    arm.each([&](const auto& i) {
      tau[static_cast<std::size_t>(i.column.velocity)] -= i.column.ratio * (dot(w.lin, i.J) + dot(w.ang, i.A));
    });
  };
  for (const PointSpringElement<T>& s : model.springs) {
    const Arm<T> a(model, work, q, s.a), b(model, work, q, s.b);
    const SpringLine<T> line = spring_line<T>(a.place(), b.place());
    const Vec3<T> pull = line.along * tension<T>(s, line.length);
    subtract(a, {Vec3<T>::zero(), pull});
    subtract(b, {Vec3<T>::zero(), -pull});
  }
  for (const ForceElement<T>& e : model.forces) {
    const Arm<T> arm(model, work, q, e.frame);
    subtract(arm, in_world(e, arm));
  }
  subtract_element_torques<T>(model, q, tau);
}

template <class T>
void subtract_element_derivatives(const Model<T>& model, const DerivativeWorkspace<T>& work, In<T> q, T* data,
                                  const std::vector<std::ptrdiff_t>& columns, std::ptrdiff_t stride) {
  const AddedEntries<T> to{data, columns, stride};
  const T zero(0.0);
  for (const PointSpringElement<T>& s : model.springs) {
    subtract_spring<T>(s, Arm<T>(model, work, q, s.a), Arm<T>(model, work, q, s.b), to);
  }
  for (const ForceElement<T>& e : model.forces) {
    const Arm<T> arm(model, work, q, e.frame);
    subtract_wrench<T>(arm, in_world(e, arm), e.in_link, to);
  }
  for (const JointElement<T>& e : model.joint_elements) {
    const Body<T>& b = model.bodies[at(e.body)];
    const T x = joint_coordinate<T>(b, q);
    T stiffness = e.spring.empty() ? zero : e.spring.slope(x);
    if (e.has_upper) stiffness += select(less(e.upper, x), e.stiffness, zero);
    if (e.has_lower) stiffness += select(less(x, e.lower), e.stiffness, zero);
    to.add(b.v, b.v, b.ratio * b.ratio * stiffness);
  }
  for (const ShaftElement<T>& s : model.shafts) {
    const Body<T>&a = model.bodies[at(s.body_a)], &b = model.bodies[at(s.body_b)];
    const T slack = is_slack<T>(s, joint_coordinate<T>(a, q) - joint_coordinate<T>(b, q));
    const T stiffness = select(slack, zero, s.stiffness);
    to.add(a.v, a.v, a.ratio * a.ratio * stiffness);
    to.add(b.v, b.v, b.ratio * b.ratio * stiffness);
    to.add(a.v, b.v, -(a.ratio * b.ratio * stiffness));
    to.add(b.v, a.v, -(a.ratio * b.ratio * stiffness));
  }
}

#define LW_INSTANTIATE(T)                                                                                   \
  template void subtract_element_torques<T>(const Model<T>&, const DerivativeWorkspace<T>&, In<T>, Out<T>); \
  template void subtract_element_derivatives<T>(const Model<T>&, const DerivativeWorkspace<T>&, In<T>, T*,  \
                                                const std::vector<std::ptrdiff_t>&, std::ptrdiff_t);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
