// Inverse dynamics against closed forms, Jacobians and its own trace.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cmath>

#include <Eigen/Geometry>

#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace inverse_test {

Link rod(const std::string& name, const std::string& parent, double at, double length, double mass) {
  Link link;
  link.name = link.joint.name = name;
  link.parent = parent;
  link.joint.type = JointType::revolute;
  link.joint.axis = {0.0, 1.0, 0.0};
  link.joint.origin.xyz = {at, 0.0, 0.0};
  link.inertia = Inertia{};
  link.inertia->mass = mass;
  link.inertia->com = {length / 2, 0.0, 0.0};
  const double I = mass * length * length / 12;
  link.inertia->tensor = {0.0, I, I, 0.0, 0.0, 0.0};
  return link;
}

TEST(Rnea, EqualsLagrangesEquationsOfADoublePendulum) {
  const double l1 = 0.7, l2 = 0.5, m1 = 2.0, m2 = 1.5, g = 9.81;
  Mechanism m;
  m.links = {rod("one", "base", 0.0, l1, m1), rod("two", "one", l1, l2, m2)};
  const Model<double> model = instantiate<double>(m);
  Workspace<double> work(model);
  const std::vector<double> q{0.3, -0.8}, qd{1.1, -0.4}, qdd{0.7, 2.0};
  std::vector<double> tau(2);
  rnea<double>(model, work, q, qd, qdd, tau);
  // about y, gravity along −z: a positive angle lowers the rod, so potential energy is −m g r sin q
  const double I1 = m1 * l1 * l1 / 12, I2 = m2 * l2 * l2 / 12, c = std::cos(q[1]), s = std::sin(q[1]);
  const double r1 = l1 / 2, r2 = l2 / 2;
  const double M11 = I1 + I2 + m1 * r1 * r1 + m2 * (l1 * l1 + r2 * r2 + 2 * l1 * r2 * c);
  const double M12 = I2 + m2 * (r2 * r2 + l1 * r2 * c), M22 = I2 + m2 * r2 * r2;
  const double k = m2 * l1 * r2 * s;
  const double g1 = -(m1 * r1 + m2 * l1) * g * std::cos(q[0]) - m2 * r2 * g * std::cos(q[0] + q[1]);
  const double g2 = -m2 * r2 * g * std::cos(q[0] + q[1]);
  EXPECT_NEAR(tau[0], M11 * qdd[0] + M12 * qdd[1] - k * (2 * qd[0] * qd[1] + qd[1] * qd[1]) + g1, 1e-13);
  EXPECT_NEAR(tau[1], M12 * qdd[0] + M22 * qdd[1] + k * qd[0] * qd[0] + g2, 1e-13);
}

TEST(Rnea, FreeBodyObeysEulersEquations) {
  Mechanism m;
  Link body;
  body.name = body.joint.name = "body";
  body.parent = "base";
  body.joint.type = JointType::floating;
  body.inertia = Inertia{};
  body.inertia->mass = 3.0;
  body.inertia->tensor = {0.1, 0.2, 0.25, 0.0, 0.0, 0.0};
  m.links = {body};
  const Model<double> model = instantiate<double>(m);
  Workspace<double> work(model);
  // upright, ω = (1, 2, 3), α = (0.1, 0.2, 0.3), v = (4, 5, 6) and its rate (7, 8, 9) in the body's axes
  const std::vector<double> q{0, 0, 0, 0, 0, 0, 1}, qd{1, 2, 3, 4, 5, 6}, qdd{0.1, 0.2, 0.3, 7, 8, 9};
  std::vector<double> tau(6);
  rnea<double>(model, work, q, qd, qdd, tau);
  EXPECT_NEAR(tau[0], 0.1 * 0.1 + (0.25 - 0.2) * 2 * 3, 1e-14);
  EXPECT_NEAR(tau[1], 0.2 * 0.2 + (0.1 - 0.25) * 3 * 1, 1e-14);
  EXPECT_NEAR(tau[2], 0.25 * 0.3 + (0.2 - 0.1) * 1 * 2, 1e-14);
  // m (v̇ + ω × v − g), ω × v = (2·6 − 3·5, 3·4 − 1·6, 1·5 − 2·4)
  EXPECT_NEAR(tau[3], 3 * (7 - 3), 1e-13);
  EXPECT_NEAR(tau[4], 3 * (8 + 6), 1e-13);
  EXPECT_NEAR(tau[5], 3 * (9 - 3 + 9.81), 1e-13);
}

