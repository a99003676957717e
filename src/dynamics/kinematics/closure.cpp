#include "closure.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../tree/kinematics.hpp"
#include "closure_rows.hpp"

namespace lw {

ClosureState closure_state(const Model<double>& model, Workspace<double>& work, In<double> q) {
  forward_kinematics<double>(model, work, q);
  const ClosureEquations equations = closure_equations(model);
  ClosureState state;
  state.residual.resize(equations.size());
  state.jacobian.resize(equations.size() * static_cast<std::size_t>(model.nv));
  closure_residual<double>(model, work, equations, state.residual);
  closure_jacobian<double>(model, work, equations, ClosureAt::anywhere, state.jacobian);
  // a reversed axis also satisfies its equations, and ½ vee decreases again beyond 120°
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const ClosureRow& row = equations.rows[k];
    if (row.kind != ClosureRow::Kind::tilt && row.kind != ClosureRow::Kind::turn) continue;
    const LoopClosure<double>& loop = model.loops[row.loop];
    const Mat3<double> R = transpose(frame_pose(work, loop.a).R) * frame_pose(work, loop.b).R;
    const bool over =
        row.kind == ClosureRow::Kind::tilt ? dot(loop.axis, R * loop.axis) < 0.0 : R(0, 0) + R(1, 1) + R(2, 2) < 0.0;
    if (over) state.residual[k] = 2.0;
  }
  return state;
}

void advance(const Model<double>& model, Out<double> q, In<double> step) {
  const auto turn = [&](std::size_t at, std::size_t v) {
    const Eigen::Vector3d half(0.5 * step[v], 0.5 * step[v + 1], 0.5 * step[v + 2]);
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

// NaN if any is NaN.
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
  const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()),
                                            model.nv);
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
  Workspace<double> work(model);
  result.home_residual = largest(closure_state(model, work, result.q).residual);
  if (model.nv == 0 || std::isnan(result.home_residual)) {
    result.residual = result.home_residual;
    result.closed = result.residual <= kClosed;
    return result;
  }
  ClosureState state = close_from(model, work, result.q);
  // a stretched start is stationary without being closed: perturb it, more each time
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
  // if home is singular (a flat linkage), the mobility seems too large: use the minimum over some closed poses nearby
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
