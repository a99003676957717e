#include "helmy_motion.hpp"

#include <cmath>

#include <Eigen/Core>

#include "base/error.hpp"
#include "base/linear.hpp"
#include "dynamics/assembly/assembly.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/loops/loop_position.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"

namespace lw::reproduce {
namespace {

constexpr const char* kHelmyLinks[] = {"crank1", "crank2", "crank3", "rod1", "rod2", "rod3", "platform"};

Eigen::Vector2d in_plane(const Vec3<double>& p) { return {p[0], p[1]}; }

}  // namespace

HelmyMotion::HelmyMotion(const HelmyManoeuvre& manoeuvre, Model<double> of)
    : model(std::move(of)),
      plan(plan_loops(model)),
      work(model, plan),
      tree_q(assemble_home(model).q),
      manoeuvre_(manoeuvre) {
  Vector start(3);
  for (std::size_t k = 0; k < 3; ++k) start[k] = manoeuvre.from[k] * kDegree;
  tree_q = assemble_at(model, start).q;
  go(0.0);
}

void HelmyMotion::cranks(double t, Vector& to, Vector& rate, Vector& acceleration) const {
  const double T = manoeuvre_.duration, angle = 2.0 * std::numbers::pi * t / T;
  to.resize(3);
  rate.resize(3);
  acceleration.resize(3);
  for (std::size_t k = 0; k < 3; ++k) {
    const double way = (manoeuvre_.to[k] - manoeuvre_.from[k]) * kDegree;
    to[k] = manoeuvre_.from[k] * kDegree + way * (t / T - std::sin(angle) / (2.0 * std::numbers::pi));
    rate[k] = way / T * (1.0 - std::cos(angle));
    acceleration[k] = 2.0 * std::numbers::pi * way / (T * T) * std::sin(angle);
  }
}

void HelmyMotion::go(double t) {
  cranks(t, q, qd, qdd);
  Vector guess;
  for (const int k : plan.dependent_q) guess.push_back(tree_q[static_cast<std::size_t>(k)]);
  const LoopPosition<double> there = loop_position<double>(model, plan, q, guess);
  require(there.converged, "the platform follows its cranks");
  tree_q = there.q;
  set_pose<double>(model, plan, work, tree_q);
}

Vector HelmyMotion::inverse(const Vector& rates, const Vector& accelerations) {
  Vector tau(3);
  inverse_dynamics<double>(model, plan, work, tree_q, rates, accelerations, tau);
  return tau;
}

Vector HelmyMotion::forward(const Vector& tau) {
  Vector result(3);
  forward_dynamics<double>(model, plan, work, tree_q, qd, tau, result);
  return result;
}

Vector HelmyMotion::mass_matrix() {
  Vector H(9);
  mass_matrix<double>(model, plan, work, tree_q, H);
  return H;
}

Vector HelmyMotion::inverse_by_multipliers() {
  Workspace<double> tree(model);
  const auto nv = static_cast<Eigen::Index>(model.nv);
  Eigen::MatrixXd M(nv, nv);
  crba<double>(model, tree, tree_q, {M.data(), static_cast<std::size_t>(M.size())});
  const auto jacobian = [&](const Vector& at) {
    const ClosureState s = closure_state(model, tree, at);
    return Eigen::MatrixXd(
        Eigen::Map<const Eigen::MatrixXd>(s.jacobian.data(), static_cast<Eigen::Index>(s.residual.size()), nv));
  };
  const Eigen::MatrixXd J = jacobian(tree_q);
  const Eigen::Index m = J.rows();
  // velocities: cranks as given, closures at rest
  Eigen::MatrixXd held(m + 3, nv);
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(m + 3);
  held << J, Eigen::MatrixXd::Identity(3, nv);
  for (int k = 0; k < 3; ++k) rates[m + k] = qd[static_cast<std::size_t>(k)];
  const Eigen::VectorXd v = Svd(held).solve(rates, 1e-10);
  // J̇ q̇ to the fourth order of a step along the velocities
  const auto along = [&](double h) {
    Vector there = tree_q;
    for (std::size_t k = 0; k < there.size(); ++k) there[k] += h * v[static_cast<Eigen::Index>(k)];
    return Eigen::VectorXd(jacobian(there) * v);
  };
  constexpr double h = 1e-3;
  const Eigen::VectorXd bias = (8.0 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12.0 * h);
  Vector velocity(v.data(), v.data() + nv), coriolis(static_cast<std::size_t>(nv));
  bias_forces<double>(model, tree, tree_q, velocity, coriolis);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(nv + m + 3, nv + 3 + m);
  Eigen::VectorXd b(nv + m + 3);
  A.topLeftCorner(nv, nv) = M;
  A.block(0, nv, 3, 3) = -Eigen::MatrixXd::Identity(3, 3);
  A.block(0, nv + 3, nv, m) = -J.transpose();
  A.block(nv, 0, m, nv) = J;
  A.block(nv + m, 0, 3, 3) = Eigen::MatrixXd::Identity(3, 3);
  b << -Eigen::Map<const Eigen::VectorXd>(coriolis.data(), nv), -bias, Eigen::Map<const Eigen::VectorXd>(qdd.data(), 3);
  const Eigen::VectorXd x = Svd(A).solve(b, 1e-11);
  return {x[nv], x[nv + 1], x[nv + 2]};
}

Vector HelmyMotion::angular_velocities() {
  tree_velocities<double>(model, plan, work, qd);
  const Eigen::VectorXd t = link_jacobian() * Eigen::Map<const Eigen::VectorXd>(work.qd.data(), model.nv);
  Vector w;
  for (int k = 0; k < 7; ++k) w.push_back(t[3 * k]);
  return w;
}

Vector HelmyMotion::angular_accelerations() {
  tree_velocities<double>(model, plan, work, qd);
  tree_accelerations<double>(model, plan, work, tree_q, qdd);
  // all axes are parallel
  const Eigen::VectorXd t = link_jacobian() * Eigen::Map<const Eigen::VectorXd>(work.qdd.data(), model.nv);
  Vector w;
  for (int k = 0; k < 7; ++k) w.push_back(t[3 * k]);
  return w;
}

Eigen::MatrixXd HelmyMotion::link_jacobian() {
  Eigen::MatrixXd K(21, model.nv);
  Vector J(6 * static_cast<std::size_t>(model.nv));
  for (int k = 0; k < 7; ++k) {
    const int frame = model.frame_index(kHelmyLinks[k]);
    frame_jacobian<double>(model, work.tree, frame, J);
    const Frame<double>& f = model.frames[static_cast<std::size_t>(frame)];
    const RigidInertia<double>& I = model.bodies[static_cast<std::size_t>(f.body)].inertia;
    const Transform<double>& X = work.tree.X_W[static_cast<std::size_t>(f.body)];
    const Vec3<double> arm = X.R * (I.h / I.mass) + X.p - frame_pose(model, work.tree, frame).p;
    for (int v = 0; v < model.nv; ++v) {
      const double* c = &J[6 * static_cast<std::size_t>(v)];
      K(3 * k, v) = c[2];
      K(3 * k + 1, v) = c[3] - c[2] * arm[1];
      K(3 * k + 2, v) = c[4] + c[2] * arm[0];
    }
  }
  return K;
}

Eigen::MatrixXd HelmyMotion::complement(bool by_projection) {
  set_pose<double>(model, plan, work, tree_q);
  (by_projection ? complement_by_projection<double> : complement_by_unit_velocities<double>)(model, plan, work);
  return link_jacobian() * Eigen::Map<const Eigen::MatrixXd>(work.R.data(), model.nv, 3);
}

Eigen::MatrixXd HelmyMotion::twist_constraints() {
  // where each joint is, and which links it ties (−1: the base)
  struct Tie {
    int a, b;
    Eigen::Vector2d p;
  };
  const auto origin = [&](const char* link) {
    return in_plane(frame_pose(model, work.tree, model.frame_index(link)).p);
  };
  std::vector<Tie> ties;
  for (int k = 0; k < 3; ++k) ties.push_back({-1, k, origin(kHelmyLinks[k])});
  for (int k = 0; k < 3; ++k) ties.push_back({k, 3 + k, origin(kHelmyLinks[3 + k])});
  ties.push_back({3, 6, origin("platform")});
  ties.push_back({4, 6, in_plane(frame_pose(work.tree, model.loops[0].a).p)});
  ties.push_back({5, 6, in_plane(frame_pose(work.tree, model.loops[1].a).p)});
  Eigen::MatrixXd Omega = Eigen::MatrixXd::Zero(18, 21);
  for (int j = 0; j < 9; ++j) {
    const Tie& tie = ties[static_cast<std::size_t>(j)];
    for (const auto& [link, sign] : {std::pair{tie.a, 1.0}, {tie.b, -1.0}}) {
      if (link < 0) continue;
      const Frame<double>& f = model.frames[static_cast<std::size_t>(model.frame_index(kHelmyLinks[link]))];
      const RigidInertia<double>& I = model.bodies[static_cast<std::size_t>(f.body)].inertia;
      const Transform<double>& X = work.tree.X_W[static_cast<std::size_t>(f.body)];
      const Eigen::Vector2d r = tie.p - in_plane(X.R * (I.h / I.mass) + X.p);
      // ċ + ω E r
      Omega(2 * j, 3 * link) = -sign * r[1];
      Omega(2 * j + 1, 3 * link) = sign * r[0];
      Omega(2 * j, 3 * link + 1) = Omega(2 * j + 1, 3 * link + 2) = sign;
    }
  }
  return Omega;
}

double HelmyMotion::potential_energy() {
  const Vector still(static_cast<std::size_t>(model.nv), 0.0);
  forward_velocities<double>(model, work.tree, tree_q, still);
  return energy<double>(model, work.tree, tree_q, still).potential;
}

}  // namespace lw::reproduce
