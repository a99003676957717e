// Motions that were once wrong without a word, each against a value from outside: closed forms, the one-freedom
// equation of a benchmark, or the maximal-coordinate program of tests/oracles, which shares nothing with the library
// (its convergence: 3e-13).
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "dynamics/loops/dynamics.hpp"
#include "dynamics/loops/loop_plan.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "simulate/run/run.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace trusted_motion_test {

using Coordinates = DrivenOptions::Coordinates;

RunResult moved(const Mechanism& m, double speed, double duration, bool redundant,
                const std::string& integrator = "dormand-prince", double step = 0.0) {
  Scenario s = free_motion(with_drivers(instantiate<double>(m)));
  s.qd[0] = speed;
  s.redundant = redundant;
  s.integrator = integrator;
  s.options.step = step;
  ScenarioDriven scene(m, s, DrivenOptions::Way::reference);
  const auto steps = make_integrator(s.integrator, s.options);
  const RunResult r = run(scene, *steps, s, {duration, duration / 20.0, {}, {}});
  EXPECT_EQ(r.end, RunResult::End::duration) << r.ended_by;
  return r;
}

const char* const kSliderCrank = R"(name: sc
gravity: [0, 0, 0]
links:
  - {name: crank, parent: base, joint: {name: A, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}}
  - {name: rod, parent: crank, joint: {name: B, type: revolute, axis: z, origin: {xyz: [0.1, 0, 0]}}, inertia: {mass: 0.2, com: [0.15, 0, 0], tensor: [0.001, 0.001, 0.001]}}
  - {name: piston, parent: base, joint: {name: P, type: prismatic, axis: x}, inertia: {mass: 0.3}, friction: {coulomb: 2}}
loops:
  - {name: pin, joint: {type: revolute, axis: z}, between: [rod, piston], at: {rod: {xyz: [0.3, 0, 0]}}}
home: {A: 1, B: -1.3, P: 0.34}
)";

// The slider turns round at both dead centres while the crank turns on: friction takes force times way there as
// everywhere. The values: its energy in closed form over the crank angle, and the time by quadrature, as in
// tests/oracles/field/slider_crank.py.
TEST(TrustedMotion, FrictionOfASliderDoesNotStopItsCrankAtDeadCentres) {
  for (const bool redundant : {false, true}) {
    for (const char* integrator : {"dormand-prince", "verner"}) {
      const RunResult r = moved(mechanism_of(kSliderCrank), 20.0, 2.0, redundant, integrator);
      EXPECT_NEAR(r.final.q[0], /* oracle: field_motions.py slider-crank-coulomb@2.0[0] */ 38.90235579151448, 1e-8);
      EXPECT_NEAR(r.final.v[0], /* oracle: field_motions.py slider-crank-coulomb@2.0[3] */ 17.499458935868244, 1e-8);
      EXPECT_LT(r.energy_residual, 1e-9);
    }
  }
}

const char* const kCrankRocker = R"(name: lf
gravity: [0, -9.81, 0]
links:
  - {name: crank, parent: base, joint: {name: A, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.01, 0.01], about: com}}
  - {name: rod, parent: crank, joint: {name: B, type: revolute, axis: z, origin: {xyz: [0.2, 0, 0]}}, inertia: {mass: 2, com: [0.3, 0.05, 0], tensor: [0.1, 0.1, 0.1]}}
  - {name: rocker, parent: base, joint: {name: C, type: revolute, axis: z, origin: {xyz: [0.7, 0, 0]}}, friction: {coulomb: 0.7, viscous: 0.05}, inertia: {mass: 1.5, com: [0.2, 0, 0], tensor: [0.05, 0.05, 0.05]}}
loops:
  - {name: D, joint: {type: revolute, axis: z}, between: [rod, rocker], at: {rod: {xyz: [0.6, 0, 0]}, rocker: {xyz: [0.4, 0, 0]}}}
home: {A: 1.0, B: -0.6, C: 1.9}
)";

