// Mechanisms written as URDF and read back: the same torques; and what URDF cannot say is named.
#include "model/write/write_urdf.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "base/worse.hpp"
#include "dynamics/tree/rnea.hpp"
#include "expect_diagnostic.hpp"
#include "model/placement.hpp"
#include "model/random_state.hpp"
#include "model/write/urdf_form.hpp"
#include "support/random_mechanism.hpp"
#include "support/same_dynamics.hpp"

namespace lw {
namespace write_urdf_test {

constexpr double kTolerance = 1e-12;

ReadResult read_back(const UrdfFiles& files) {
  std::optional<std::string> sidecar;
  if (!files.sidecar.empty()) sidecar = files.sidecar;
  return read_text(files.urdf, "written.urdf", {false, true}, sidecar);
}

Mechanism reread(const Mechanism& m) {
  const ReadResult result = read_back(write_urdf(m));
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity == Severity::error) ADD_FAILURE() << to_string(d);
  }
  return result.mechanism.value_or(Mechanism());
}

bool names(const std::vector<std::string>& warnings, const std::string& words) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& w) { return w.find(words) != std::string::npos; });
}

// Spherical joints against chains of three revolutes, starting from rest. Rx(a) Ry(b) Rz(c) turns with ω̇ = E (ä, b̈,
// c̈) in the child's axes, the columns of E being the axes of the three joints there, and their torques are Eᵀ times
// the moment.
double difference_at_rest(const Model<double>& balls, const Model<double>& chains) {
  if (balls.nv != chains.nv) return HUGE_VAL;
  Workspace<double> work(balls), work3(chains);
  Random random(5);
  double worst = 0.0;
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(chains, random);
    std::vector<double> q = s.q, qdd = s.qdd, expected(qdd.size()), tau(qdd.size());
    const std::vector<double> rest(qdd.size(), 0.0);
    q.clear();
    std::vector<Eigen::Matrix3d> E(qdd.size());
    std::size_t at = 0;
    for (const JointInfo& j : balls.joints) {
      const auto v = static_cast<std::size_t>(j.v);
      if (j.type != JointType::spherical) {
        for (int i = 0; i < coordinates(j.type); ++i) q.push_back(s.q[at++]);
        continue;
      }
      const Eigen::AngleAxisd X(s.q[at], Eigen::Vector3d::UnitX()), Y(s.q[at + 1], Eigen::Vector3d::UnitY()),
          Z(s.q[at + 2], Eigen::Vector3d::UnitZ());
      at += 3;
      E[v] << (Y * Z).toRotationMatrix().transpose() * Eigen::Vector3d::UnitX(),
          Z.toRotationMatrix().transpose() * Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ();
      const Eigen::Quaterniond r(X * Y * Z);
      for (const double x : {r.x(), r.y(), r.z(), r.w()}) q.push_back(x);
      const Eigen::Vector3d turn = E[v] * Eigen::Vector3d(s.qdd[v], s.qdd[v + 1], s.qdd[v + 2]);
      std::copy(turn.begin(), turn.end(), qdd.begin() + j.v);
    }
    rnea<double>(balls, work, q, rest, qdd, expected);
    rnea<double>(chains, work3, s.q, rest, s.qdd, tau);
    double size = 1.0;
    for (const JointInfo& j : balls.joints) {
      if (j.type != JointType::spherical) continue;
      Eigen::Map<Eigen::Vector3d> moment(&expected[static_cast<std::size_t>(j.v)]);
      moment = (E[static_cast<std::size_t>(j.v)].transpose() * moment).eval();
    }
    for (const double moment : expected) size = std::max(size, std::abs(moment));
    worst = worse(worst, largest_difference(expected, tau) / size);
  }
  return worst;
}

TEST(RollPitchYaw, IsAccurateNearVerticalPitch) {
  Random random(3);
  for (int k = 0; k < 3000; ++k) {
    const double off = random.chance(0.5) ? std::pow(10.0, random.between(-17.0, -5.0)) : random.between(-1.5, 1.5);
    const double pitch = k % 3 == 0 ? std::numbers::pi / 2 + off : k % 3 == 1 ? off - std::numbers::pi / 2 : off;
    const double turn = random.between(-3.0, 3.0), bank = random.between(-3.0, 3.0);
    const Mat3<double> R = rotation_about_z(turn) * rotation_about_y(pitch) * rotation_about_x(bank);
    const auto [roll, p, yaw] = rpy_of(R);
    const Mat3<double> again = rotation_about_z(yaw) * rotation_about_y(p) * rotation_about_x(roll);
    for (int i = 0; i < 3; ++i) {
      // what rotation_about takes for an exact quarter turn: 4 ε of the angle, and the rounding
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(again(i, j), R(i, j), 4e-15) << off;
    }
  }
}