TEST(Rnea, RotorInertiaAndSpringActOnTheirOwnJointAlone) {
  Mechanism m;
  m.links = {rod("one", "base", 0.0, 0.7, 2.0), rod("two", "one", 0.7, 0.5, 1.5)};
  const std::vector<double> q{0.3, -0.8}, qd{1.1, -0.4}, qdd{0.7, 2.0};
  std::vector<double> plain(2), driven(2);
  const auto torques = [&](std::vector<double>& tau) {
    const Model<double> model = instantiate<double>(m);
    Workspace<double> work(model);
    rnea<double>(model, work, q, qd, qdd, tau);
  };
  torques(plain);
  m.links[1].joint.drive = Drive{};
  m.links[1].joint.drive->ratio = 50.0;
  m.links[1].joint.drive->rotor_inertia = 2e-4;
  m.links[1].joint.spring = Spring{12.0, 0.1, {}};
  torques(driven);
  EXPECT_EQ(driven[0], plain[0]);
  EXPECT_NEAR(driven[1], plain[1] + 50.0 * 50.0 * 2e-4 * 2.0 + 12.0 * (-0.8 - 0.1), 1e-14);
}

TEST(Rnea, ReactionAtTheBaseCarriesTheWeight) {
  Mechanism m =
      random_mechanism(7, {.joints = 12, .types = {JointType::revolute, JointType::prismatic}, .branching = 0.0});
  const Model<double> model = instantiate<double>(m);
  Workspace<double> work(model);
  Random random(3);
  const State s = random_state(model, random);
  std::vector<double> tau(static_cast<std::size_t>(model.nv));
  gravity_forces<double>(model, work, s.q, tau);
  double mass = 0.0;
  for (const Body<double>& b : model.bodies) mass += b.inertia.mass;
  // at rest the base's joint passes the weight, whatever the pose
  const Vec3<double> force = work.X[0].R * work.force[0].lin;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(force[k], -mass * model.gravity[k], 1e-12 * mass * 9.81);
}

RC_GTEST_PROP(Rnea, ExternalWrenchActsThroughTheJacobian, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Mechanism m = random_mechanism(seed, {.joints = *rc::gen::inRange(1, 15), .mimic = seed % 3 == 0 ? 0.4 : 0.0});
  const Model<double> model = instantiate<double>(m);
  Workspace<double> work(model);
  Random random(seed);
  const State s = random_state(model, random);
  int frame = random.below(static_cast<int>(model.frames.size()));
  if (model.frames[static_cast<std::size_t>(frame)].body < 0) frame = static_cast<int>(model.frames.size()) - 1;
  RC_PRE(model.frames[static_cast<std::size_t>(frame)].body >= 0);
  const Force<double> wrench{{1.0, -2.0, 0.5}, {3.0, 4.0, -5.0}};
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<double> without(nv), with(nv), J(6 * nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, without);
  forward_kinematics<double>(model, work, s.q);
  frame_jacobian<double>(model, work, frame, J);
  std::vector<Force<double>> external(model.bodies.size());
  external[static_cast<std::size_t>(model.frames[static_cast<std::size_t>(frame)].body)] =
      wrench_on_body(model, work, frame, wrench);
  rnea<double>(model, work, s.q, s.qd, s.qdd, with, external);
  for (std::size_t k = 0; k < nv; ++k) {
    double through = 0.0, scale = 1.0 + std::abs(without[k]);
    for (int r = 0; r < 3; ++r) {
      through += J[6 * k + static_cast<std::size_t>(r)] * wrench.ang[r] +
                 J[6 * k + 3 + static_cast<std::size_t>(r)] * wrench.lin[r];
    }
    RC_ASSERT(std::abs(without[k] - with[k] - through) <= 1e-12 * (scale + 100.0));
  }
}

// The mechanism put on a turned and moved base, gravity turned with it: nothing changes for the joints.
RC_GTEST_PROP(Rnea, DoesNotDependOnTheWorldFrame, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Mechanism m = random_mechanism(seed, {.joints = *rc::gen::inRange(1, 20)});
  const Model<double> model = instantiate<double>(m);
  Random random(seed);
  const State s = random_state(model, random);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<double> here(nv), there(nv);
  Workspace<double> work(model);
  rnea<double>(model, work, s.q, s.qd, s.qdd, here);

  Link pedestal;
  pedestal.name = pedestal.joint.name = "pedestal";
  pedestal.parent = "ground";
  pedestal.joint.type = JointType::fixed;
  pedestal.joint.origin.xyz = {random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)};
  const double roll = random.between(-3, 3), pitch = random.between(-1.5, 1.5), yaw = random.between(-3, 3);
  pedestal.joint.origin.rotation = {Rotation::Kind::rpy, {roll, pitch, yaw}};
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  const Eigen::Vector3d g = R * model.gravity.eigen();
  for (int k = 0; k < 3; ++k) m.gravity[static_cast<std::size_t>(k)] = g[k];
  for (Link& link : m.links) {
    if (link.parent == m.base) link.parent = "pedestal";
  }
  m.base = "ground";
  m.links.insert(m.links.begin(), pedestal);
  const Model<double> moved = instantiate<double>(m);
  Workspace<double> moved_work(moved);
  rnea<double>(moved, moved_work, s.q, s.qd, s.qdd, there);
  double scale = 1.0;
  for (const double t : here) scale = std::max(scale, std::abs(t));
  for (std::size_t k = 0; k < nv; ++k) RC_ASSERT(std::abs(here[k] - there[k]) <= 1e-12 * scale);
}

