#include "closure_rows.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../../model/directions.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

using Kind = ClosureRow::Kind;

// Whether the joint keeps A's and B's origins together.
bool holds_the_point(JointType type) {
  return type == JointType::fixed || type == JointType::revolute || type == JointType::universal ||
         type == JointType::spherical;
}

std::vector<ClosureRow> rows_of(JointType type, std::size_t loop) {
  std::vector<ClosureRow> rows;
  const auto add = [&](Kind kind, std::initializer_list<int> directions) {
    for (const int d : directions) rows.push_back({loop, kind, d});
  };
  if (holds_the_point(type)) add(Kind::shift, {0, 1, 2});
  if (type == JointType::prismatic || type == JointType::cylindrical) add(Kind::shift, {0, 1});
  if (type == JointType::planar) add(Kind::shift, {2});
  if (type == JointType::fixed || type == JointType::prismatic) add(Kind::turn, {0, 1, 2});
  if (type == JointType::revolute || type == JointType::cylindrical || type == JointType::planar)
    add(Kind::tilt, {0, 1});
  if (type == JointType::universal) add(Kind::angle, {2});
  return rows;
}

template <class T>
std::vector<int> inward_from(const Model<T>& model, int body) {
  std::vector<int> chain;
  for (int i = body; i >= 0; i = model.bodies[at(i)].parent) chain.push_back(i);
  return chain;
}

// Quantities of a loop common to all its rows.
template <class T>
struct LoopNow {
  const LoopClosure<T>& loop;
  const LoopView& view;
  const Frame<T>&A, &B;
  std::array<Vec3<T>, 3> e;
  Transform<T> X_WA, X_WB;
  Vec3<T> u_A, w_B;  // axes of a universal joint, each in its frame

  LoopNow(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations, std::size_t k)
      : loop(model.loops[k]),
        view(equations.loops[k]),
        A(first_frame(loop, view)),
        B(second_frame(loop, view)),
        e(loop_basis(loop, view)),
        X_WA(frame_pose(work, A)),
        X_WB(frame_pose(work, B)),
        u_A(view.swapped ? loop.axis2 : loop.axis),
        w_B(view.swapped ? loop.axis : loop.axis2) {}

  // ω of B against A times this is the rate of the row, in A's axes and in the world's.
  Vec3<T> moment_arm(const ClosureRow& row, ClosureAt where) const {
    const Vec3<T>& d = e[at(row.direction)];
    if (row.kind == Kind::turn) return d;
    if (row.kind == Kind::angle) return cross(transpose(X_WA.R) * (X_WB.R * w_B), u_A);
    if (where == ClosureAt::anywhere) return cross(transpose(X_WA.R) * (X_WB.R * loop.axis), d);
    return row.direction == 0 ? e[1] : -e[0];  // a × e₁ and a × e₂
  }
};

// Columns of A's side, in A's axes, as seen at `point` (in A).
template <class T, class Visit>
void visit_first_side(const Model<T>& model, const Workspace<T>& work, const LoopNow<T>& now, const Vec3<T>& point,
                      const Visit& visit) {
  Transform<T> X_Ai = now.A.X_BF.inverse();
  for (const int i : now.view.a) {
    visit_columns<T>(model.bodies[at(i)], X_Ai.R, point - X_Ai.p, visit);
    if (i != now.view.a.back()) X_Ai = X_Ai * work.X[at(i)].inverse();
  }
}
// Columns of B's side, in the world's axes, as seen at B.
template <class T, class Visit>
void visit_second_side(const Model<T>& model, const Workspace<T>& work, const LoopNow<T>& now, const Visit& visit) {
  for (const int i : now.view.b) {
    const Transform<T>& X = work.X_W[at(i)];
    visit_columns<T>(model.bodies[at(i)], X.R, now.X_WB.p - X.p, visit);
  }
}

template <class T>
struct FrameMotion {
  Vec3<T> w, alpha, a;  // angular velocity and acceleration, acceleration of the origin, in the frame's axes
};
template <class T>
FrameMotion<T> frame_motion(const Workspace<T>& work, const Frame<T>& f) {
  if (f.body < 0) return {};
  const Vec3<T>&w = work.velocity[at(f.body)].ang, &alpha = work.alpha[at(f.body)], &r = f.X_BF.p;
  const Mat3<T> Rt = transpose(f.X_BF.R);
  return {Rt * w, Rt * alpha, Rt * (work.acceleration[at(f.body)] + cross(alpha, r) + cross(w, cross(w, r)))};
}

}  // namespace

