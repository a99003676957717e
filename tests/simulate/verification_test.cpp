// What `verify` finds: nothing in the library's algorithms, and whatever is wrong where they are replaced by wrong
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/read/read.hpp"
#include "simulate/run/verification.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace verification_test {

using Verdict = VerificationCheck::Verdict;

std::string failures(const VerificationReport& r) {
  std::string list;
  for (const VerificationCheck& c : r.checks) {
    if (c.verdict == Verdict::failed) list += c.name + " (" + c.note + ")\n";
  }
  return list;
}

VerificationOptions quick() {
  VerificationOptions o;
  o.states = 10;
  o.duration = 0.2;
  o.compiled = false;
  return o;
}

TEST(Verification, FindsNothingWrongWithModelsOfEveryKindOfJoint) {
  for (const char* name : {"double-pendulum", "puma560", "stanford", "quadruped", "puma560-dhanaraj"}) {
    const VerificationReport r = verify_mechanism(load(name), quick());
    EXPECT_TRUE(r.passed()) << name << "\n" << failures(r);
    EXPECT_GE(std::ranges::count(r.checks, Verdict::passed, &VerificationCheck::verdict), 12) << name;
  }
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const VerificationReport r =
        verify_mechanism(random_mechanism(seed, {.joints = 4, .drives = true, .springs = true}), quick());
    EXPECT_TRUE(r.passed()) << seed << "\n" << failures(r);
  }
}

// A number without its unit, and a limit without its reason, say little.
TEST(Verification, EveryNumberHasAUnitAndItsLimitAReason) {
  for (const char* name : {"double-pendulum", "puma560", "four-bar"}) {
    int measured = 0;
    for (const VerificationCheck& c : verify_mechanism(load(name), quick()).checks) {
      if (c.verdict == Verdict::skipped) continue;
      ++measured;
      EXPECT_FALSE(c.unit.empty() || c.why.empty()) << name << ": " << c.name;
    }
    EXPECT_GE(measured, 10) << name;
  }
}

TEST(Verification, MeasuresTheOrders) {
  const VerificationReport r = verify_mechanism(load("double-pendulum"), quick());
  ASSERT_EQ(r.convergence.size(), 6u);
  for (const ConvergenceCurve& c : r.convergence) {
    EXPECT_GT(c.measured, c.nominal - 0.3) << c.integrator;
    EXPECT_LT(c.measured, c.nominal + 1.0) << c.integrator;
  }
}

// Gravity forgotten, a Coriolis term halved, accelerations off by a millionth: each is seen, by name.
TEST(Verification, SeesWhatIsWrong) {
  const Mechanism puma = load("puma560");
  const auto failed = [&](const VerificationOptions& o, const std::string& name) {
    for (const VerificationCheck& c : verify_mechanism(puma, o).checks) {
      if (c.name.find(name) != std::string::npos && c.verdict == Verdict::failed) return true;
    }
    return false;
  };
  VerificationOptions weightless = quick();
  weightless.methods.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd,
                                  auto tau) {
    Model<double> without = model;
    without.gravity = Vec3<double>::zero();
    rnea<double>(without, work, q, qd, qdd, tau);
  };
  EXPECT_TRUE(failed(weightless, "inverse dynamics by ness"));
  EXPECT_TRUE(failed(weightless, "put back"));

  VerificationOptions slow = quick();
  slow.methods.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd, auto tau) {
    std::vector<double> half(qd.begin(), qd.end());
    half[1] *= 0.999;
    rnea<double>(model, work, q, half, qdd, tau);
  };
  EXPECT_TRUE(failed(slow, "inverse dynamics by ness"));
  EXPECT_FALSE(failed(slow, "mass matrix"));  // of which this is not seen

  VerificationOptions quick_forward = quick();
  quick_forward.methods.forward = [](const Model<double>& model, const LoopPlan&, PlantWorkspace<double>& work, auto q,
                                     auto qd, auto tau, auto qdd) {
    aba<double>(model, work.tree, q, qd, tau, qdd);
    qdd[2] *= 1.0 + 1e-6;
  };
  EXPECT_TRUE(failed(quick_forward, "put back"));
  EXPECT_TRUE(failed(quick_forward, "power"));
  EXPECT_TRUE(failed(quick_forward, "by the mass matrix"));

  // one number of six that is none, beside five that are right
  VerificationOptions broken = quick();
  broken.methods.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd,
                              auto tau) {
    rnea<double>(model, work, q, qd, qdd, tau);
    tau[5] = std::nan("");
  };
  for (const char* check : {"inverse dynamics by ness", "mass matrix", "put back"})
    EXPECT_TRUE(failed(broken, check)) << check;
}

