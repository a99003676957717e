// What the formulations by orthogonal complement give beyond torques and mass matrices, and what they must survive.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>

#include "base/worse.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/formulations/ness.hpp"
#include "dynamics/formulations/noc.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace complement_test {

using Eigen::Matrix3d, Eigen::Vector3d;

// The part of rnea's joint reactions that does no work, in world axes, against γ and λ.
TEST(Ness, ConstraintForcesAreTheReactionsOfRnea) {
  double worst = 0.0;
  int joints = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model<double> model =
        instantiate<double>(random_mechanism(seed, {.joints = 1 + static_cast<int>(seed) % 12, .branching = 0.4}));
    Random random(seed);
    const State s = random_state(model, random);
    Workspace<double> work(model);
    std::vector<double> tau(s.qd.size());
    rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
    const std::vector<Force<double>> reactions = work.force;
    forward_kinematics<double>(model, work, s.q);

    // without mimics the coordinates of the linkage are the model's in the order of the bodies
    std::vector<double> x, xd, xdd;
    for (const Body<double>& b : model.bodies) {
      const int nq = b.velocities() == 1 ? 1 : b.velocities() + 1;
      for (int k = 0; k < nq; ++k) x.push_back(s.q[static_cast<std::size_t>(b.q + k)]);
      for (int k = 0; k < b.velocities(); ++k) {
        xd.push_back(s.qd[static_cast<std::size_t>(b.v + k)]);
        xdd.push_back(s.qdd[static_cast<std::size_t>(b.v + k)]);
      }
    }
    const Linkage<double> chain = linkage(model);
    const auto poses = joint_poses<double>(chain, x);
    const auto forces = ness_constraint_forces<double>(chain, poses, xd, xdd);

    double scale = 1.0;
    for (const auto& f : reactions) scale = std::max({scale, f.lin.eigen().norm(), f.ang.eigen().norm()});
    std::vector<Mat3<double>> R;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body<double>& b = model.bodies[i];
      R.push_back(b.parent < 0 ? poses[i].R : R[static_cast<std::size_t>(b.parent)] * poses[i].R);
      const Matrix3d world = work.X_W[i].R.eigen();
      const Vector3d axis = world * b.axis.eigen();
      Vector3d force = world * reactions[i].lin.eigen(), moment = world * reactions[i].ang.eigen();
      if (b.kind == JointKind::revolute) moment -= axis * axis.dot(moment);
      if (b.kind == JointKind::prismatic) force -= axis * axis.dot(force);
      if (b.kind == JointKind::spherical || b.kind == JointKind::floating) moment.setZero();
      if (b.kind == JointKind::floating) force.setZero();
      worst = worse(worst, (forces[i].gamma.eigen() - force).norm() / scale);
      worst = worse(worst, ((R[i] * forces[i].lambda).eigen() - moment).norm() / scale);
      ++joints;
    }
  }
  fmt::print("  {} joints: worst deviation {:.1e} of the largest reaction\n", joints, worst);
  EXPECT_LE(worst, 1e-13);
}

TEST(Noc, RootOfAnInertiaSquaresToIt) {
  Random random(7);
  for (int k = 0; k < 1000; ++k) {
    Matrix3d J = Matrix3d::Zero();
    for (int i = 0; i < k % 4; ++i) {  // rank 0 … 3
      const Vector3d v{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
      J += v * v.transpose();
    }
    // every fifth a thin rod, turned off an axis by as little as 1e-9
    if (k % 5 == 0) {
      Vector3d u = Vector3d::Unit(k % 3) + Vector3d::Ones() * std::pow(10.0, -random.below(10));
      u.normalize();
      J = Matrix3d::Identity() - u * u.transpose();
    }
    const Matrix3d N = inertia_root(Mat3<double>::from(J)).eigen();
    EXPECT_LE((N.transpose() * N - J).norm(), 2e-15 * J.trace()) << J;
  }
}

// A thin rod along x: no inertia about x. Then a link with neither mass nor inertia.
TEST(Noc, DerivativesOfRootsOfZeroAreFinite) {
  Mat3<Dual> J;
  J(1, 1) = Dual(2.0, 1.0);
  J(2, 2) = Dual(2.0, 1.0);
  const Mat3<Dual> N = inertia_root(J);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // d(NᵀN) = dJ
      const Dual square = N(0, i) * N(0, j) + N(1, i) * N(1, j) + N(2, i) * N(2, j);
      EXPECT_NEAR(square.v, J(i, j).v, 1e-15);
      EXPECT_NEAR(square.d, J(i, j).d, 1e-15);
    }
  }
  const Mat3<Dual> none = inertia_root(Mat3<Dual>());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_TRUE(none(i, j).v == 0.0 && none(i, j).d == 0.0);
  }
}

// An arm that ends in a link without mass: nothing becomes NaN, and the last row of M is zero.
TEST(Formulations, SurviveMasslessTips) {
  const Model<double> arm = instantiate<double>(load("puma560"));
  Model<double> light = arm;
  light.bodies.back().inertia = {};
  Workspace<double> work(light);
  Random random(3);
  const State s = random_state(light, random);
  const auto n = static_cast<std::size_t>(light.nv);
  std::vector<double> expected(n);
  rnea<double>(light, work, s.q, s.qd, s.qdd, expected);
  for (const Formulation& f : formulations()) {
    if (!refusal(f, light).empty()) continue;
    std::vector<double> tau(n), M(n * n);
    inverse_by<double>(f, light, s.q, s.qd, s.qdd, tau);
    mass_matrix_by<double>(f, light, s.q, M);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-11) << f.name;
    for (std::size_t k = 0; k + 1 < n; ++k) EXPECT_EQ(M[k * n + n - 1], 0.0) << f.name;
    EXPECT_EQ(M[n * n - 1], light.bodies.back().armature) << f.name;
  }
}

}  // namespace complement_test
}  // namespace lw