template <class T>
ClosureEquations closure_equations(const Model<T>& model) {
  ClosureEquations equations;
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    const LoopClosure<T>& loop = model.loops[k];
    LoopView view;
    view.a = inward_from(model, loop.a.body);
    view.b = inward_from(model, loop.b.body);
    while (!view.a.empty() && !view.b.empty() && view.a.back() == view.b.back()) {
      view.a.pop_back();
      view.b.pop_back();
    }
    equations.loops.push_back(std::move(view));
    const std::vector<ClosureRow> rows = rows_of(loop.type, k);
    equations.rows.insert(equations.rows.end(), rows.begin(), rows.end());
  }
  return equations;
}

template <class T>
std::array<Vec3<T>, 3> loop_basis(const LoopClosure<T>& loop, const LoopView& view) {
  const std::array<Vec3<T>, 2> across = plane_directions(loop.axis);
  if (view.sine == 0.0 && view.cosine == 1.0) return {across[0], across[1], loop.axis};
  const T c(view.cosine), s(view.sine);
  return {across[0] * c + across[1] * s, across[1] * c - across[0] * s, loop.axis};
}

template <class T>
void closure_residual(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations,
                      Out<T> residual) {
  std::size_t k = 0;
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    if (k >= equations.size() || equations.rows[k].loop != l) continue;
    const LoopNow<T> now(model, work, equations, l);
    const Vec3<T> apart = now.X_WB.p - now.X_WA.p;
    for (; k < equations.size() && equations.rows[k].loop == l; ++k) {
      const ClosureRow& row = equations.rows[k];
      const Vec3<T> d = now.X_WA.R * now.e[at(row.direction)];
      switch (row.kind) {
        case Kind::shift: residual[k] = dot(d, apart); break;
        case Kind::tilt: residual[k] = dot(d, now.X_WB.R * now.loop.axis); break;
        case Kind::turn: {
          // e₃·½vee(R − Rᵀ) = ½ (e₂·R e₁ − e₁·R e₂), and so on in cyclic order
          const Vec3<T>&e1 = now.e[at((row.direction + 1) % 3)], &e2 = now.e[at((row.direction + 2) % 3)];
          residual[k] = T(0.5) * (dot(now.X_WA.R * e2, now.X_WB.R * e1) - dot(now.X_WA.R * e1, now.X_WB.R * e2));
          break;
        }
        case Kind::angle:
          residual[k] = dot(now.X_WA.R * now.u_A, now.X_WB.R * now.w_B) - dot(now.loop.axis, now.loop.axis2);
          break;
      }
    }
  }
}

template <class T>
void closure_jacobian(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations,
                      ClosureAt where, Out<T> jacobian) {
  const std::size_t m = equations.size();
  check_sizes("closure_jacobian", model, work, {{"jacobian", jacobian.size(), static_cast<int>(m) * model.nv}});
  for (T& x : jacobian) x = T(0.0);
  std::size_t first = 0;
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    std::size_t last = first;
    while (last < m && equations.rows[last].loop == l) ++last;
    if (first == last) continue;
    const LoopNow<T> now(model, work, equations, l);
    const bool at_the_point = where == ClosureAt::closed && holds_the_point(now.loop.type);
    const Vec3<T> point = at_the_point ? Vec3<T>::zero() : transpose(now.X_WA.R) * (now.X_WB.p - now.X_WA.p);
    if constexpr (std::is_same_v<T, Expr>) {
      for (std::size_t k = first; k < last; ++k) {
        const ClosureRow& row = equations.rows[k];
        const bool shifts = row.kind == Kind::shift;
        const Vec3<T> in_A = shifts ? now.e[at(row.direction)] : now.moment_arm(row, where), in_W = now.X_WA.R * in_A;
        visit_first_side<T>(model, work, now, point, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
          jacobian[at(v) * m + k] -= dot(in_A, shifts ? lin : ang);
        });
        visit_second_side<T>(model, work, now, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
          jacobian[at(v) * m + k] += dot(in_W, shifts ? lin : ang);
        });
      }
    } else {
      // every column once for all rows
      constexpr std::size_t kMostRows = 6;
      std::array<Vec3<T>, kMostRows> in_A, in_W;
      std::array<bool, kMostRows> shifts;
      for (std::size_t k = first; k < last; ++k) {
        const ClosureRow& row = equations.rows[k];
        shifts[k - first] = row.kind == Kind::shift;
        in_A[k - first] = shifts[k - first] ? now.e[at(row.direction)] : now.moment_arm(row, where);
        in_W[k - first] = now.X_WA.R * in_A[k - first];
      }
      visit_first_side<T>(model, work, now, point, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
        for (std::size_t k = first; k < last; ++k)
          jacobian[at(v) * m + k] -= dot(in_A[k - first], shifts[k - first] ? lin : ang);
      });
      visit_second_side<T>(model, work, now, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
        for (std::size_t k = first; k < last; ++k)
          jacobian[at(v) * m + k] += dot(in_W[k - first], shifts[k - first] ? lin : ang);
      });
    }
    first = last;
  }
}

