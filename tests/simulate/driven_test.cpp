// Mechanisms driven by torques: ways of computing agree, work and losses balance, dry friction sticks and breaks loose,
// many lanes are as one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "model/read/read.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/motion/driven.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "simulate/run/batch_run.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace driven_test {

using Way = DrivenOptions::Way;

void sway(double t, std::span<const double>, std::span<const double> v, std::span<double> tau) {
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = 3.0 * std::cos(2.0 * t + static_cast<double>(k)) - 0.2 * v[k];
}

// Springs, stops, a damper, a force that changes with time, gradual friction, a ball joint and a slide.
const char* const kEverything = R"(name: everything
links:
  - name: ball
    parent: base
    joint: {type: spherical}
    inertia: {mass: 2, com: [0.02, 0.01, -0.15], tensor: [0.03, 0.02, 0.01]}
  - name: boom
    parent: ball
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0, -0.3]}, limits: {lower: -0.2, upper: 0.2, stiffness: 300, damping: 2}}
    friction: {viscous: 0.1, coulomb: 0.2, width: 0.1}
    inertia: {mass: 0.5, com: [0.1, 0, -0.05], tensor: [0.001, 0.002, 0.002]}
  - name: slide
    parent: boom
    joint: {type: prismatic, axis: x, origin: {xyz: [0.1, 0, 0]}}
    spring: {stiffness: 80, rest: 0.1}
    damper: 0.5
    inertia: {mass: 0.4, tensor: [0.001, 0.001, 0.001]}
springs:
  - {name: cord, between: [base, slide], at: {base: [0.3, 0, 0], slide: [0, 0, 0]}, stiffness: 20, rest: 0.2, damping: 0.4}
forces:
  - {link: slide, at: [0, 0, 0.1], force: [2 * sin(3 * t), 0.5, 1]}
)";

TEST(Driven, WorkAndLossesBalanceTheEnergyInEveryWay) {
  MotionState first;
  for (const Way way : {Way::reference, Way::interpreted, Way::compiled}) {
    Driven system(mechanism_of(kEverything), sway, {.way = way});
    if (system.way() != way) continue;
    EXPECT_TRUE(system.has_losses());
    EXPECT_FALSE(system.is_dry());
    MotionState state = system.home();
    for (std::size_t k = 0; k < state.v.size(); ++k) state.v[k] = 0.5 + 0.2 * static_cast<double>(k);
    EnergyBalance balance(system, state);
    // laws with corners: steps that follow their errors meet them, each way at its own last bits; so small ones
    const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-12, .atol = 1e-12});
    while (state.t < 1.0) {
      advance(*integrator, system, state, 1.0);
      balance.look(state);
    }
    const double worst = balance.residual();
    std::printf("%d: work %.6g J, lost %.6g J, off by %.1e\n", static_cast<int>(way), state.z[0], state.z[1], worst);
    EXPECT_GT(state.z[1], 0.1);
    EXPECT_LT(worst, 1e-8);
    if (way == Way::reference) {
      first = state;
      continue;
    }
    for (std::size_t k = 0; k < state.q.size(); ++k) EXPECT_NEAR(state.q[k], first.q[k], 1e-8);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(state.z[k], first.z[k], 1e-8);
  }
}

// A tree has one choice of coordinates, whatever is asked for: the same motion in every bit, started and set anew.
TEST(Driven, MotionOfATreeDoesNotDependOnItsCoordinates) {
  const auto run = [](DrivenOptions::Coordinates coordinates) {
    Driven system(mechanism_of(kEverything), sway, {.way = Way::reference, .coordinates = coordinates});
    MotionState state = system.home();
    for (double& v : state.v) v = 0.5;
    system.assemble(state);
    EXPECT_EQ(state.v, std::vector<double>(5, 0.5));
    const auto integrator = make_integrator("rk4", {.step = 1e-2});
    while (state.t < 0.1) advance(*integrator, system, state, 0.1);
    state.v[3] = 0.0;
    system.complete(state);
    EXPECT_EQ(system.opening(state), 0.0);
    integrator->restart();
    while (state.t < 0.2) advance(*integrator, system, state, 0.2);
    return state;
  };
  const MotionState minimal = run(DrivenOptions::Coordinates::minimal),
                    redundant = run(DrivenOptions::Coordinates::redundant);
  EXPECT_EQ(minimal.q, redundant.q);
  EXPECT_EQ(minimal.v, redundant.v);
}

TEST(Driven, FrictionActsUnlessItIsSwitchedOff) {
  const Mechanism m = mechanism_of(kEverything);
  EXPECT_TRUE(Driven(m, {}, {.way = Way::reference}).has_losses());
  EXPECT_FALSE(Driven(m, {}, {.way = Way::reference, .friction = false}).has_losses());
}

// A block on a floor, F = 3 N of dry friction, pushed by a force that grows: it moves from the instant at which that is
// F.
const char* const kBlock = R"(name: block
links:
  - {name: block, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 3}}
)";