// A chain so lively that steps of a sixteenth of a second blow up: its steps follow it.
TEST(Verification, StepsFollowTheMechanism) {
  const VerificationReport r = verify_mechanism(load("chain-20"), quick());
  EXPECT_TRUE(r.passed()) << failures(r);
  ASSERT_EQ(r.convergence.size(), 6u);
  for (const ConvergenceCurve& c : r.convergence) {
    EXPECT_GT(c.measured, c.nominal - 0.3) << c.integrator;
    EXPECT_LT(c.step.front(), 0.05);
  }
}

// Nothing moves by gravity, and no velocity changes an acceleration: derivatives are zero, and zero is right.
TEST(Verification, AWheelWithoutForcesIsFine) {
  const ReadResult wheel = read_text(
      "linkwright: 1\nname: wheel\nlinks: [{name: wheel, parent: base, joint: {type: revolute, axis: z}, "
      "inertia: {mass: 1, tensor: [0.3, 0.3, 0.5]}}]\n",
      "wheel.yaml");
  const VerificationReport r = verify_mechanism(*wheel.mechanism, quick());
  EXPECT_TRUE(r.passed()) << failures(r);
}

Mechanism mechanism_of(const char* text) { return *read_text(text, "test.yaml").mechanism; }

const VerificationCheck* check_of(const VerificationReport& r, const std::string& name) {
  for (const VerificationCheck& c : r.checks) {
    if (c.name.find(name) != std::string::npos) return &c;
  }
  return nullptr;
}

// Three axes through a point, two rings without mass: near lock the mass matrix is next to singular, and nobody knows
// derivatives to 1e-10.
TEST(Verification, AGimbalNextToLockIsFine) {
  VerificationOptions options;
  options.compiled = false;
  const VerificationReport r = verify_mechanism(mechanism_of(R"(linkwright: 1
name: gim
links:
  - {name: i1, parent: base, joint: {name: x, type: revolute, axis: x}}
  - {name: i2, parent: i1, joint: {name: y, type: revolute, axis: y}}
  - {name: body, parent: i2, joint: {name: z, type: revolute, axis: z}, inertia: {mass: 2, com: [0.1, 0.2, 0.3], tensor: [0.3, 0.2, 0.25]}}
)"),
                                                options);
  EXPECT_TRUE(r.passed()) << failures(r);
  const VerificationCheck* c = check_of(r, "∂q̈/∂q,");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->verdict, Verdict::passed);
  EXPECT_GT(c->worst, 0.0);
}