// 23 changes of friction in 6 s. Where the crank's centre of mass is then, by the oracle.
TEST(TrustedMotion, OfACrankRockerWithDryFrictionIsThatOfTheOracle) {
  // oracle: four_bars.py crank-rocker
  const std::array<double, 2> com{0.04203698724421135, -0.0907352836741583};
  for (const bool redundant : {false, true}) {
    const RunResult r = moved(mechanism_of(kCrankRocker), 6.0, 6.0, redundant);
    EXPECT_NEAR(0.1 * std::cos(r.final.q[0]), com[0], 1e-9);
    EXPECT_NEAR(0.1 * std::sin(r.final.q[0]), com[1], 1e-9);
    EXPECT_LT(r.energy_residual, 1e-9);
  }
}

// Three joints with dry friction around one freedom, from rest: 18 changes of friction in 2 s; angle and rate of the
// crank by the oracle.
TEST(TrustedMotion, OfAFourBarWhoseJointsAllRubIsThatOfTheOracle) {
  std::string text = R"yaml(name: four-bar
gravity: [0, -9.81, 0]
parameters: {a: 0.12, b: 0.36, c: 0.28, f: 0.4, rho: 2.5, x1: a/2, z1: a*sqrt(3)/2, s: "sqrt((f-x1)^2 + z1^2)", w: "atan2(-z1, f-x1) + acos((b^2 + s^2 - c^2)/(2*b*s))"}
links:
  - {name: crank, parent: base, joint: {type: revolute, axis: z, actuated: true}, friction: {coulomb: 0.05}, inertia: {mass: rho*a, com: [a/2, 0, 0], tensor: [0, rho*a^3/12, rho*a^3/12]}}
  - {name: coupler, parent: crank, joint: {type: revolute, axis: z, origin: {xyz: [a, 0, 0]}}, friction: {coulomb: 0.05}, inertia: {mass: rho*b, com: [b/2, 0, 0], tensor: [0, rho*b^3/12, rho*b^3/12]}}
  - {name: rocker, parent: base, joint: {type: revolute, axis: z, origin: {xyz: [f, 0, 0]}}, friction: {coulomb: 0.05}, inertia: {mass: rho*c, com: [c/2, 0, 0], tensor: [0, rho*c^3/12, rho*c^3/12]}}
loops:
  - {name: closure, joint: {type: revolute, axis: z}, between: [coupler, rocker], at: {coupler: {xyz: [b, 0, 0]}, rocker: {xyz: [c, 0, 0]}}}
home: {crank: 60 deg, coupler: w - 60 deg, rocker: "atan2(z1 + b*sin(w), x1 + b*cos(w) - f)"}
)yaml";
  const double crank = /* oracle: four_bars.py rubbing.crank */ -2.5653117395159297;
  const double rate = /* oracle: four_bars.py rubbing.rate */ -8.772295264794685;
  for (const bool redundant : {false, true}) {
    const RunResult r = moved(mechanism_of(text), 0.0, 2.0, redundant);
    EXPECT_NEAR(std::remainder(r.final.q[0] - crank, 2.0 * M_PI), 0.0, 1e-9);
    EXPECT_NEAR(r.final.v[0], rate, 1e-7);
    EXPECT_LT(r.energy_residual, 1e-9);
  }
}

std::string crank_rocker_with_bearing() {
  std::string text = kCrankRocker;
  const std::string inertia = "inertia: {mass: 2,";
  text.insert(text.find(inertia), "friction: {bearing: {type: journal, mu: 0.1, radius: 0.02, spacing: 0.05}}, ");
  return text;
}

// A bearing that the loop's forces load, among them what rubs in the other joints: 11 changes of friction in 3 s.
// Angles and rates by tests/oracles/journal_bearing.py ("actual"; its two runs differ by 6e-13).
TEST(TrustedMotion, OfALoadedBearingInALoopIsThatOfTheOracle) {
  const std::string text = crank_rocker_with_bearing();
  // oracle: four_bars.py bearing.q
  const std::vector<double> q{5.514582199374338, -4.5753131734462285, 2.100168496817745};
  // oracle: four_bars.py bearing.qd
  const std::vector<double> qd{2.807739872009703, -3.082697972807279, -1.5163095248300917};
  for (const bool redundant : {false, true}) {
    const RunResult r = moved(mechanism_of(text), 6.0, 3.0, redundant, redundant ? "verner" : "dormand-prince");
    EXPECT_LT(r.energy_residual, 1e-9);
    EXPECT_LT(largest_difference(r.final.q, q), 1e-8);
    EXPECT_LT(largest_difference(r.final.v, qd), 1e-7);
  }
}