TEST(WriteUrdf, RandomMechanismsKeepTheirTorques) {
  RandomMechanismOptions options;
  options.types = {JointType::revolute,  JointType::prismatic, JointType::cylindrical,
                   JointType::universal, JointType::planar,    JointType::floating};
  options.mimic = 0.2;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Mechanism m = random_mechanism(seed, options);
    const Model<double> before = instantiate<double>(m), after = instantiate<double>(reread(m));
    const double difference = torque_difference(before, after);
    EXPECT_LT(difference, kTolerance) << seed;
    EXPECT_EQ(before.coordinate_names, after.coordinate_names) << seed;
  }
}

TEST(WriteUrdf, EmbeddedModelsKeepTheirTorques) {
  for (const std::string& name : embedded_names()) {
    Mechanism m = load(name, {false, true});
    const UrdfFiles files = write_urdf(m);
    const Mechanism again = reread(m);
    for (Link& l : m.links) {  // what is left out, and said so
      EXPECT_EQ(l.joint.drive.has_value(), names(files.remarks.losses, "the drive of joint `" + l.joint.name + "`"))
          << name;
      EXPECT_EQ(l.joint.spring.has_value(), names(files.remarks.losses, "the spring of joint `" + l.joint.name + "`"))
          << name;
      l.joint.drive.reset();
      l.joint.spring.reset();
    }
    const Model<double> before = instantiate<double>(m), after = instantiate<double>(again);
    if (names(files.remarks.changes, "spherical")) {
      EXPECT_LT(difference_at_rest(before, after), kTolerance) << name;
      continue;
    }
    const double difference = torque_difference(before, after);
    EXPECT_LT(difference, kTolerance) << name;
    EXPECT_EQ(before.coordinate_names, after.coordinate_names) << name;
    EXPECT_EQ(before.loops.size(), after.loops.size()) << name;
    ASSERT_EQ(before.joints.size(), after.joints.size()) << name;
    for (std::size_t k = 0; k < before.joints.size(); ++k) {
      EXPECT_EQ(before.joints[k].actuated, after.joints[k].actuated) << name;
    }
    ASSERT_EQ(before.home.size(), after.home.size());
    for (std::size_t k = 0; k < before.home.size(); ++k) EXPECT_EQ(before.home[k], after.home[k]) << name;
    for (const Link& l : m.links) {
      const Link* twin = again.find_link(l.name);
      ASSERT_NE(twin, nullptr);
      EXPECT_EQ(l.visuals.size(), twin->visuals.size());
      for (std::size_t v = 0; v < l.visuals.size(); ++v) EXPECT_EQ(l.visuals[v].color, twin->visuals[v].color) << name;
      const Link* moved = again.find_joint(l.joint.name);
      if (velocities(l.joint.type) != 1) continue;
      ASSERT_NE(moved, nullptr) << name;
      const Limits &ours = l.joint.limits, &theirs = moved->joint.limits;
      EXPECT_EQ(ours.lower.has_value(), theirs.lower.has_value()) << name;
      EXPECT_EQ(ours.upper.has_value(), theirs.upper.has_value()) << name;
      EXPECT_EQ(ours.velocity.has_value(), theirs.velocity.has_value()) << name;
      EXPECT_EQ(ours.effort.has_value(), theirs.effort.has_value()) << name;
    }
    EXPECT_EQ(m.base_visuals.size(), again.base_visuals.size());
    EXPECT_EQ(m.summary, again.summary);
  }
}

TEST(WriteUrdf, ASphericalJointMovesTheSameAsThreeRevolutes) {
  RandomMechanismOptions options;
  options.joints = 4;
  options.types = {JointType::spherical, JointType::revolute, JointType::spherical};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Mechanism m = random_mechanism(seed, options);
    const UrdfFiles files = write_urdf(m);
    for (const Link& l : m.links) {
      EXPECT_EQ(l.joint.type == JointType::spherical,
                names(files.remarks.changes,
                      "the spherical joint `" + l.joint.name + "` is written as three revolute joints"));
    }
    EXPECT_LT(difference_at_rest(instantiate<double>(m), instantiate<double>(reread(m))), kTolerance) << seed;
  }
}

TEST(WriteUrdf, ReportsEveryOmittedForce) {
  const Mechanism m = load(LW_SOURCE_DIR "/tests/fuzz/yaml/forces.yaml");
  const UrdfFiles files = write_urdf(m);
  const std::vector<std::string> expected{"the coupling `wrist`",
                                          "the spring `balance`",
                                          "the spring `gas`",
                                          "the force on link `roll`",
                                          "the force on link `arm`",
                                          "the shaft `belt`",
                                          "the stop of joint `column`",
                                          "the damper of joint `column`",
                                          "the journal bearing of joint `column`",
                                          "the thrust bearing of joint `column`",
                                          "the drive of joint `arm`",
                                          "the spring of joint `arm`",
                                          "the linear bearing of joint `slide`",
                                          "the journal bearing of joint `slide`"};
  ASSERT_EQ(files.remarks.losses.size(), expected.size());
  for (const std::string& words : expected) EXPECT_TRUE(names(files.remarks.losses, words + " is omitted")) << words;
  EXPECT_EQ(reread(m).links.size(), m.links.size());
}

