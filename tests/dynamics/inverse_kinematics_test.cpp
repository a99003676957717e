// Inverse kinematics: closed forms against the forward method on every branch, the numerical method on everything else.
#include "dynamics/kinematics/inverse_kinematics.hpp"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/kinematics/closed_form_arm.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/placement.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "spatial/rotation_vector.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace inverse_kinematics_test {

struct Arm {
  explicit Arm(const std::string& name) : mechanism(load(name)), model(instantiate<double>(mechanism)), work(model) {}
  static Arm of(const std::string& text) { return Arm(*read_text(text, "test.yaml").mechanism); }
  explicit Arm(Mechanism m) : mechanism(std::move(m)), model(instantiate<double>(mechanism)), work(model) {}

  Mechanism mechanism;
  Model<double> model;
  Workspace<double> work;

  int tip() const { return static_cast<int>(model.frames.size()) - 1; }
  Transform<double> pose(const std::vector<double>& q) { return pose(q, tip()); }
  Transform<double> pose(const std::vector<double>& q, int frame) {
    forward_kinematics<double>(model, work, q);
    return frame_pose(model, work, frame);
  }
  std::vector<double> random_q(Random& random) { return random_state(model, random).q; }
};

// Largest entry of the difference of two poses, R and p.
double apart(const Transform<double>& a, const Transform<double>& b) {
  return worse(largest(a.R.eigen() - b.R.eigen()), largest(a.p.eigen() - b.p.eigen()));
}

bool same_angles(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::abs(std::remainder(a[k] - b[k], 2 * M_PI)) > tolerance) return false;
  }
  return true;
}