// The same motion where the rocker is called actuated, though no motor acts: it passes the rocker's dead centres, where
// the torque of the rocker could not make what the bearing takes.
TEST(TrustedMotion, OfALoadedBearingDoesNotDependOnWhichJointIsActuated) {
  const Mechanism by_crank = mechanism_of(crank_rocker_with_bearing());
  Dynamics start(instantiate<double>(by_crank));
  start.move(std::vector<double>{6.0});
  std::string text = crank_rocker_with_bearing();
  const std::string driven = ", actuated: true", rocker = "name: C, type: revolute, axis: z";
  text.erase(text.find(driven), driven.size());
  text.insert(text.find(rocker) + rocker.size(), driven);
  const Mechanism by_rocker = mechanism_of(text);
  Scenario s = free_motion(with_drivers(instantiate<double>(by_rocker)));
  s.q = start.q();
  s.at_home.assign(s.q.size(), false);
  s.qd[2] = start.work().qd[2];
  s.redundant = true;
  ScenarioDriven scene(by_rocker, s, DrivenOptions::Way::reference);
  const auto steps = make_integrator(s.integrator, s.options);
  const RunResult r = run(scene, *steps, s, {3.0, 0.15, {}, {}});
  ASSERT_EQ(r.end, RunResult::End::duration) << r.ended_by;
  EXPECT_LT(r.energy_residual, 1e-9);
  EXPECT_LT(
      largest_difference(r.final.q, std::vector<double>{5.514582199374338, -4.5753131734462285, 2.100168496817745}),
      1e-8);
}

// N windows of bars of 1 m and 1 kg (IFToMM benchmark A02).
std::string windows(int n) {
  std::string links =
                  "  - {name: v0, parent: base, joint: {name: A0, type: revolute, axis: z, actuated: true}, inertia: "
                  "{mass: 1, com: [0, 0.5, 0], tensor: [1/12, 0, 1/12]}}\n",
              loops;
  for (int k = 1; k <= n; ++k) {
    links += fmt::format(
        "  - {{name: h{0}, parent: v{1}, joint: {{name: H{0}, type: revolute, axis: z, origin: {{xyz: [0, {2}, 0]}}}}, "
        "inertia: {{mass: 1, com: [0.5, 0, 0], tensor: [0, 1/12, 1/12]}}}}\n"
        "  - {{name: v{0}, parent: h{0}, joint: {{name: B{0}, type: revolute, axis: z, origin: {{xyz: [1, 0, 0]}}}}, "
        "inertia: {{mass: 1, com: [0, -0.5, 0], tensor: [1/12, 0, 1/12]}}}}\n",
        k, k - 1, k == 1 ? 1 : 0);
    loops += fmt::format(
        "  - {{name: L{0}, joint: {{type: revolute, axis: z}}, between: [base, v{0}], at: {{base: {{xyz: [{0}, 0, "
        "0]}}, v{0}: {{xyz: [0, -1, 0]}}}}}}\n",
        k);
  }
  return fmt::format("name: windows{}\ngravity: [0, -9.81, 0]\nlinks:\n{}loops:\n{}", n, links, loops);
}
// All bars turn together: Hi = −A0, Bi = A0; energy cannot see a bar that leaves its branch.
void expect_windows(const MotionState& s, double angle, double tolerance) {
  for (std::size_t k = 0; k < s.q.size(); ++k) EXPECT_NEAR(s.q[k], k % 2 == 0 ? angle : -angle, tolerance) << k;
}

// Ten times through the pose in which every window is stretched flat. Values: elliptic integral of the one-freedom
// motion.
TEST(TrustedMotion, OfWindowsStaysOnItsBranchInEveryCoordinatesAndByEveryIntegrator) {
  struct Case {
    const char* integrator;
    double step, tolerance;
  };
  for (const Case& c : {Case{"dormand-prince", 0.0, 1e-8},
                        {"verner", 0.0, 1e-8},
                        {"rk4", 1e-3, 1e-8},
                        {"gill", 1e-3, 1e-8},
                        {"cvode", 0.0, 1e-6},
                        {"implicit-midpoint", 1e-3, 1e-2}}) {  // of second order
    for (const bool redundant : {false, true}) {
      expect_windows(moved(mechanism_of(windows(2)), -1.0, 10.0, redundant, c.integrator, c.step).final,
                     /* oracle: field_motions.py A02-2@10.0[0] */ -31.750597186986102, c.tolerance);
    }
  }
  expect_windows(moved(mechanism_of(windows(10)), -1.0, 10.0, true).final,
                 /* oracle: field_motions.py A02-10@10.0[0] */ -31.621729822781873, 1e-8);
}