TEST(Rnea, MimicJointIsTheGearedMechanism) {
  // two joints geared by −0.5: torque and inertia as seen by the driver, against projection of the free mechanism
  Mechanism free;
  free.links = {rod("one", "base", 0.0, 0.7, 2.0), rod("two", "one", 0.7, 0.5, 1.5),
                rod("three", "two", 0.5, 0.3, 1.0)};
  Mechanism geared = free;
  geared.links[1].joint.mimic = Mimic{"one", -0.5, 0.2, {}};
  const Model<double> whole = instantiate<double>(free), part = instantiate<double>(geared);
  ASSERT_EQ(part.nv, 2);
  Workspace<double> whole_work(whole), part_work(part);
  const std::vector<double> q{0.3, 0.4}, qd{1.0, -2.0}, qdd{0.5, 0.7};
  const auto expand = [](const std::vector<double>& x, double offset) {
    return std::vector<double>{x[0], -0.5 * x[0] + offset, x[1]};
  };
  std::vector<double> tau3(3), tau2(2), M3(9), M2(4);
  rnea<double>(whole, whole_work, expand(q, 0.2), expand(qd, 0.0), expand(qdd, 0.0), tau3);
  rnea<double>(part, part_work, q, qd, qdd, tau2);
  EXPECT_NEAR(tau2[0], tau3[0] - 0.5 * tau3[1], 1e-13);
  EXPECT_NEAR(tau2[1], tau3[2], 1e-13);
  crba<double>(whole, whole_work, expand(q, 0.2), M3);
  crba<double>(part, part_work, q, M2);
  const double G[3][2] = {{1, 0}, {-0.5, 0}, {0, 1}};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      double projected = 0.0;
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) projected += G[a][i] * M3[static_cast<std::size_t>(3 * a + b)] * G[b][j];
      }
      EXPECT_NEAR(M2[static_cast<std::size_t>(2 * i + j)], projected, 1e-13);
    }
  }
}

TEST(Rnea, TracedAndInterpretedGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Mechanism m = random_mechanism(
        seed, {.joints = static_cast<int>(seed), .drives = true, .springs = true, .mimic = seed % 3 == 0 ? 0.4 : 0.0});
    const Model<double> model = instantiate<double>(m);
    const Model<Expr> symbolic = instantiate<Expr>(m);
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    const Function f =
        trace("inverse", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}}, [&](const Arguments& in, Results& out) {
          Workspace<Expr> work(symbolic);
          rnea<Expr>(symbolic, work, in[0], in[1], in[2], out[0]);
        });
    Random random(seed);
    const State s = random_state(model, random);
    std::vector<double> in = s.q, expected(nv), got(nv);
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    Workspace<double> work(model);
    rnea<double>(model, work, s.q, s.qd, s.qdd, expected);
    evaluate<double>(f, in, got);
    EXPECT_EQ(expected, got) << "seed " << seed;
  }
}

TEST(Rnea, KeptParameterStaysASymbol) {
  Mechanism m;
  const Expr mass = m.formulas->input("m");
  m.parameters.push_back({"m", 2.0});
  Link link = rod("one", "base", 0.0, 0.7, 0.0);
  link.inertia->mass = Formula(mass, {}, "m");
  link.inertia->tensor[1] = Formula(mass * 0.01, {}, "m*0.01");
  m.links = {link};
  const Function f =
      trace("inverse", {{"q", 1}, {"qdd", 1}, {"m", 1}}, {{"tau", 1}}, [&](const Arguments& in, Results& out) {
        const Model<Expr> model = instantiate<Expr>(m, {{"m", in[2][0]}});
        Workspace<Expr> work(model);
        const std::vector<Expr> still(1);
        rnea<Expr>(model, work, in[0], still, in[1], out[0]);
      });
  Interpreter<double> run(f);
  double tau[1];
  for (const double value : {1.0, 5.0}) {
    run(std::vector<double>{0.4, 1.5, value}, tau);
    const double expected = value * (0.01 + 0.35 * 0.35) * 1.5 - value * 9.81 * 0.35 * std::cos(0.4);
    EXPECT_NEAR(tau[0], expected, 1e-13);
  }
  EXPECT_THROW(instantiate<double>(m, {{"mm", 1.0}}), Error);
}

}  // namespace inverse_test
}  // namespace lw
