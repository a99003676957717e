// Inverse kinematics: closed forms against the forward road on every branch, the numerical road on everything else.
#include "dynamics/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <cmath>

#include "base/worse.hpp"
#include "dynamics/closed_form_arm.hpp"
#include "dynamics/kinematics.hpp"
#include "model/placement.hpp"
#include "model/random_state.hpp"
#include "model/read.hpp"
#include "model/rotation_vector.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace {

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

TEST(ClosedForm, ThreeJointsOnAllFourBranches) {
  for (const char* name : {"puma560", "stanford"}) {
    Arm arm(name);
    // the wrist's centre on link 3, placed by the first three joints
    const Transform<double> centre = arm.pose(arm.model.home, arm.model.frame_index("link4"));
    Mechanism m = arm.mechanism;
    m.links.resize(3);
    m.home.clear();
    Link tip{.name = "tip", .parent = "link3", .joint = {}, .inertia = {}, .visuals = {}, .where = {}};
    tip.joint.name = "tip";
    const Transform<double> X = arm.pose(arm.model.home, arm.model.frame_index("link3")).inverse() * centre;
    for (int k = 0; k < 3; ++k) tip.joint.origin.xyz[static_cast<std::size_t>(k)] = X.p[k];
    m.links.push_back(tip);
    expect_all_branches(Arm(m), 4, true);
  }
}

TEST(ClosedForm, BranchesAgreeWithTheNumericalRoad) {
  for (const char* name : {"puma560", "stanford"}) {
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
  for (const double bend : {1e-3, 1e-6, 1e-9, 1e-12, M_PI - 1e-7}) {
    const std::vector<double> bent{0.3, -0.7, 1.9, 0.4, bend, 0.5};
    const IkResult near = inverse_kinematics(arm.model, arm.tip(), {arm.pose(bent)}, start);
    ASSERT_FALSE(near.solutions.empty()) << bend;
    for (const IkSolution& s : near.solutions) EXPECT_LE(apart(arm.pose(s.q), arm.pose(bent)), 1e-14) << bend;
  }
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
  for (const char* name : {"ur5", "arm7", "cat215b", "twu-3r", "quadruped"}) {
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
    left_out += static_cast<std::size_t>(result.beyond_limits);
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
  // from a start near by, so that the road is short: it must arrive
  std::vector<double> start = wanted;
  for (const Body<double>& b : arm.model.bodies) {
    if (b.velocities() == 1 && !b.mimics) start[static_cast<std::size_t>(b.q)] += random.between(-0.05, 0.05);
  }
  const IkResult result = inverse_kinematics(arm.model, frame, {target, position_only}, start);
  RC_ASSERT(!result.solutions.empty());
  for (const IkSolution& s : result.solutions) {
    const Transform<double> back = arm.pose(s.q, frame);
    RC_ASSERT((back.p - target.p).eigen().norm() <= 1e-10);
    if (!position_only) RC_ASSERT(largest(back.R.eigen() - target.R.eigen()) <= 2e-10);
  }
  // joints that do not carry the frame stay where they are
  std::vector<bool> carries(static_cast<std::size_t>(arm.model.nq), false);
  for (int i = arm.model.frames[static_cast<std::size_t>(frame)].body; i >= 0;
       i = arm.model.bodies[static_cast<std::size_t>(i)].parent)
    carries[static_cast<std::size_t>(arm.model.bodies[static_cast<std::size_t>(i)].q)] = true;
  for (const Body<double>& b : arm.model.bodies) {
    const auto k = static_cast<std::size_t>(b.q);
    if (!carries[k]) RC_ASSERT(std::abs(result.solutions[0].q[k] - start[k]) <= 1e-14);
  }
}

TEST(InverseKinematics, NumericalRoadFindsAWayFromHome) {
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

}  // namespace
}  // namespace lw
