#include "closure.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "../base/linear.hpp"
#include "../base/random.hpp"
#include "kinematics.hpp"

namespace lw {
namespace {

using Vector3 = Eigen::Vector3d;

// Directions, in A's axes, along which the joint forbids the relative translation and rotation.
struct Forbidden {
  std::vector<Vector3> translation, rotation;
};

std::array<Vector3, 2> perpendiculars(const Vector3& a) {
  const Vector3 u = a.unitOrthogonal();
  return {u, a.cross(u)};
}

Forbidden forbidden(const LoopClosure<double>& loop) {
  const Vector3 axis = loop.axis.eigen();
  const Vector3 e[3] = {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  const auto across = perpendiculars(axis);
  const std::vector<Vector3> all(e, e + 3), two(across.begin(), across.end());
  switch (loop.type) {
    case JointType::fixed: return {all, all};
    case JointType::revolute: return {all, two};
    case JointType::prismatic: return {two, all};
    case JointType::cylindrical: return {two, two};
    case JointType::universal: return {all, {}};  // and its axes keep their angle, see below
    case JointType::spherical: return {all, {}};
    case JointType::planar: return {{axis}, two};
    case JointType::floating: return {};
  }
  return {};
}

}  // namespace

ClosureState closure_state(const Model<double>& model, Workspace<double>& work, In<double> q) {
  forward_kinematics<double>(model, work, q);
  ClosureState state;
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<std::vector<double>> rows;
  std::vector<double> Ja(6 * nv), Jb(6 * nv);
  for (const LoopClosure<double>& loop : model.loops) {
    const Transform<double> A = frame_pose(work, loop.a), B = frame_pose(work, loop.b);
    frame_jacobian<double>(model, work, loop.a, Ja);
    frame_jacobian<double>(model, work, loop.b, Jb);
    const Transform<double> X_AB = A.inverse() * B;
    const Forbidden f = forbidden(loop);
    const Eigen::Matrix3d R_A = A.R.eigen(), R_B = B.R.eigen();
    const Vector3 p_AB = X_AB.p.eigen(), arm = (B.p - A.p).eigen();
    const Eigen::Matrix3d odd = X_AB.R.eigen() - X_AB.R.eigen().transpose();
    const Vector3 turn = 0.5 * Vector3(odd(2, 1), odd(0, 2), odd(1, 0));
    const bool half_turned = X_AB.R(0, 0) + X_AB.R(1, 1) + X_AB.R(2, 2) < 0.0;  // further than 120°: ½ vee folds back
    const auto add = [&](double residual, auto&& derivative) {
      state.residual.push_back(residual);
      std::vector<double>& row = rows.emplace_back();
      for (std::size_t k = 0; k < nv; ++k) {
        const Eigen::Map<const Eigen::Matrix<double, 6, 1>> a(&Ja[6 * k]), b(&Jb[6 * k]);
        row.push_back(derivative(a, b));
      }
    };
    for (const Vector3& d : f.translation) {
      const Vector3 world = R_A * d;
      add(d.dot(p_AB), [&](const auto& a, const auto& b) {
        const Vector3 wa = a.template head<3>();
        return world.dot(b.template tail<3>() - a.template tail<3>() - wa.cross(arm));
      });
    }
    if (loop.type == JointType::universal) {
      // the cross: its two axes keep the angle that they have when the joint is straight
      const Vector3 u = R_A * loop.axis.eigen(), w = R_B * loop.axis2.eigen();
      add(u.dot(w) - dot(loop.axis, loop.axis2), [&](const auto& a, const auto& b) {
        const Vector3 relative = b.template head<3>() - a.template head<3>();
        return u.dot(relative.cross(w));
      });
      continue;
    }
    // exact to first order at a closed configuration, which is where the rank is taken
    for (const Vector3& d : f.rotation) {
      const Vector3 world = R_A * d;
      if (loop.type != JointType::fixed && loop.type != JointType::prismatic) {
        // the axis alone is held: (R a) · d, which an axis turned over would meet as well
        const Vector3 axis = R_B * loop.axis.eigen();
        const bool turned_over = axis.dot(R_A * loop.axis.eigen()) < 0.0;
        add(turned_over ? 2.0 : world.dot(axis), [&](const auto& a, const auto& b) {
          const Vector3 relative = b.template head<3>() - a.template head<3>();
          return world.dot(relative.cross(axis));
        });
      } else {
        add(half_turned ? 2.0 : d.dot(turn), [&](const auto& a, const auto& b) {
          return world.dot(b.template head<3>() - a.template head<3>());
        });
      }
    }
  }
  const std::size_t m = rows.size();
  state.jacobian.resize(m * nv);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < nv; ++k) state.jacobian[k * m + i] = rows[i][k];
  }
  return state;
}