TEST(WriteUrdf, HomeOfASphericalJointBecomesItsThreeAngles) {
  const ReadResult read = read_text(R"(linkwright: 1
name: ball
links: [{name: a, parent: base, joint: {type: spherical}, inertia: {mass: 1, com: [0.1, 0.2, 0.3], tensor: [1, 1, 1]}}]
home: {a: [0.5, 0.1, -0.7, 0.5]}
)",
                                    "ball.yaml");
  ASSERT_TRUE(read.mechanism);
  const Model<double> three = instantiate<double>(reread(*read.mechanism));
  const Eigen::Matrix3d R = (Eigen::AngleAxisd(three.home[0], Eigen::Vector3d::UnitX()) *
                             Eigen::AngleAxisd(three.home[1], Eigen::Vector3d::UnitY()) *
                             Eigen::AngleAxisd(three.home[2], Eigen::Vector3d::UnitZ()))
                                .toRotationMatrix();
  EXPECT_TRUE(R.isApprox(Eigen::Quaterniond(0.5, 0.5, 0.1, -0.7).normalized().toRotationMatrix(), 1e-14));
}

TEST(WriteUrdf, ReportsOmittedPartsAndKeepsTheRest) {
  const ReadResult read = read_text(R"(linkwright: 1
name: <arm> & "more"
summary: an arm -- or two ---
unphysical: it is meant
gravity: [0, -g, 0]
parameters: {g: 1.62, l: 0.5}
links:
  - name: a & b
    parent: base
    joint: {type: revolute, name: j<1>, limits: {lower: -1}, dh: {a: l, alpha: 30 deg, convention: standard}}
    inertia: {mass: 2, com: [l, 0, 0], tensor: [1, 1, 1]}
    friction: {viscous: 0.25, coulomb: 0.5, stribeck: {static: 1, velocity: 0.1}, bearing: [{type: journal, mu: 0.1, radius: 0.1, spacing: 0.2}, {type: thrust, mu: 0.1, radius: 0.1}]}
    drive: {ratio: 10, rotor_inertia: 1e-4}
    spring: {stiffness: 3}
    damper: 0.5
  - name: a & b.joint
    parent: a & b
    joint: {type: cylindrical, actuated: false}
    inertia: {mass: 1, com: [0, l, 0], tensor: [1, 1, 1]}
    visual: {mesh: nowhere.stl, scale: [1, 2, 1], color: [0.1, 0.2, 0.3, 0.4]}
payload: {link: a & b, mass: 1}
home: {"a & b.joint": [0.1, 0.2]}
)",
                                    "arm.yaml");
  ASSERT_TRUE(read.mechanism) << to_string(read.diagnostics[0]);
  const UrdfFiles files = write_urdf(*read.mechanism);
  for (const char* words : {"it is meant", "drive of joint `j<1>`", "spring of joint `j<1>`", "Stribeck",
                            "journal bearing", "thrust bearing"}) {
    EXPECT_TRUE(names(files.remarks.losses, words)) << words;
  }
  for (const char* words : {"g = 1.62, l = 0.5", "damper of joint `j<1>` is written as equivalent viscous"}) {
    EXPECT_TRUE(names(files.remarks.changes, words)) << words;
  }
  EXPECT_EQ(files.remarks.losses.size(), 6u);
  EXPECT_EQ(files.remarks.changes.size(), 2u);
  const ReadResult result = read_back(files);
  ASSERT_TRUE(result.mechanism) << to_string(result.diagnostics[0]) << files.urdf << files.sidecar;
  const Mechanism& again = *result.mechanism;
  EXPECT_EQ(again.name, "<arm> & \"more\"");
  EXPECT_EQ(again.summary, "an arm - - or two - - -");
  const Link& moving = *again.find_joint("j<1>");
  EXPECT_EQ(moving.name, "a & b.joint_");  // not that of another link
  EXPECT_EQ(moving.joint.friction.viscous.value.constant(), 0.75);
  EXPECT_EQ(moving.joint.friction.coulomb.value.constant(), 0.5);
  EXPECT_EQ(moving.joint.limits.lower->value.constant(), -1.0);
  EXPECT_FALSE(moving.joint.limits.upper || moving.joint.limits.effort || moving.joint.limits.velocity);
  EXPECT_TRUE(moving.joint.actuated);
  EXPECT_FALSE(again.find_joint("a & b.joint.angle")->joint.actuated);
  EXPECT_EQ(again.home.at("a & b.joint.slide")[0].value.constant(), 0.2);
  const Visual& mesh = again.find_link("a & b.joint")->visuals.at(0);
  EXPECT_EQ(mesh.mesh, "nowhere.stl");
  EXPECT_EQ(mesh.size[1].value.constant(), 2.0);
  EXPECT_EQ(mesh.color, (std::array<double, 4>{0.1, 0.2, 0.3, 0.4}));
  Mechanism bare = *read.mechanism;
  bare.links[0].joint.drive.reset();
  bare.links[0].joint.spring.reset();
  EXPECT_LT(torque_difference(instantiate<double>(bare), instantiate<double>(again)), kTolerance);
}

}  // namespace write_urdf_test
}  // namespace lw