template <class T>
void closure_accelerations(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations, In<T> qd,
                           Out<T> accelerations) {
  std::size_t k = 0;
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    if (k >= equations.size() || equations.rows[k].loop != l) continue;
    const LoopNow<T> now(model, work, equations, l);
    const FrameMotion<T> A = frame_motion(work, now.A), B = frame_motion(work, now.B);
    Vec3<T> fictitious = Vec3<T>::zero();  // in A's axes: acceleration due to A's rotation and the distance of B
    if (!holds_the_point(now.loop.type)) {
      const Vec3<T> x = transpose(now.X_WA.R) * (now.X_WB.p - now.X_WA.p);
      Vec3<T> slides = Vec3<T>::zero(), slides_W = Vec3<T>::zero();
      visit_first_side<T>(model, work, now, x,
                          [&](int v, const Vec3<T>&, const Vec3<T>& lin) { slides -= lin * qd[at(v)]; });
      visit_second_side<T>(model, work, now,
                           [&](int v, const Vec3<T>&, const Vec3<T>& lin) { slides_W += lin * qd[at(v)]; });
      slides += transpose(now.X_WA.R) * slides_W;
      fictitious = cross(A.alpha, x) + cross(A.w, cross(A.w, x)) + T(2.0) * cross(A.w, slides);
    }
    for (; k < equations.size() && equations.rows[k].loop == l; ++k) {
      const ClosureRow& row = equations.rows[k];
      const auto in_A = [&](const Vec3<T>& of_B) { return transpose(now.X_WA.R) * (now.X_WB.R * of_B); };
      if (row.kind == Kind::shift) {
        const Vec3<T>& e = now.e[at(row.direction)];
        accelerations[k] = dot(now.X_WA.R * e, now.X_WB.R * B.a) - dot(e, A.a + fictitious);
        continue;
      }
      const Vec3<T> n = now.moment_arm(row, ClosureAt::closed);
      const Vec3<T> w = in_A(B.w) - A.w, alpha = in_A(B.alpha) - A.alpha - cross(A.w, w);
      accelerations[k] = dot(n, alpha);
      if (row.kind != Kind::angle) continue;  // the others do not depend on rotations normal to the axis
      accelerations[k] += dot(now.u_A, cross(w, cross(w, in_A(now.w_B))));
    }
  }
}

#define LW_INSTANTIATE(T)                                                                                              \
  template ClosureEquations closure_equations<T>(const Model<T>&);                                                     \
  template std::array<Vec3<T>, 3> loop_basis<T>(const LoopClosure<T>&, const LoopView&);                               \
  template void closure_residual<T>(const Model<T>&, const Workspace<T>&, const ClosureEquations&, Out<T>);            \
  template void closure_jacobian<T>(const Model<T>&, const Workspace<T>&, const ClosureEquations&, ClosureAt, Out<T>); \
  template void closure_accelerations<T>(const Model<T>&, const Workspace<T>&, const ClosureEquations&, In<T>, Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