// A wrist of a tenth of a gram square centimetre on long limbs: what shakes the arm spins it. No run of 20000 steps
// comes to its end.
TEST(Verification, ARunThatDoesNotEndIsSkippedWithAReason) {
  VerificationOptions options;
  options.compiled = false;
  options.states = 10;
  const VerificationReport r = verify_mechanism(mechanism_of(R"(linkwright: 1
name: light-arm
gravity: [0, 0, -9.81]
links:
  - {name: l1, parent: base, joint: {name: j1, type: revolute, axis: z, origin: {xyz: [0, 0, 0.16]}}, inertia: {mass: 1.4, com: [0, -0.01, -0.07], tensor: [0.005, 0.0046, 0.0015], about: com}}
  - {name: l2, parent: l1, joint: {name: j2, type: revolute, axis: y, origin: {xyz: [0, 0, 0.13]}}, inertia: {mass: 1.2, com: [0, 0, 0.2], tensor: [0.011, 0.011, 0.001], about: com}}
  - {name: l3, parent: l2, joint: {name: j3, type: revolute, axis: z, origin: {xyz: [0, 0, 0.42]}}, inertia: {mass: 1.2, com: [0, -0.007, 0.1], tensor: [0.01, 0.01, 0.001], about: com}}
  - {name: l4, parent: l3, joint: {name: j4, type: revolute, axis: y, origin: {xyz: [0, 0, 0.41]}}, inertia: {mass: 0.93, com: [0, 0, 0.1], tensor: [0.0083, 0.0083, 0.0006], about: com}}
  - {name: l5, parent: l4, joint: {name: j5, type: revolute, axis: z, origin: {xyz: [0, 0, 0.31]}}, inertia: {mass: 0.4, com: [0.0002, 0, 0.0002], tensor: [1e-7, 1e-7, 1e-7], about: com}}
  - {name: l6, parent: l5, joint: {name: j6, type: revolute, axis: y}, inertia: {mass: 0.4, com: [0.0002, 0, 0.0002], tensor: [1e-7, 1e-7, 1e-7], about: com}}
  - {name: l7, parent: l6, joint: {name: j7, type: revolute, axis: z}, inertia: {mass: 0.2, com: [0.0002, 0.0001, 0.0002], tensor: [1e-7, 1e-7, 1e-7], about: com}}
)"),
                                                options);
  EXPECT_TRUE(r.passed()) << failures(r);
  const VerificationCheck* c = check_of(r, "torques back from the motion");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->verdict, Verdict::skipped);
  EXPECT_NE(c->note.find("after 20000 steps it has come to t = "), std::string::npos) << c->note;
}

// Arms and rods of equal length: when the balls hang straight down everything lies on one line. The motion goes through
// it.
constexpr const char* kGovernor = R"(linkwright: 1
name: governor
gravity: [0, 0, -9.81]
links:
  - {name: spindle, parent: base, joint: {name: turn, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, tensor: [0.01, 0.01, 0.01]}}
  - {name: arm1, parent: spindle, joint: {name: a1, type: revolute, axis: y, origin: {xyz: [0.02, 0, 0.5]}}, inertia: {mass: 1, com: [0, 0, -0.3], tensor: [0.03, 0.03, 0.001], about: com}}
  - {name: arm2, parent: spindle, joint: {name: a2, type: revolute, axis: y, origin: {xyz: [-0.02, 0, 0.5]}}, inertia: {mass: 1, com: [0, 0, -0.3], tensor: [0.03, 0.03, 0.001], about: com}}
  - {name: rod1, parent: arm1, joint: {name: b1, type: revolute, axis: y, origin: {xyz: [0, 0, -0.2]}}, inertia: {mass: 0.1, com: [0, 0, -0.1], tensor: [0.001, 0.001, 0.0001], about: com}}
  - {name: rod2, parent: arm2, joint: {name: b2, type: revolute, axis: y, origin: {xyz: [0, 0, -0.2]}}, inertia: {mass: 0.1, com: [0, 0, -0.1], tensor: [0.001, 0.001, 0.0001], about: com}}
  - {name: collar, parent: spindle, joint: {name: slide, type: prismatic, axis: z}, inertia: {mass: 0.5, tensor: [0.001, 0.001, 0.001]}}
loops:
  - {name: c1, joint: {type: revolute, axis: y}, between: [rod1, collar], at: {rod1: {xyz: [0, 0, -0.2]}, collar: {xyz: [0.02, 0, 0]}}}
  - {name: c2, joint: {type: revolute, axis: y}, between: [rod2, collar], at: {rod2: {xyz: [0, 0, -0.2]}, collar: {xyz: [-0.02, 0, 0]}}}
home: {a1: -0.5, b1: 1.0, a2: 0.5, b2: -1.0, slide: 0.149}
)";

TEST(Verification, AGovernorThatFallsIntoASingularPoseIsFine) {
  VerificationOptions options;
  options.compiled = false;
  const VerificationReport r = verify_mechanism(mechanism_of(kGovernor), options);
  EXPECT_TRUE(r.passed()) << failures(r);
  const VerificationCheck* c = check_of(r, "free motion, redundant coordinates");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->verdict, Verdict::passed) << c->note;
  EXPECT_GE(std::ranges::count(r.checks, Verdict::passed, &VerificationCheck::verdict), 10);
}

}  // namespace verification_test
}  // namespace lw