TEST(DryFriction, ABlockStopsAndBreaksLooseOnTimeWithEveryIntegrator) {
  // slides with v = 1.2 and stops after m v / F = 0.8 s; 4 t − 2 N reach F at 1.25 s
  for (const std::string& name : integrator_names()) {
    Driven system(mechanism_of(kBlock), [](double t, auto, auto, auto tau) { tau[0] = t > 1.0 ? 4.0 * t - 2.0 : 0.0; });
    ASSERT_TRUE(system.is_dry());
    MotionState state = system.home();
    state.v = {1.2};
    const bool adaptive = is_adaptive(name, {.step = name == "verner" ? 0.01 : 0.0});
    const auto integrator = make_integrator(name, {.step = adaptive ? 0.0 : 0.01, .rtol = 1e-11, .atol = 1e-11});
    std::vector<double> changes;
    EnergyBalance balance(system, state);
    for (const double until : {1.0, 2.0}) {  // the force has a corner at 1
      while (state.t < until) {
        const Advance done = advance(*integrator, system, state, until);
        if (done.friction_changed) changes.push_back(state.t);
        if (done.friction_changed && changes.size() == 1) {
          EXPECT_EQ(done.came_to_rest, std::vector<std::string>{"block"});
          EXPECT_EQ(state.v[0], 0.0);
        }
      }
      integrator->restart();
    }
    ASSERT_EQ(changes.size(), 2u) << name;
    EXPECT_NEAR(changes[0], 0.8, 1e-9) << name;
    EXPECT_NEAR(changes[1], 1.25, 1e-9) << name;
    const bool rough = name == "taylor" || name == "semi-implicit-euler", second = name == "implicit-midpoint";
    const double s = 2.0 - 1.25;  // m v' = 4 s
    EXPECT_NEAR(state.v[0], s * s, rough ? 0.05 : 1e-7) << name;
    EXPECT_NEAR(state.q[0], 0.48 + s * s * s / 3.0, rough ? 0.05 : second ? 3e-5 : 1e-7) << name;
    balance.look(state);
    EXPECT_LT(balance.residual(), rough ? 0.1 : second ? 1e-3 : 1e-7) << name;
  }
}

TEST(DryFriction, AnArmWithEveryLossBalancesItsEnergyThroughItsStops) {
  Driven system(load("puma560-dhanaraj"), [](double t, auto, auto, auto tau) {
    for (std::size_t k = 0; k < tau.size(); ++k)
      tau[k] = 12.0 * std::sin(4.0 * t + static_cast<double>(k)) / (1.0 + static_cast<double>(k));
  });
  ASSERT_TRUE(system.is_dry());
  MotionState state = system.home();
  EnergyBalance balance(system, state);
  const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-9, .atol = 1e-9});
  int changes = 0;
  while (state.t < 1.0) {
    changes += advance(*integrator, system, state, 1.0).friction_changed ? 1 : 0;
    balance.look(state);
  }
  const double worst = balance.residual();
  std::printf("%d changes of friction, %ld steps, %.3g J in, %.3g J lost, off by %.1e\n", changes,
              integrator->counts().steps, state.z[0], state.z[1], worst);
  EXPECT_GT(changes, 3);
  EXPECT_LT(worst, 1e-6);
}

// Two rods with dry friction alone: what it takes is its torque times the way of each joint, which never turns round
// within a step. The residual is held against the laws' losses, and the energy of the states against torque and way,
// whatever the laws say.
TEST(DryFriction, OfADoublePendulumTakesTorqueTimesWay) {
  const double C[2] = {0.8, 0.5};
  Mechanism rods = load("double-pendulum");
  for (std::size_t k = 0; k < 2; ++k) {
    rods.links[k].joint.friction.present = true;
    rods.links[k].joint.friction.coulomb = C[k];
  }
  for (const Way way : {Way::reference, Way::compiled}) {
    Driven system(rods,
                  [](double t, auto, auto, auto tau) {
                    tau[0] = 3.0 * std::exp(-0.5 * t) * std::sin(2.0 * t), tau[1] = 0.2 * std::sin(5.0 * t);
                  },
                  {.way = way});
    if (system.way() != way) continue;
    MotionState state = system.home();
    const Energy<double> first = system.energy(state);
    EnergyBalance balance(system, state);
    const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-12, .atol = 1e-13});
    int changes = 0;
    double held = 0.0, by_way = 0.0;
    std::vector<int> rests(2, 0);
    while (state.t < 6.0) {
      const MotionState before = state;
      changes += advance(*integrator, system, state, 6.0).friction_changed ? 1 : 0;
      balance.look(state);
      for (std::size_t k = 0; k < 2; ++k) {
        by_way += C[k] * std::abs(state.q[k] - before.q[k]);
        if (state.v[k] == 0.0 && before.v[k] == 0.0)
          held += state.t - before.t;
        else if (state.v[k] == 0.0)
          ++rests[k];
      }
    }
    const Energy<double> last = system.energy(state);
    const double gone = first.kinetic + first.potential + state.z[0] - last.kinetic - last.potential;
    std::printf(
        "%d changes of friction, stops %d and %d, joints held for %.3f s, %.6g J lost; residual %.1e, against torque "
        "and way %.1e\n",
        changes, rests[0], rests[1], held, state.z[1], balance.residual(), std::abs(gone - by_way) / balance.largest());
    EXPECT_GT(std::min(rests[0], rests[1]), 2);
    EXPECT_GT(held, 0.1);
    EXPECT_LT(balance.residual(), 1e-10);
    EXPECT_NEAR(state.z[1], by_way, 1e-10 * by_way);
    EXPECT_NEAR(gone, by_way, 1e-10 * balance.largest());
    EXPECT_GT(system.by_algorithms(), 100);
  }
}