void advance(const Model<double>& model, Out<double> q, In<double> step) {
  const auto turn = [&](std::size_t at, std::size_t v) {
    const Vector3 half(0.5 * step[v], 0.5 * step[v + 1], 0.5 * step[v + 2]);
    const double angle = half.norm();
    const double s = angle > 1e-12 ? std::sin(angle) / angle : 1.0;
    const Eigen::Quaterniond old(q[at + 3], q[at], q[at + 1], q[at + 2]);
    const Eigen::Quaterniond next =
        (old * Eigen::Quaterniond(std::cos(angle), s * half[0], s * half[1], s * half[2])).normalized();
    q[at] = next.x();
    q[at + 1] = next.y();
    q[at + 2] = next.z();
    q[at + 3] = next.w();
  };
  for (const JointInfo& joint : model.joints) {
    auto at = static_cast<std::size_t>(joint.q), v = static_cast<std::size_t>(joint.v);
    if (joint.type == JointType::spherical) {
      turn(at, v);
    } else if (joint.type == JointType::floating) {
      // the step's linear part is in the child's axes
      const Mat3<double> R = rotation_from_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]);
      const Vec3<double> move = R * Vec3<double>(step[v + 3], step[v + 4], step[v + 5]);
      for (std::size_t k = 0; k < 3; ++k) q[at + k] += move[static_cast<int>(k)];
      turn(at + 3, v);
    } else {
      for (int k = 0; k < coordinates(joint.type); ++k) q[at++] += step[v++];
    }
  }
}

namespace {

// NaN where any is.
double largest(const std::vector<double>& r) {
  double m = 0.0;
  for (const double x : r) {
    if (!(std::abs(x) <= m)) m = std::abs(x);
    if (std::isnan(x)) return x;
  }
  return m;
}

constexpr double kClosed = 1e-9;

int freedoms(const Model<double>& model, const ClosureState& state) {
  const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()), model.nv);
  return model.nv - rank(J, 1e-7);
}

// Damped Gauss-Newton on the residuals; q is left at the best configuration found, whose state is returned.
ClosureState close_from(const Model<double>& model, Workspace<double>& work, std::vector<double>& q) {
  ClosureState state = closure_state(model, work, q);
  const auto m = static_cast<Eigen::Index>(state.residual.size());
  double damping = 1e-6;
  for (int iteration = 0; iteration < 200 && largest(state.residual) > 1e-13; ++iteration) {
    const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), m, model.nv);
    const Eigen::Map<const Eigen::VectorXd> r(state.residual.data(), m);
    const Eigen::VectorXd step = -damped_least_squares(J, r, damping);
    std::vector<double> trial = q;
    advance(model, trial, {step.data(), static_cast<std::size_t>(step.size())});
    ClosureState next = closure_state(model, work, trial);
    const Eigen::Map<const Eigen::VectorXd> after(next.residual.data(), m);
    if (after.norm() < r.norm()) {
      q = trial;
      state = std::move(next);
      damping = std::max(damping * 0.1, 1e-14);
    } else {
      damping *= 10.0;
      if (damping > 1e6) break;
    }
  }
  return state;
}

}  // namespace

Mobility mobility(const Model<double>& model) {
  Mobility result{model.nv, 0.0, true, model.home};
  if (model.loops.empty()) return result;
  Workspace<double> work(model);
  result.home_residual = largest(closure_state(model, work, result.q).residual);
  if (model.nv == 0 || std::isnan(result.home_residual)) {
    result.residual = result.home_residual;
    result.closed = result.residual <= kClosed;
    return result;
  }
  ClosureState state = close_from(model, work, result.q);
  // a stretched-out start is stationary without being closed: leave it sideways, further each time
  Random random(1);
  for (int attempt = 1; attempt <= 8 && largest(state.residual) > kClosed; ++attempt) {
    std::vector<double> q = model.home, step(static_cast<std::size_t>(model.nv));
    for (double& x : step) x = random.between(-0.1, 0.1) * attempt;
    advance(model, q, step);
    ClosureState next = close_from(model, work, q);
    if (largest(next.residual) < largest(state.residual)) {
      state = std::move(next);
      result.q = q;
    }
  }
  result.residual = largest(state.residual);
  result.closed = result.residual <= kClosed;
  result.dof = freedoms(model, state);
  if (!result.closed || result.dof == 0) return result;
  // where home is singular (a linkage laid flat) more seems to move than does: the least of some closed poses nearby
  const int at_home = result.dof;
  for (int attempt = 1; attempt <= 4; ++attempt) {
    std::vector<double> q = result.q, step(static_cast<std::size_t>(model.nv));
    for (double& x : step) x = random.between(-0.1, 0.1) * attempt;
    advance(model, q, step);
    const ClosureState next = close_from(model, work, q);
    if (largest(next.residual) <= kClosed) result.dof = std::min(result.dof, freedoms(model, next));
  }
  result.singular_home = result.dof < at_home;
  return result;
}

}  // namespace lw
