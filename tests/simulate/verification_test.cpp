// What `verify` finds: nothing in the library's algorithms, and whatever is wrong where they are replaced by wrong ones.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/aba.hpp"
#include "dynamics/rnea.hpp"
#include "model/read.hpp"
#include "simulate/verification.hpp"
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
    const VerificationReport r = verify_mechanism(random_mechanism(seed, {.joints = 4, .drives = true, .springs = true}), quick());
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
  weightless.roads.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd, auto tau) {
    Model<double> without = model;
    without.gravity = Vec3<double>::zero();
    rnea<double>(without, work, q, qd, qdd, tau);
  };
  EXPECT_TRUE(failed(weightless, "inverse dynamics by ness"));
  EXPECT_TRUE(failed(weightless, "put back"));

  VerificationOptions slow = quick();
  slow.roads.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd, auto tau) {
    std::vector<double> half(qd.begin(), qd.end());
    half[1] *= 0.999;
    rnea<double>(model, work, q, half, qdd, tau);
  };
  EXPECT_TRUE(failed(slow, "inverse dynamics by ness"));
  EXPECT_FALSE(failed(slow, "mass matrix"));  // of which this is not seen

  VerificationOptions quick_forward = quick();
  quick_forward.roads.forward = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto tau, auto qdd) {
    aba<double>(model, work, q, qd, tau, qdd);
    qdd[2] *= 1.0 + 1e-6;
  };
  EXPECT_TRUE(failed(quick_forward, "put back"));
  EXPECT_TRUE(failed(quick_forward, "power"));
  EXPECT_TRUE(failed(quick_forward, "by the mass matrix"));

  // one number of six that is none, beside five that are right
  VerificationOptions broken = quick();
  broken.roads.inverse = [](const Model<double>& model, Workspace<double>& work, auto q, auto qd, auto qdd, auto tau) {
    rnea<double>(model, work, q, qd, qdd, tau);
    tau[5] = std::nan("");
  };
  for (const char* check : {"inverse dynamics by ness", "mass matrix", "put back"}) EXPECT_TRUE(failed(broken, check)) << check;
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
  const ReadResult wheel = read_text("linkwright: 1\nname: wheel\nlinks: [{name: wheel, parent: base, joint: {type: revolute, axis: z}, "
                                     "inertia: {mass: 1, tensor: [0.3, 0.3, 0.5]}}]\n",
                                     "wheel.yaml");
  const VerificationReport r = verify_mechanism(*wheel.mechanism, quick());
  EXPECT_TRUE(r.passed()) << failures(r);
}

}  // namespace verification_test
}  // namespace lw