TEST(DryFriction, AJointThatJamsIsNamedWithTimeAndState) {
  // a weight on an arm of length h beside a guide of height d: 2 μ h/d > 1 lets no torque move it
  Driven system(mechanism_of(R"(name: clamp
links:
  - {name: clamp, parent: base, joint: {type: prismatic, axis: z}, inertia: {mass: 3, com: [0.5, 0, 0], tensor: [0.1, 0.1, 0.1]}, friction: {bearing: {type: linear, mu: 0.4, spacing: 0.2}}}
)"),
                [](double, auto, auto, auto tau) { tau[0] = 5.0; }, {.way = Way::reference});
  MotionState state = system.home();
  state.v = {-0.5};
  try {
    const auto rk4 = make_integrator("rk4", {.step = 0.01});
    while (state.t < 1.0) advance(*rk4, system, state, 1.0);
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::data);
    const std::string words = e.what();
    std::printf("%s\n", words.c_str());
    EXPECT_NE(words.find("`clamp` jams"), std::string::npos) << words;
    EXPECT_NE(words.find("at t = 0 s; q = 0; qd = -0.5"), std::string::npos) << words;
  }
}

TEST(BatchRun, EveryLaneIsTheMotionThatItWouldBeAlone) {
  for (const bool everything : {false, true}) {
    std::string text = kEverything;
    text.resize(text.find("forces:"));
    const Mechanism m = everything ? mechanism_of(text) : load("puma560");
    constexpr std::size_t kLanes = 11;
    const BatchOptions options{.friction = everything, .work = true, .values = {}};
    const auto nv = static_cast<std::size_t>(instantiate<double>(m).nv);
    BatchRun batch(
        m, kLanes,
        [&](double t, std::span<const double> q, std::span<const double> v, std::span<double> tau) {
          for (std::size_t k = 0; k < kLanes; ++k) sway(t, q, v.subspan(k * nv, nv), tau.subspan(k * nv, nv));
        },
        options);
    Driven one(m, sway, {.way = Way::reference, .friction = everything});
    std::vector<MotionState> starts;
    for (std::size_t k = 0; k < kLanes; ++k) {
      MotionState s = one.home();
      for (std::size_t i = 0; i < nv; ++i) s.v[i] = batch.v(k)[i] = std::sin(static_cast<double>(1 + i + 3 * k));
      starts.push_back(s);
    }
    batch.advance(0.2, 1e-3);
    EXPECT_EQ(batch.t(), 0.2);
    for (std::size_t k = 0; k < kLanes; ++k) {
      MotionState& s = starts[k];
      EnergyBalance balance(one, s);
      const auto rk4 = make_integrator("rk4", {.step = 1e-3});
      while (s.t < 0.2) rk4->step(one, s, 0.2);
      const MotionState lane = batch.state(k);
      for (std::size_t i = 0; i < s.q.size(); ++i) EXPECT_NEAR(lane.q[i], s.q[i], 1e-10);
      for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(lane.v[i], s.v[i], 1e-9);
      EXPECT_NEAR(batch.work(k), s.z[0], 1e-9);
      EXPECT_NEAR(batch.losses(k), s.z[1], 1e-9);
      if (!everything) {
        balance.look(lane);
        EXPECT_LT(balance.residual(), 1e-9);
      }
    }
  }
}

TEST(BatchRun, RefusesWhatWouldStopLaneByLane) {
  EXPECT_THROW(BatchRun(mechanism_of(kBlock), 4), Error);
  BatchRun run(mechanism_of(kBlock), 4, {}, {.friction = false, .work = true, .values = {}});
  EXPECT_THROW(run.advance(1.0, 0.0), Error);
  BatchRun pendulums(load("double-pendulum"), 4, {}, {.friction = false, .work = true, .values = {}});
  pendulums.q(2)[1] = std::nan("");
  try {
    pendulums.advance(1.0, 0.1);
    FAIL() << "nothing was refused";
  } catch (const NotFinite& e) {
    EXPECT_NE(std::string(e.what()).find("lane 2: the acceleration of"), std::string::npos) << e.what();
  }
}

}  // namespace driven_test
}  // namespace lw