// The same with steps that end on the pose, or next to it, and begin anew there.
TEST(TrustedMotion, MayStopAndGoOnAtThePoseItself) {
  constexpr double kFirst = 0.71435552929296;  // s, of two windows
  for (const double aside : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
    for (const double side : {-1.0, 1.0}) {
      Driven system(mechanism_of(windows(2)), {}, {.coordinates = Coordinates::redundant});
      MotionState s = system.home();
      s.v[0] = -1.0;
      system.assemble(s);
      const auto steps = make_integrator("dormand-prince", {});
      while (s.t < kFirst + side * aside) advance(*steps, system, s, kFirst + side * aside);
      SCOPED_TRACE(fmt::format("{} s aside", side * aside));
      steps->restart();  // nothing is remembered of how it came here
      while (s.t < 10.0) advance(*steps, system, s, 10.0);
      expect_windows(s, /* oracle: field_motions.py A02-2@10.0[0] */ -31.750597186986102, 1e-8);
    }
  }
}

TEST(TrustedMotion, WithoutSpeedAtThePoseIsUndecidedAndSaysSo) {
  const Mechanism m = mechanism_of(windows(2));
  Scenario s = free_motion(with_drivers(instantiate<double>(m)));
  s.q = {-M_PI / 2, M_PI / 2, -M_PI / 2, M_PI / 2, -M_PI / 2};
  for (const bool redundant : {false, true}) {
    s.redundant = redundant;
    ScenarioDriven scene(m, s, DrivenOptions::Way::reference);
    const auto steps = make_integrator(s.integrator, s.options);
    const RunResult r = run(scene, *steps, s, {1.0, 0.1, {}, {}});
    EXPECT_EQ(r.end, RunResult::End::failed);
    ASSERT_EQ(r.events.size(), 1u) << r.ended_by;
    EXPECT_EQ(r.events[0].name, "branch point");
    for (const char* part : {"`L1`, `L2`", "rank of 2"})
      EXPECT_NE(r.ended_by.find(part), std::string::npos) << r.ended_by;
  }
}

// A coupler between two ball joints turns about its own line by itself.
TEST(TrustedMotion, OfALinkBetweenTwoBallsHasItsSpin) {
  const Mechanism m = mechanism_of(R"(name: rssr
gravity: [1, -2, -9.81]
links:
  - {name: crank, parent: base, joint: {name: c, type: revolute, axis: z, actuated: true}, inertia: {mass: 2, com: [0.15, 0, 0], tensor: [0.001, 0.02, 0.02]}}
  - {name: coupler, parent: crank, joint: {name: k, type: spherical, origin: {xyz: [0.3, 0, 0]}}, inertia: {mass: 1, com: [0.35, 0.1, 0.4], tensor: [0.1, 0.12, 0.11]}}
  - {name: rocker, parent: base, joint: {name: r, type: revolute, axis: x, origin: {xyz: [1, 0.2, 0]}}, inertia: {mass: 1.5, com: [0, 0, 0.4], tensor: [0.08, 0.08, 0.001]}}
loops:
  - {name: loop, joint: {type: spherical}, between: [coupler, rocker], at: {coupler: {xyz: [0.7, 0.2, 0.8]}, rocker: {xyz: [0, 0, 0.8]}}}
)");
  const RunResult a = moved(m, 3.0, 1.0, false), b = moved(m, 3.0, 1.0, true, "verner");
  EXPECT_LT(a.energy_residual, 1e-10);
  EXPECT_LT(largest_difference(a.final.q, b.final.q), 1e-8);
  // it has begun to spin: gravity acts beside the line of the balls
  EXPECT_GT(std::abs(a.final.v[1]) + std::abs(a.final.v[2]) + std::abs(a.final.v[3]), 0.1);
}

}  // namespace trusted_motion_test
}  // namespace lw
