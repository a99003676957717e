// A step of Newton's method for the pose of loops, over any scalar: from the numbers that joints' transforms are made
// of to a better pose. What loop_position.cpp iterates over numbers, and traces once over expressions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "../../base/index.hpp"
#include "../tree/kinematics.hpp"
#include "loop_plan.hpp"

namespace lw {

// What a joint's transform is made of: cosine, sine and angle of a turn, the coordinate of a slide, the quaternion of a
// ball, place and quaternion of a floating joint.
template <class T>
using JointNumbers = std::array<T, 7>;

template <class T>
JointNumbers<T> joint_numbers(const Body<T>& b, In<T> q) {
  using std::cos, std::sin;
  JointNumbers<T> n;
  switch (b.kind) {
    case JointKind::revolute: {
      const T angle = joint_coordinate<T>(b, q);
      n[0] = cos(angle);
      n[1] = sin(angle);
      n[2] = angle;
      break;
    }
    case JointKind::prismatic: n[0] = joint_coordinate<T>(b, q); break;
    case JointKind::spherical: std::copy_n(q.begin() + b.q, 4, n.begin()); break;
    case JointKind::floating: std::copy_n(q.begin() + b.q, 7, n.begin()); break;
  }
  return n;
}

template <class T>
Transform<T> transform_of(const Body<T>& b, const JointNumbers<T>& n) {
  switch (b.kind) {
    case JointKind::revolute: return turned_transform<T>(b, n[0], n[1]);
    case JointKind::prismatic: return {b.X_PJ.R, b.X_PJ.p + b.slide * n[0]};
    case JointKind::spherical: return {b.X_PJ.R * rotation_from_quaternion(n[0], n[1], n[2], n[3]), b.X_PJ.p};
    case JointKind::floating:
      return {b.X_PJ.R * rotation_from_quaternion(n[3], n[4], n[5], n[6]),
              b.X_PJ.p + b.X_PJ.R * Vec3<T>(n[0], n[1], n[2])};
  }
  return {};
}

// (x, y, z, w) ⊗ (g, 1), of length 1.
template <class T>
void turn_quaternion(T* q, const T* g) {
  using std::sqrt;
  const T scale = T(1.0) / sqrt(T(1.0) + g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const T x = q[0], y = q[1], z = q[2], w = q[3];
  q[0] = scale * (x + w * g[0] + y * g[2] - z * g[1]);
  q[1] = scale * (y + w * g[1] + z * g[0] - x * g[2]);
  q[2] = scale * (z + w * g[2] + x * g[1] - y * g[0]);
  q[3] = scale * (w - x * g[0] - y * g[1] - z * g[2]);
}

// Cosine and sine of the angle whose half has the tangent t.
template <class T>
struct HalfTurn {
  explicit HalfTurn(const T& t) {
    const T half = T(1.0) / (T(1.0) + t * t), twice = half + half;
    c = twice - T(1.0);
    s = t * twice;
  }
  T c, s;
};

// Newton's method around given numbers of all joints.
template <class T>
class PositionStep {
 public:
  PositionStep(const Model<T>& model, const LoopPlan& plan)
      : model_(model),
        plan_(plan),
        work_(model),
        factors_(plan.position),
        place_(at(model.nv), -1),
        plain_(at(model.nv), false),
        numbers_(model.bodies.size()),
        all_(plan.equations.size()),
        columns_(all_.size() * at(model.nv)),
        J_(plan.unknown.size() * plan.unknown.size()),
        residual_(plan.unknown.size()) {
    for (std::size_t k = 0; k < plan.unknown.size(); ++k) place_[at(plan.unknown[k])] = static_cast<int>(k);
    // where another joint follows at its own ratio, the tangent of half the angle says nothing about that
    for (const Body<T>& b : model.bodies) plain_[at(b.v)] = plain_[at(b.v)] || b.mimics;
  }

  const Workspace<T>& work() const { return work_; }
  const std::vector<JointNumbers<T>>& numbers() const { return numbers_; }
  std::vector<JointNumbers<T>>& numbers() { return numbers_; }

  // Where bodies are with the unknowns displaced by x. A turn comes last: what stands before it does not depend on x
  // where nothing inward does.
  void place(const std::vector<JointNumbers<T>>& from, In<T> x) {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body<T>& b = model_.bodies[i];
      numbers_[i] = moved(b, from[i], x);
      const bool turns = b.kind == JointKind::revolute && place_[at(b.v)] >= 0 && !plain_[at(b.v)];
      put(i, transform_of(b, turns ? from[i] : numbers_[i]));
      if (!turns) continue;
      const HalfTurn<T> turn(x[at(place_[at(b.v)])]);
      const Mat3<T> along = outer(b.axis, b.axis);
      const Transform<T> X{along + (Mat3<T>::identity() - along) * turn.c + skew(b.axis) * turn.s, {}};
      work_.X[i] = work_.X[i] * X;
      work_.X_W[i] = work_.X_W[i] * X;
    }
  }
  // With the numbers as they are.
  void place() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) put(i, transform_of(model_.bodies[i], numbers_[i]));
  }

  // Of position_rows, distances as half their squares.
  const std::vector<T>& residual() {
    closure_residual<T>(model_, work_, plan_.equations, all_);
    for (std::size_t k = 0; k < residual_.size(); ++k) {
      const LoopPlan::PositionRow& row = plan_.position_rows[k];
      residual_[k] = row.end < 0 ? all_[row.row] : T(0.5) * excess(plan_.ends[at(row.end)]);
    }
    return residual_;
  }

  const std::vector<T>& jacobian() {
    closure_jacobian<T>(model_, work_, plan_.equations, ClosureAt::closed, columns_);
    const std::size_t n = residual_.size(), m = all_.size();
    for (T& x : J_) x = T(0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const LoopPlan::PositionRow& row = plan_.position_rows[k];
      if (row.end >= 0) {
        distance_row(plan_.ends[at(row.end)], k);
        continue;
      }
      for (std::size_t j = 0; j < n; ++j) J_[j * n + k] = columns_[at(plan_.unknown[j]) * m + row.row];
    }
    return J_;
  }

  // What is to be taken off x. False where J is singular.
  bool step(In<T> x, Out<T> step) {
    std::copy(residual().begin(), residual().end(), step.begin());
    if (!factors_.factorize(jacobian(), Solutions::one)) return false;
    factors_.solve(step);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) change_of(model_.bodies[i], numbers_[i], x, step);
    return true;
  }

  // The joint's frame at zero, where it stands on its parent.
  Transform<T> stand(const LoopEnd& end) const {
    const Body<T>& b = model_.bodies[at(end.body)];
    return b.parent < 0 ? b.X_PJ : work_.X_W[at(b.parent)] * b.X_PJ;
  }
  // A, from the joint, in the axes of its link; B, from the joint, in the world's.
  Vec3<T> own_point(const LoopEnd& end) const {
    const Frame<T>& A = first_frame(model_.loops[end.loop], plan_.equations.loops[end.loop]);
    Transform<T> X = A.X_BF;
    for (int i = A.body; i != end.body; i = model_.bodies[at(i)].parent) X = work_.X[at(i)] * X;
    return X.p;
  }
  Vec3<T> other_point(const LoopEnd& end) const {
    return frame_pose(work_, second_frame(model_.loops[end.loop], plan_.equations.loops[end.loop])).p - stand(end).p;
  }
  // |v|² − |r|²
  T excess(const LoopEnd& end) const {
    const Vec3<T> v = other_point(end), r = own_point(end);
    return dot(v, v) - dot(r, r);
  }

  bool is_plain(int v) const { return plain_[at(v)]; }
  int place_of(int v) const { return place_[at(v)]; }

 private:
  void put(std::size_t i, const Transform<T>& X) {
    const int parent = model_.bodies[i].parent;
    work_.X[i] = X;
    work_.X_W[i] = parent < 0 ? X : work_.X_W[at(parent)] * X;
  }

  JointNumbers<T> moved(const Body<T>& b, JointNumbers<T> n, In<T> x) const {
    using std::cos, std::sin;
    const int place = place_[at(b.v)];
    if (place < 0) return n;
    const T* d = &x[at(place)];
    switch (b.kind) {
      case JointKind::revolute: {
        if (plain_[at(b.v)]) {
          n[2] = n[2] + (b.mimics ? b.ratio * d[0] : d[0]);
          return {cos(n[2]), sin(n[2]), n[2]};
        }
        const HalfTurn<T> turn(d[0]);
        return {n[0] * turn.c - n[1] * turn.s, n[1] * turn.c + n[0] * turn.s, n[2]};
      }
      case JointKind::prismatic: n[0] = n[0] + (b.mimics ? b.ratio * d[0] : d[0]); return n;
      case JointKind::spherical: turn_quaternion<T>(n.data(), d); return n;
      case JointKind::floating:
        turn_quaternion<T>(n.data() + 3, d);
        for (std::size_t k = 0; k < 3; ++k) n[k] += d[3 + k];
        return n;
    }
    return n;
  }

  // Changes along velocities become changes of x.
  void change_of(const Body<T>& b, const JointNumbers<T>& n, In<T> x, Out<T> step) const {
    const int place = place_[at(b.v)];
    if (place < 0 || b.mimics) return;
    T* d = &step[at(place)];
    const T* g = &x[at(place)];
    if (b.kind == JointKind::revolute && !plain_[at(b.v)]) d[0] = d[0] * (T(0.5) + T(0.5) * (g[0] * g[0]));
    if (b.kind != JointKind::spherical && b.kind != JointKind::floating) return;
    const Vec3<T> w(d[0], d[1], d[2]), G(g[0], g[1], g[2]);
    const Vec3<T> rate = (w + cross(G, w) + G * dot(G, w)) * T(0.5);
    for (int k = 0; k < 3; ++k) d[k] = rate[k];
    if (b.kind != JointKind::floating) return;
    const Vec3<T> v = rotation_from_quaternion(n[3], n[4], n[5], n[6]) * Vec3<T>(d[3], d[4], d[5]);
    for (int k = 0; k < 3; ++k) d[3 + k] = v[k];
  }

  // The rate of ½|v|²: v times the velocity of B against the joint.
  void distance_row(const LoopEnd& end, std::size_t row) {
    const LoopView& view = plan_.equations.loops[end.loop];
    const Vec3<T> stands = stand(end).p, B = frame_pose(work_, second_frame(model_.loops[end.loop], view)).p,
                  v = B - stands;
    const auto add = [&](int i, const Vec3<T>& point, double sign) {
      const Transform<T>& X = work_.X_W[at(i)];
      visit_columns<T>(model_.bodies[at(i)], X.R, point - X.p, [&](int velocity, const Vec3<T>&, const Vec3<T>& lin) {
        const int place = place_[at(velocity)];
        if (place >= 0) J_[at(place) * residual_.size() + row] += sign > 0.0 ? dot(v, lin) : -dot(v, lin);
      });
    };
    for (const int i : view.b) add(i, B, 1.0);
    const auto own = std::find(view.a.begin(), view.a.end(), end.body);
    for (auto i = own + 1; i < view.a.end(); ++i) add(*i, stands, -1.0);
  }

  const Model<T>& model_;
  const LoopPlan& plan_;
  Workspace<T> work_;
  LoopFactors<T> factors_;
  std::vector<int> place_;
  std::vector<bool> plain_;
  std::vector<JointNumbers<T>> numbers_;
  std::vector<T> all_, columns_, J_, residual_;
};

}  // namespace lw