// An arm as industry builds them, and worse: no offset zero, frames turned, the wrist's axes oblique, a tool.
const char* kOblique = R"(linkwright: 1
name: oblique
links:
  - {name: pedestal, parent: base, joint: {type: fixed, origin: {xyz: [0.3, -0.2, 0.4], rpy: [0.3, -0.5, 1.1]}}}
  - {name: l1, parent: pedestal, joint: {type: revolute, axis: [0, 0, -2], origin: {xyz: [0, 0, 0.3], rpy: [0, 0, 0.7]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l2, parent: l1, joint: {type: revolute, axis: [0, 1, 0], origin: {xyz: [0.15, 0.1, 0.2], rpy: [0, 0.4, 0]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l3, parent: l2, joint: {type: revolute, axis: [0, -1, 0], origin: {xyz: [0.1, 0.05, 0.6], rpy: [0, -0.3, 0]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l4, parent: l3, joint: {type: revolute, axis: [1, 0, 0], origin: {xyz: [0.5, -0.02, 0.12]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l5, parent: l4, joint: {type: revolute, axis: [1, 2, 0]}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l6, parent: l5, joint: {type: revolute, axis: [2, 0, 1]}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: tool, parent: l6, joint: {type: fixed, origin: {xyz: [0.1, 0.02, 0.05], rpy: [0.2, 0.3, 0.4]}}}
)";

void expect_all_branches(Arm arm, std::size_t branches, bool position_only, double tolerance = 1e-12) {
  Random random(7);
  double worst = 0.0;
  std::size_t most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> wanted = arm.random_q(random), start(wanted.size(), 0.0);
    const Transform<double> target = arm.pose(wanted);
    const IkResult result = inverse_kinematics(arm.model, arm.tip(), {target, position_only}, start);
    ASSERT_TRUE(result.closed_form) << trial;
    // the configuration that the target was made from is among them
    bool found = false;
    std::vector<std::string> names;
    for (const IkSolution& s : result.solutions) {
      const Transform<double> back = arm.pose(s.q);
      worst = worse(worst, position_only ? largest((back.p - target.p).eigen()) : apart(back, target));
      found = found || same_angles(s.q, wanted, 1e-7);
      names.push_back(s.branch);
    }
    EXPECT_TRUE(found) << trial;
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    most = std::max(most, result.solutions.size());
  }
  EXPECT_LE(worst, tolerance);
  EXPECT_EQ(most, branches);
}

TEST(ClosedForm, PumaOnAllEightBranches) { expect_all_branches(Arm("puma560"), 8, false); }
TEST(ClosedForm, StanfordOnAllEightBranches) { expect_all_branches(Arm("stanford"), 8, false); }
TEST(ClosedForm, ObliqueIndustrialArmWithTool) { expect_all_branches(Arm::of(kOblique), 8, false); }
TEST(ClosedForm, ObliqueSlide) {
  std::string text(kOblique);
  text.replace(text.find("type: revolute, axis: [0, -1, 0]"), 32, "type: prismatic, axis: [3, 0, 4]");
  expect_all_branches(Arm::of(text), 8, false);
}

// As the UR arms: three parallel axes, then two through a point beside them. Axes of either sense, wrist not at right
// angles.
const char* kOffsetWrist = R"(linkwright: 1
name: offset
links:
  - {name: pedestal, parent: base, joint: {type: fixed, origin: {xyz: [0.3, -0.2, 0.4], rpy: [0.3, -0.5, 1.1]}}}
  - {name: l1, parent: pedestal, joint: {type: revolute, axis: [0, 0, -2], origin: {xyz: [0, 0, 0.3], rpy: [0, 0, 0.7]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l2, parent: l1, joint: {type: revolute, axis: [0, 1, 0], origin: {xyz: [0.15, 0.1, 0.2], rpy: [0, 0.4, 0]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l3, parent: l2, joint: {type: revolute, axis: [0, -1, 0], origin: {xyz: [0.1, 0.05, 0.6], rpy: [0, -0.3, 0]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l4, parent: l3, joint: {type: revolute, axis: [0, -3, 0], origin: {xyz: [0.5, -0.02, 0.12]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l5, parent: l4, joint: {type: revolute, axis: [1, 0.2, 0], origin: {xyz: [0.02, 0.11, 0.03]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: l6, parent: l5, joint: {type: revolute, axis: [0.1, 2, 1], origin: {xyz: [0.1, 0.02, 0]}}, inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}}
  - {name: tool, parent: l6, joint: {type: fixed, origin: {xyz: [0.1, 0.02, 0.05], rpy: [0.2, 0.3, 0.4]}}}
)";
TEST(ClosedForm, UniversalRobotsArmOnAllEightBranches) { expect_all_branches(Arm("ur5"), 8, false); }
TEST(ClosedForm, ObliqueArmWithOffsetWrist) { expect_all_branches(Arm::of(kOffsetWrist), 8, false); }

TEST(ClosedForm, StraightOffsetWristTurnsWhereTheElbowCanFollow) {
  // joints 2, 3, 4 and 6 of a UR5 about parallel axes: a continuum. From a start whose sum of angles would ask for too
  // long an arm there is still a solution.
  Arm arm("ur5");
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> wanted = arm.random_q(random);
    wanted[2] = random.between(-0.3, 0.3);  // nearly stretched
    wanted[4] = 0.0;
    const Transform<double> target = arm.pose(wanted);
    const IkResult result = inverse_kinematics(arm.model, arm.tip(), {target}, arm.random_q(random));
    ASSERT_TRUE(result.closed_form) << trial;
    bool found = false;
    for (const IkSolution& s : result.solutions) {
      EXPECT_LE(apart(arm.pose(s.q), target), 1e-11) << trial;
      found = found || (std::abs(std::sin(s.q[4])) < 1e-9 && s.freedom == 1);
    }
    EXPECT_TRUE(found) << trial;
  }
}

TEST(ClosedForm, ThreeJointsOnAllFourBranches) {
  for (const char* name : {"puma560", "stanford"}) {
    Arm arm(name);
    // the wrist's centre on link 3, placed by the first three joints
    const Transform<double> centre = arm.pose(arm.model.home, arm.model.frame_index("link4"));
    Mechanism m = arm.mechanism;
    m.links.resize(3);
    m.home.clear();
    Link tip;
    tip.name = "tip";
    tip.parent = "link3";
    tip.joint.name = "tip";
    const Transform<double> X = arm.pose(arm.model.home, arm.model.frame_index("link3")).inverse() * centre;
    for (int k = 0; k < 3; ++k) tip.joint.origin.xyz[static_cast<std::size_t>(k)] = X.p[k];
    m.links.push_back(tip);
    expect_all_branches(Arm(m), 4, true);
  }
}

TEST(ClosedForm, BranchesAgreeWithTheNumericalMethod) {
  for (const char* name : {"puma560", "stanford", "ur5"}) {
    Arm arm(name);
    Random random(3);
    for (int trial = 0; trial < 20; ++trial) {
      const Transform<double> target = arm.pose(arm.random_q(random));
      const std::vector<double> start = arm.random_q(random);
      const IkResult closed = inverse_kinematics(arm.model, arm.tip(), {target}, start);
      IkOptions numerical;
      numerical.closed_form = false;
      const IkResult found = inverse_kinematics(arm.model, arm.tip(), {target}, start, numerical);
      EXPECT_FALSE(found.solutions.empty());
      for (const IkSolution& s : found.solutions) {
        EXPECT_TRUE(std::any_of(closed.solutions.begin(), closed.solutions.end(),
                                [&](const IkSolution& c) { return same_angles(s.q, c.q, 1e-6); }))
            << name << " " << trial;
      }
    }
  }
}

TEST(ClosedForm, StraightWristKeepsTheFourthJoint) {
  Arm arm("puma560");
  const std::vector<double> wanted{0.3, -0.7, 1.9, 0.4, 0.0, 0.5}, start{0.3, -0.7, 1.9, 1.0, 0.0, 0.0};
  const IkResult result = inverse_kinematics(arm.model, arm.tip(), {arm.pose(wanted)}, start);
  const std::vector<double>& q = result.solutions.at(0).q;
  // joints 4 and 6 turn about one line: their sum is what the pose fixes
  EXPECT_NEAR(q[3], 1.0, 1e-7);
  EXPECT_NEAR(q[4], 0.0, 1e-12);
  EXPECT_NEAR(q[3] + q[5], 0.9, 1e-12);
  EXPECT_LE(apart(arm.pose(q), arm.pose(wanted)), 1e-14);
  // close to it, where acos would lose half of the digits
  for (const double bend : {1e-3, 1e-6, 1e-9, M_PI - 1e-7}) {
    const std::vector<double> bent{0.3, -0.7, 1.9, 0.4, bend, 0.5};
    const IkResult near = inverse_kinematics(arm.model, arm.tip(), {arm.pose(bent)}, start);
    ASSERT_FALSE(near.solutions.empty()) << bend;
    for (const IkSolution& s : near.solutions) EXPECT_LE(apart(arm.pose(s.q), arm.pose(bent)), 1e-14) << bend;
  }
  // so little bent that the pose does not tell where: joint 4 rests again, at the cost of that little
  const std::vector<double> hardly{0.3, -0.7, 1.9, 0.4, 1e-12, 0.5};
  const IkResult rests = inverse_kinematics(arm.model, arm.tip(), {arm.pose(hardly)}, start);
  EXPECT_EQ(rests.solutions.at(0).q[3], 1.0);
  EXPECT_LE(apart(arm.pose(rests.solutions[0].q), arm.pose(hardly)), 2e-12);
}

TEST(InverseKinematics, SingularTargetsListOneOfAContinuum) {
  Arm arm("puma560");
  IkOptions numerical;
  numerical.closed_form = false;
  // a straight wrist: joints 4 and 6 turn about one line, on this branch of shoulder and elbow; not on the others
  const std::vector<double> straight{0.3, -0.7, 1.9, 0.4, 0.0, 0.5};
  for (const IkOptions& options : {IkOptions{}, numerical}) {
    const IkResult result = inverse_kinematics(arm.model, arm.tip(), {arm.pose(straight)}, straight, options);
    ASSERT_FALSE(result.solutions.empty());
    EXPECT_EQ(result.freedom, 0);
    int free = 0;
    for (const IkSolution& s : result.solutions) {
      const bool of_these = std::abs(std::sin(s.q[4])) < 1e-4;
      EXPECT_EQ(s.freedom, of_these ? 1 : 0);
      free += of_these;
    }
    EXPECT_EQ(free, 1) << options.closed_form;
  }
  // a stretched elbow loses rank too, but nothing can move
  const std::vector<double> stretched{0.2, -0.6, std::atan2(0.4331, -0.0203), 0.3, 0.8, -0.4};
  const IkResult border = inverse_kinematics(arm.model, arm.tip(), {arm.pose(stretched)}, stretched);
  EXPECT_EQ(border.solutions.size(), 4u);
  for (const IkSolution& s : border.solutions) EXPECT_EQ(s.freedom, 0);
  // two links of one length folded: the tip on the first axis, and the first joint turns as it likes
  Arm pair = Arm::of(
      "linkwright: 1\nname: pair\nlinks:\n"
      "  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
      "  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, "
      "1]}}\n"
      "  - {name: tip, parent: b, joint: {type: fixed, origin: {xyz: [1, 0, 0]}}}\n");
  const IkTarget centre{{Mat3<double>::identity(), {0, 0, 0}}, true};
  const IkResult folded = inverse_kinematics(pair.model, pair.tip(), centre, std::vector<double>{0.3, 1.0});
  ASSERT_EQ(folded.solutions.size(), 1u);
  EXPECT_EQ(folded.solutions[0].freedom, 1);
}

TEST(ClosedForm, BordersOfTheReach) {
  Arm arm("puma560");
  // the elbow stretched or folded: its two branches are one, and the residual stays at rounding
  const double stretched = std::atan2(0.4331, -0.0203);  // a2 and (a3, d4) in line
  for (const double q3 : {stretched, stretched - M_PI}) {
    const std::vector<double> q{0.2, -0.6, q3, 0.3, 0.8, -0.4};
    const IkResult result = inverse_kinematics(arm.model, arm.tip(), {arm.pose(q)}, q);
    ASSERT_FALSE(result.solutions.empty());
    EXPECT_EQ(result.solutions.size(), 4u);
    for (const IkSolution& s : result.solutions) EXPECT_LE(apart(arm.pose(s.q), arm.pose(q)), 1e-12);
  }
  // the wrist on axis 1 of a Stanford arm without offset: joint 1 keeps its value
  const Mechanism stanford = load("stanford");
  const Model<double> model = instantiate<double>(stanford, {{"d2", 0.0}});
  Workspace<double> work(model);
  const std::vector<double> q{0.4, 0.0, 0.5, 0.1, 0.7, 0.2}, start{-1.1, 0.1, 0.4, 0.0, 0.5, 0.0};
  forward_kinematics<double>(model, work, q);
  const IkResult result = inverse_kinematics(model, 6, {frame_pose(model, work, 6)}, start);
  ASSERT_FALSE(result.solutions.empty());
  for (const IkSolution& s : result.solutions) {
    EXPECT_NEAR(std::abs(s.q[0]), 1.1, 1e-12);
    EXPECT_LE(worse(s.position_error, s.rotation_error), 1e-12);
  }
}

TEST(ClosedForm, OtherGeometriesAreNotTakenForOne) {
  for (const char* name : {"arm7", "cat215b", "twu-3r", "quadruped"}) {
    const Arm arm(name);
    EXPECT_FALSE(ClosedFormArm::recognise(arm.model, arm.tip())) << name;
  }
  // an offset of a tenth of a millimetre in the wrist
  std::string text(kOblique);
  text.replace(text.find("axis: [1, 2, 0]"), 15, "axis: [1, 2, 0], origin: {xyz: [0, 0, 1e-4]}");
  const Arm off = Arm::of(text);
  EXPECT_FALSE(ClosedFormArm::recognise(off.model, off.tip()));
}

TEST(InverseKinematics, LimitsAreKept) {
  Arm arm("puma560");
  const CoordinateLimits limits = coordinate_limits(arm.mechanism, arm.model);
  EXPECT_DOUBLE_EQ(limits.lower[1], -225.0 * M_PI / 180.0);
  EXPECT_DOUBLE_EQ(limits.upper[5], 266.0 * M_PI / 180.0);
  Random random(11);
  std::size_t left_out = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> q;
    for (std::size_t k = 0; k < 6; ++k) q.push_back(random.between(limits.lower[k], limits.upper[k]));
    IkOptions options;
    options.limits = limits;
    const Transform<double> target = arm.pose(q);
    const IkResult result = inverse_kinematics(arm.model, arm.tip(), {target}, arm.model.home, options);
    ASSERT_FALSE(result.solutions.empty());
    bool found = false;
    for (const IkSolution& s : result.solutions) {
      EXPECT_TRUE(limits.contain(s.q, 1e-12));
      EXPECT_LE(apart(arm.pose(s.q), target), 1e-12);
      found = found || same_angles(s.q, q, 1e-7);
    }
    EXPECT_TRUE(found);
    left_out += static_cast<std::size_t>(result.beyond_limits.value());
  }
  EXPECT_GT(left_out, 300u);
  // numerically, a limit that is in the way is where the steps end: one joint on a circle of radius 1
  Arm one = Arm::of(
      "linkwright: 1\nname: one\nlinks:\n"
      "  - {name: a, parent: base, joint: {type: revolute, limits: {lower: -0.5, upper: 0.25}}, inertia: {mass: 1, "
      "com: [1, 0, 0], tensor: [1, 1, 1]}}\n"
      "  - {name: tip, parent: a, joint: {type: fixed, origin: {xyz: [1, 0, 0]}}}\n"
      "  - {name: b, parent: base, joint: {type: revolute, mimic: {joint: a, ratio: -2, offset: 0.1}, limits: {lower: "
      "-0.3, upper: 1}}, inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}}\n");
  const CoordinateLimits both = coordinate_limits(one.mechanism, one.model);
  EXPECT_DOUBLE_EQ(both.lower[0], -0.45);  // b reaches 1
  EXPECT_DOUBLE_EQ(both.upper[0], 0.2);    // b reaches -0.3
  IkOptions options;
  options.limits = both;
  const IkTarget up{{Mat3<double>::identity(), {0, 1, 0}}, true};
  const IkResult stuck =
      inverse_kinematics(one.model, one.model.frame_index("tip"), up, std::vector<double>{0.0}, options);
  EXPECT_TRUE(stuck.solutions.empty());
  EXPECT_DOUBLE_EQ(stuck.nearest.q[0], 0.2);
  EXPECT_NEAR(stuck.nearest.position_error, 2.0 * std::sin((M_PI / 2 - 0.2) / 2), 1e-12);  // the chord
}

TEST(InverseKinematics, LimitsThatNothingMeetsAreNamed) {
  const auto limits = [](const std::string& follower) {
    const std::string text =
        "linkwright: 1\nname: pair\nlinks:\n"
        "  - {name: a, parent: base, joint: {type: revolute, limits: {lower: 0, upper: 1}}, inertia: {mass: 1, tensor: "
        "[1, 1, 1]}}\n"
        "  - {name: b, parent: a, joint: {type: revolute, mimic: {joint: a" +
        follower + ", inertia: {mass: 1, tensor: [1, 1, 1]}}\n";
    const ReadResult read = read_text(text, "pair.yaml");
    std::string said;
    for (const Diagnostic& d : read.diagnostics) said += d.message;
    if (!read.mechanism) return said + " | no mechanism";
    try {
      coordinate_limits(*read.mechanism, instantiate<double>(*read.mechanism));
    } catch (const Error& e) {
      return said + " | " + e.what();
    }
    return said;
  };
  EXPECT_EQ(limits("}, limits: {lower: 1, upper: 3}}"), "");  // one point in common
  EXPECT_EQ(limits(", ratio: -1, offset: 3}, limits: {lower: 2.5, upper: 4}}"), "");
  for (const char* apart : {"}, limits: {lower: 2, upper: 3}}", ", ratio: -2}, limits: {lower: 1, upper: 3}}"}) {
    const std::string said = limits(apart);
    EXPECT_NE(said.find("joint `b` follows `a`, but their limits exclude each other"), std::string::npos) << said;
    EXPECT_NE(said.find("` contradict each other"), std::string::npos) << said;
  }
}

TEST(InverseKinematics, OutOfReachGivesTheNearestPoint) {
  // three links in a plane, positions only: the nearest point is on the line to the target, at the full length
  Arm arm("twu-3r");
  const Transform<double> stretched = arm.pose({0, 0, 0});
  const int tip = arm.tip();
  const double reach = stretched.p.eigen().norm();
  ASSERT_GT(reach, 0.0);
  const Vec3<double> far(3.0 * reach, -4.0 * reach, 0.0);
  const IkResult result =
      inverse_kinematics(arm.model, tip, {{Mat3<double>::identity(), far}, true}, std::vector<double>{0.4, 0.5, 0.6});
  EXPECT_TRUE(result.solutions.empty());
  EXPECT_NEAR(result.nearest.position_error, 4.0 * reach, 1e-9 * reach);
  const Vec3<double> at = arm.pose(result.nearest.q).p;
  EXPECT_NEAR(at[0] / reach, 0.6, 1e-6);
  EXPECT_NEAR(at[1] / reach, -0.8, 1e-6);
  // a recognised arm, far away: the wrist's distance is the target's minus the longest reach in that direction
  Arm puma("puma560");
  const double a2 = 0.4318, fore = std::hypot(0.4331, 0.0203), side = 0.2435 - 0.0934, out = a2 + fore;
  const IkResult none =
      inverse_kinematics(puma.model, puma.tip(), {{Mat3<double>::identity(), {0, 0, 2.0}}, true}, puma.model.home);
  EXPECT_TRUE(none.solutions.empty());
  // straight above: the offset keeps the wrist on a cylinder around axis 1, so it stays `side` away from the axis
  EXPECT_NEAR(none.nearest.position_error, std::hypot(2.0 - out, side), 1e-9);
}

RC_GTEST_PROP(InverseKinematics, AnyTreeReachesWhatItReached, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Arm arm(random_mechanism(seed, {.joints = *rc::gen::inRange(1, 10), .mimic = 0.2}));
  Random random(seed);
  const std::vector<double> wanted = arm.random_q(random);
  const int frame = random.below(static_cast<int>(arm.model.frames.size()));
  const bool position_only = random.chance(0.5);
  const Transform<double> target = arm.pose(wanted, frame);
  // from a start near by, so that the method is short: it must arrive
  std::vector<double> start = wanted;
  for (const Body<double>& b : arm.model.bodies) {
    if (b.velocities() == 1 && !b.mimics) start[static_cast<std::size_t>(b.q)] += random.between(-0.05, 0.05);
  }
  IkOptions few;
  few.starts = 6;
  const IkResult result = inverse_kinematics(arm.model, frame, {target, position_only}, start, few);
  RC_ASSERT(!result.solutions.empty());
  for (const IkSolution& s : result.solutions) {
    const Transform<double> back = arm.pose(s.q, frame);
    RC_ASSERT((back.p - target.p).eigen().norm() <= 1e-10);
    if (!position_only) RC_ASSERT(largest(back.R.eigen() - target.R.eigen()) <= 2e-10);
  }
  // joints that do not carry the frame stay where they are: in all solutions, from far starts, and out of reach
  std::vector<bool> carries(static_cast<std::size_t>(arm.model.nq), false);
  for (int i = arm.model.frames[static_cast<std::size_t>(frame)].body; i >= 0;
       i = arm.model.bodies[static_cast<std::size_t>(i)].parent)
    carries[static_cast<std::size_t>(arm.model.bodies[static_cast<std::size_t>(i)].q)] = true;
  const auto expect_still = [&](const IkResult& r, const std::vector<double>& from) {
    std::vector<IkSolution> all = r.solutions;
    all.push_back(r.nearest);
    for (const IkSolution& s : all) {
      for (const Body<double>& b : arm.model.bodies) {
        const auto k = static_cast<std::size_t>(b.q);
        if (!carries[k]) RC_ASSERT(std::abs(s.q[k] - from[k]) <= 1e-14 * std::max(1.0, std::abs(from[k])));
      }
    }
  };
  expect_still(result, start);
  std::vector<double> elsewhere = arm.random_q(random);
  for (const Body<double>& b : arm.model.bodies) {
    if (b.velocities() == 1 && !b.mimics) elsewhere[static_cast<std::size_t>(b.q)] *= 20.0;
  }
  expect_still(inverse_kinematics(arm.model, frame, {target, position_only}, elsewhere, few), elsewhere);
  Transform<double> beyond = target;
  beyond.p = beyond.p + Vec3<double>(300.0, 0.0, 0.0);
  expect_still(inverse_kinematics(arm.model, frame, {beyond, position_only}, elsewhere, few), elsewhere);
}

TEST(InverseKinematics, JointsBesideThePathMakeNoSolutions) {
  // an arm of a tree with a head and another arm: solutions differ in its own joints
  Arm torso("torso");
  const int arm2 = torso.model.frame_index("lower_arm2");
  ASSERT_GE(arm2, 0);
  Random random(23);
  const std::vector<double> wanted = torso.random_q(random);
  const Transform<double> target = torso.pose(wanted, arm2);
  const IkResult result = inverse_kinematics(torso.model, arm2, {target}, torso.model.home);
  ASSERT_FALSE(result.solutions.empty());
  const Carriers on = carriers(torso.model, arm2);
  EXPECT_LT(on.velocities, torso.model.nv);
  for (std::size_t a = 0; a < result.solutions.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double differ = 0.0;
      for (std::size_t k = 0; k < on.q.size(); ++k) {
        const double d = std::remainder(result.solutions[a].q[k] - result.solutions[b].q[k], 2 * M_PI);
        if (on.q[k]) differ = std::max(differ, std::abs(d));
      }
      EXPECT_GT(differ, 1e-6) << a << " " << b;
    }
  }
  // nothing moves the base: the start is all there is
  Arm puma("puma560");
  const IkResult base = inverse_kinematics(puma.model, 0, {{Mat3<double>::identity(), {}}}, puma.model.home);
  ASSERT_EQ(base.solutions.size(), 1u);
  EXPECT_EQ(base.solutions[0].q, puma.model.home);
}

TEST(InverseKinematics, LimitsOfJointsBesideThePathDoNotMatter) {
  Arm puma("puma560");
  Mechanism m = puma.mechanism;
  Link finger;
  finger.name = "finger";
  finger.parent = "link6";
  finger.joint.name = "finger";
  finger.joint.type = JointType::prismatic;
  m.links.push_back(finger);
  Arm arm(m);
  IkOptions options;
  options.limits = coordinate_limits(arm.mechanism, arm.model);
  options.limits->lower[6] = 0.01;
  options.limits->upper[6] = 0.05;
  const int hand = arm.model.frame_index("link6");
  std::vector<double> start = puma.model.home, alone = start;
  start.push_back(0.0);  // outside its limits
  const Transform<double> target = puma.pose({0.3, -0.7, 1.9, 0.4, 0.6, 0.5}, puma.model.frame_index("link6"));
  const IkResult with = inverse_kinematics(arm.model, hand, {target}, start, options);
  IkOptions six = options;
  six.limits->lower.pop_back();
  six.limits->upper.pop_back();
  const IkResult without = inverse_kinematics(puma.model, puma.tip(), {target}, alone, six);
  EXPECT_TRUE(with.closed_form);
  EXPECT_EQ(with.beyond_limits, without.beyond_limits);
  ASSERT_EQ(with.solutions.size(), without.solutions.size());
  for (std::size_t k = 0; k < with.solutions.size(); ++k) {
    EXPECT_EQ(with.solutions[k].q[6], 0.0);
    EXPECT_EQ(with.solutions[k].branch, without.solutions[k].branch);
  }
  // all branches beyond the limits: what comes then is not from the closed form
  six.limits = no_limits(puma.model);
  six.limits->lower[0] = 1.0;
  six.limits->upper[0] = 1.1;
  EXPECT_FALSE(inverse_kinematics(puma.model, puma.tip(), {target}, alone, six).closed_form);
}

// Six joints anyhow in space, each with a range of `width`: `scale` metres.
std::string general_arm(Random& random, double width, double scale) {
  std::string text = "linkwright: 1\nname: any\nlinks:\n";
  const auto vector = [&](double most) {
    const double numbers[] = {random.between(-most, most), random.between(-most, most), random.between(-most, most)};
    return fmt::format("[{}, {}, {}]", numbers[0], numbers[1], numbers[2]);
  };
  for (int k = 0; k < 6; ++k) {
    const double lower = random.between(-2.5, 2.5 - width);
    const std::string axis = vector(1.0), xyz = vector(0.5 * scale), rpy = vector(3.0);
    text += fmt::format(
        "  - {{name: l{}, parent: {}, joint: {{type: revolute, axis: {}, origin: {{xyz: {}, rpy: {}}}, limits: "
        "{{lower: "
        "{}, upper: {}}}}}, inertia: {{mass: 1, tensor: [1, 1, 1]}}}}\n",
        k, k == 0 ? "base" : fmt::format("l{}", k - 1), axis, xyz, rpy, lower, lower + width);
  }
  return text;
}

TEST(InverseKinematics, GeneralArmsWithLimitsFindWhatIsThere) {
  Random random(5);
  for (const double scale : {1.0, 1.0, 1e-6, 1e3}) {
    for (int trial = 0; trial < 100; ++trial) {
      Arm arm = Arm::of(general_arm(random, 4.0, scale));
      IkOptions options;
      options.limits = coordinate_limits(arm.mechanism, arm.model);
      options.patience = 1;  // one solution will do
      std::vector<double> q;
      for (std::size_t k = 0; k < 6; ++k) {
        q.push_back(random.between(options.limits->lower[k], options.limits->upper[k]));
      }
      const Transform<double> target = arm.pose(q);
      const IkResult result = inverse_kinematics(arm.model, arm.tip(), {target}, arm.model.home, options);
      ASSERT_FALSE(result.solutions.empty()) << trial << " off by " << result.nearest.position_error;
      EXPECT_FALSE(result.out_of_reach);
      EXPECT_FALSE(result.beyond_limits);  // nothing counts them
      for (const IkSolution& s : result.solutions) {
        EXPECT_TRUE(options.limits->contain(s.q, 1e-12));
        const Transform<double> back = arm.pose(s.q);
        EXPECT_LE((back.p - target.p).eigen().norm(), 1e-9 * scale);
        EXPECT_LE(largest(back.R.eigen() - target.R.eigen()), 1e-9);
      }
    }
  }
}

TEST(InverseKinematics, OutOfReachIsSaidWhereItIsCertain) {
  // two metres of links: beyond is certain; the hole in the middle of unequal links is not seen by lengths
  Arm arm = Arm::of(
      "linkwright: 1\nname: pair\nlinks:\n"
      "  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
      "  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [1.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, "
      "1]}}\n"
      "  - {name: tip, parent: b, joint: {type: fixed, origin: {xyz: [0.5, 0, 0]}}}\n");
  const auto solve = [&](double x) {
    return inverse_kinematics(arm.model, arm.tip(), {{Mat3<double>::identity(), {x, 0, 0}}, true}, arm.model.home);
  };
  EXPECT_TRUE(solve(2.001).out_of_reach);
  EXPECT_FALSE(solve(1.999).out_of_reach);
  EXPECT_EQ(solve(1.999).solutions.size(), 2u);
  EXPECT_FALSE(solve(0.9).out_of_reach);
  EXPECT_TRUE(solve(0.9).solutions.empty());
  // where both branches meet there is one, to the last digit
  for (const double x : {1.0, 2.0}) {
    const IkResult border = solve(x);
    ASSERT_EQ(border.solutions.size(), 1u) << x;
    EXPECT_LE(border.solutions[0].position_error, 1e-14);
    EXPECT_NEAR(std::remainder(border.solutions[0].q[1], M_PI), 0.0, 1e-7);
  }
  // a closed form knows of holes
  Arm puma("puma560");
  const Transform<double> hole{Mat3<double>::identity(), {0.05, 0, 0}};
  EXPECT_TRUE(inverse_kinematics(puma.model, puma.tip(), {hole}, puma.model.home).out_of_reach);
}

TEST(InverseKinematics, WhereFreedomIsLeftTheNearestIsGiven) {
  // three links of half a metre in a plane, positions only: q1 tells q2 and q3 but for the elbow's sign, so that a scan
  // of q1 finds the nearest
  Arm arm = Arm::of(
      "linkwright: 1\nname: three\nlinks:\n"
      "  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
      "  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, "
      "1]}}\n"
      "  - {name: c, parent: b, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, "
      "1]}}\n"
      "  - {name: tip, parent: c, joint: {type: fixed, origin: {xyz: [0.5, 0, 0]}}}\n");
  Random random(31);
  for (int trial = 0; trial < 50; ++trial) {
    const double x = random.between(-0.9, 0.9), y = random.between(-0.9, 0.9);
    const std::vector<double> start{random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)};
    double nearest = HUGE_VAL;
    for (int k = 0; k < 20000; ++k) {
      const double q1 = start[0] + M_PI * (k / 10000.0 - 1.0), u = x - 0.5 * std::cos(q1), v = y - 0.5 * std::sin(q1);
      const double half = std::hypot(u, v);  // of the two links of 0.5 each
      if (half > 1.0) continue;
      for (const double sign : {1.0, -1.0}) {
        const double bend = sign * 2.0 * std::acos(half), q2 = std::atan2(v, u) - bend / 2.0 - q1;
        nearest = std::min(nearest, std::hypot(q1 - start[0], std::remainder(q2 - start[1], 2.0 * M_PI),
                                               std::remainder(bend - start[2], 2.0 * M_PI)));
      }
    }
    const IkResult result =
        inverse_kinematics(arm.model, arm.tip(), {{Mat3<double>::identity(), {x, y, 0}}, true}, start);
    ASSERT_EQ(result.solutions.size(), 1u);
    EXPECT_EQ(result.freedom, 1);
    const std::vector<double>& q = result.solutions[0].q;
    const double found = std::hypot(q[0] - start[0], q[1] - start[1], q[2] - start[2]);
    EXPECT_NEAR(found, nearest, 1e-3) << trial;
  }
}

TEST(InverseKinematics, NumericalMethodFindsAWayFromHome) {
  for (const char* name : {"ur5", "arm6", "arm7"}) {
    Arm arm(name);
    IkOptions options;
    options.limits = coordinate_limits(arm.mechanism, arm.model);
    Random random(17);
    int found = 0;
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> q;
      for (std::size_t k = 0; k < options.limits->lower.size(); ++k) {
        q.push_back(
            random.between(std::max(options.limits->lower[k], -M_PI), std::min(options.limits->upper[k], M_PI)));
      }
      const IkResult result = inverse_kinematics(arm.model, arm.tip(), {arm.pose(q)}, arm.model.home, options);
      found += !result.solutions.empty();
      for (const IkSolution& s : result.solutions) EXPECT_TRUE(options.limits->contain(s.q, 1e-11));
    }
    EXPECT_EQ(found, 200) << name;
  }
}

TEST(InverseKinematics, RedundancyIsCounted) {
  Arm arm("arm7");
  Random random(5);
  const IkResult pose = inverse_kinematics(arm.model, arm.tip(), {arm.pose(arm.random_q(random))}, arm.model.home);
  EXPECT_EQ(pose.freedom, 1);
  EXPECT_EQ(pose.solutions.size(), 1u);
  Arm ur("ur5");
  const Transform<double> target = ur.pose({0.3, -1.0, 1.2, -0.4, 0.9, 0.2});
  const IkResult six = inverse_kinematics(ur.model, ur.tip(), {target}, ur.model.home);
  EXPECT_EQ(six.freedom, 0);
  EXPECT_GE(six.solutions.size(), 4u);  // a UR has up to eight
  EXPECT_LE(six.solutions.size(), 8u);
  const std::vector<double> first = six.solutions[0].q;
  EXPECT_EQ(inverse_kinematics(ur.model, ur.tip(), {target}, ur.model.home).solutions[0].q,
            first);  // the same bits again
}

}  // namespace inverse_kinematics_test
}  // namespace lw
