// Forward dynamics with losses: back to where inverse dynamics came from, sticking that is one, and motions with closed
// solutions (Runge and Kutta's steps between the stops, tests/support/stick_slip.hpp).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include <Eigen/LU>

#include "base/worse.hpp"
#include "dynamics/loops/forward_losses.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "dynamics/tree/torque_terms.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_elements.hpp"
#include "support/random_mechanism.hpp"
#include "support/stick_slip.hpp"

namespace lw {
namespace forward_friction_test {

using Vector = std::vector<double>;

Model<double> model_of(const std::string& yaml) {
  const ReadResult result = read_text("linkwright: 1\n" + yaml, "test.yaml");
  EXPECT_TRUE(result.mechanism) << (result.diagnostics.empty() ? "" : to_string(result.diagnostics[0]));
  return instantiate<double>(*result.mechanism);
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

// Every loss on every joint that can have it: `gradual`, some of them with a width.
void add_every_loss(Mechanism& m, std::uint64_t seed, bool gradual) {
  Random random(seed);
  for (Link& link : m.links) {
    Joint& j = link.joint;
    if (j.type == JointType::fixed) continue;
    const bool revolute = j.type == JointType::revolute, slide = j.type == JointType::prismatic;
    j.friction.present = true;
    j.friction.viscous = random.between(0.0, 1.0);
    j.friction.coulomb = random.between(0.0, 1.0);
    if (random.chance(0.5))
      j.friction.stribeck = Stribeck{random.between(1.0, 2.0), random.between(0.01, 0.5), random.between(0.5, 2.0)};
    if (gradual && random.chance(0.5)) j.friction.width = random.between(0.01, 0.5);
    const auto bearing = [&](Bearing::Kind kind) {
      j.friction.bearings.push_back({kind,
                                     random.between(0.0, 0.1),
                                     random.between(0.01, 0.05),
                                     random.between(0.2, 0.4),
                                     random.chance(0.7),
                                     {}});
    };
    if (revolute) {
      bearing(Bearing::Kind::journal);
      bearing(Bearing::Kind::thrust);
    }
    if (slide) bearing(random.chance(0.5) ? Bearing::Kind::linear : Bearing::Kind::journal);
    if (random.chance(0.5)) j.damper = Damper{random.between(0.0, 2.0), {}};
    if ((revolute || slide) && random.chance(0.7)) {
      j.drive.emplace();
      j.drive->ratio = random.between(1.0, 50.0);
      j.drive->rotor_inertia = random.between(1e-5, 1e-3);
      j.drive->breakaway = random.between(0.0, 3.0);
      j.drive->rated = random.between(10.0, 100.0);
      const double low = random.between(0.4, 0.8);
      j.drive->efficiency = FormulaTable{{0.0, 0.3, 1.0}, {low, random.between(low, 0.9), 0.9}, random.chance(0.5), {}};
    }
  }
}

// How far the torques that the accelerations found need are from those given, as a part of what each is the sum of.
// (The accelerations themselves are known to the condition of the mass matrix.)
double torque_error(const Model<double>& model, Workspace<double>& work, const State& s, const Vector& tau,
                    const Vector& qdd) {
  Losses<double> losses(model);
  inverse_with_losses<double>(model, work, s.q, s.qd, qdd, losses);
  const Vector terms = torque_terms(model, work, s.q, s.qd, qdd);
  double worst = 0.0;
  for (std::size_t v = 0; v < tau.size(); ++v) {
    const double size = terms[v] + std::abs(losses.bearing[v]) + std::abs(losses.transmission[v]);
    worst = worse(worst, std::abs(losses.total[v] - tau[v]) / size);
  }
  return worst;
}

TEST(ForwardLosses, UndoesInverseDynamicsAwayFromRest) {
  double worst = 0.0;
  int states = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 7)});
    add_every_loss(m, seed, true);
    const Model<double> model = instantiate<double>(m);
    Workspace<double> work(model);
    Losses<double> losses(model);
    ForwardLosses forward(model);
    Random random(seed);
    for (int k = 0; k < 10; ++k, ++states) {
      const State s = random_state(model, random);
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
      Vector qdd(s.qd.size());
      forward(s.q, s.qd, losses.total, qdd);
      const double error = torque_error(model, work, s, losses.total, qdd);
      EXPECT_LE(error, 1e-12) << m.name << " " << k;
      worst = worse(worst, error);
    }
  }
  RecordProperty("worst", std::to_string(worst));
  std::printf("%d states, worst %.1e\n", states, worst);
}

// From rest dry friction opposes the accelerations: M q̈ + h + σ(q̈) coulomb, which forward dynamics takes back to q̈.
// Where laws do not depend on loads there is one answer.
TEST(ForwardLosses, UndoesInverseDynamicsFromRest) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 7)});
    Random random(seed);
    for (Link& link : m.links) {
      if (link.joint.type == JointType::fixed) continue;
      link.joint.friction.present = true;
      link.joint.friction.viscous = random.between(0.0, 1.0);
      link.joint.friction.coulomb = random.between(0.1, 2.0);
    }
    const Model<double> model = instantiate<double>(m);
    const std::size_t n = static_cast<std::size_t>(model.nv);
    Workspace<double> work(model);
    Losses<double> losses(model);
    ForwardLosses forward(model);
    for (int k = 0; k < 5; ++k) {
      State s = random_state(model, random);
      s.qd.assign(n, 0.0);
      if (k % 2 == 1) s.qdd[static_cast<std::size_t>(random.between(0.0, 0.999) * static_cast<double>(n))] = 0.0;
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
      Vector without(n), qdd(n);
      rnea<double>(model, work, s.q, s.qd, s.qdd, without);
      for (const JointLoss<double>& loss : model.losses) {
        const auto v = static_cast<std::size_t>(loss.v);
        const double sign = s.qdd[v] > 0.0 ? 1.0 : s.qdd[v] < 0.0 ? -1.0 : 0.0;
        EXPECT_EQ(losses.total[v], without[v] + sign * loss.coulomb) << m.name;
      }
      forward(s.q, s.qd, losses.total, qdd);
      EXPECT_LE(torque_error(model, work, s, losses.total, qdd), 1e-12) << m.name << " " << k;
      for (std::size_t v = 0; v < n; ++v) {
        EXPECT_NEAR(qdd[v], s.qdd[v], 1e-7) << m.name << " " << k << " " << v;  // to the condition of M, 1e8 at worst
        if (s.qdd[v] == 0.0) EXPECT_EQ(qdd[v], 0.0) << "sticks";
      }
    }
  }
}

// With every loss there may be none or several answers: what is found needs the torques that were given.
TEST(ForwardLosses, UndoesInverseDynamicsFromRestWithEveryLoss) {
  int found = 0, same = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 7)});
    add_every_loss(m, seed, true);
    const Model<double> model = instantiate<double>(m);
    Workspace<double> work(model);
    Losses<double> losses(model);
    ForwardLosses forward(model);
    Random random(seed);
    for (int k = 0; k < 5; ++k) {
      State s = random_state(model, random);
      s.qd.assign(s.qd.size(), 0.0);
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
      const Vector tau = losses.total;
      Vector qdd(s.qd.size());
      if (!message_of([&] { forward(s.q, s.qd, tau, qdd); }).empty()) continue;
      ++found;
      double off = 0.0, size = 0.0;
      for (std::size_t v = 0; v < qdd.size(); ++v) {
        off = worse(off, std::abs(qdd[v] - s.qdd[v]));
        size = std::max(size, std::abs(s.qdd[v]));
      }
      same += off <= 1e-6 * size;
      if (std::none_of(qdd.begin(), qdd.end(), [](double a) { return a == 0.0; })) {
        EXPECT_LE(torque_error(model, work, s, tau, qdd), 1e-11) << m.name << " " << k;
      }
    }
  }
  EXPECT_GE(found, 190);
  EXPECT_GE(same, found - 5);
  std::printf("%d of 200 states have an answer, %d the one they came from\n", found, same);
}

TEST(ForwardLosses, DampersOfForceElementsCountToo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 2 + static_cast<int>(seed % 5)});
    add_every_loss(m, seed, true);
    Model<double> model = instantiate<double>(m);
    add_random_elements<double>(model, seed, {.rotor_ties = false});
    Workspace<double> work(model);
    Losses<double> losses(model);
    ForwardLosses forward(model);
    Random random(seed);
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, random);
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
      double power = 0.0;
      for (std::size_t v = 0; v < s.qd.size(); ++v) power += (losses.bearing[v] + losses.transmission[v]) * s.qd[v];
      EXPECT_GT(power, 0.0);
      Vector qdd(s.qd.size());
      forward(s.q, s.qd, losses.total, qdd);
      EXPECT_LE(torque_error(model, work, s, losses.total, qdd), 1e-12) << m.name << " " << k;
    }
  }
}

TEST(ForwardLosses, FindsDirectionsThatInverseDynamicsConfirms) {
  int sticking = 0, slipping = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 8)});
    add_every_loss(m, seed, false);
    const Model<double> model = instantiate<double>(m);
    Workspace<double> work(model);
    Losses<double> losses(model);
    ForwardLosses forward(model);
    Random random(seed);
    for (int k = 0; k < 10; ++k) {
      State s = random_state(model, random);
      for (double& v : s.qd) {
        if (random.chance(0.6)) v = 0.0;
      }
      const auto n = s.qd.size();
      Vector qdd(n), low(n), high(n);
      const std::string error = message_of([&] { forward(s.q, s.qd, s.tau, qdd); });
      if (!error.empty()) {
        ++refused;
        continue;
      }
      // joints that begin to move do so at velocities of no size; those that stick stay
      Vector qd = s.qd;
      for (std::size_t v = 0; v < n; ++v) {
        if (s.qd[v] == 0.0) qd[v] = qdd[v] == 0.0 ? 0.0 : std::copysign(kImpending, qdd[v]);
      }
      inverse_with_losses<double>(model, work, s.q, qd, qdd, losses);
      holding_range<double>(model, work, s.q, qd, qdd, low, high);
      for (std::size_t v = 0; v < n; ++v) {
        const double tolerance = 1e-9 * std::max(1.0, std::abs(s.tau[v]) + std::abs(losses.dynamic[v]));
        EXPECT_EQ(forward.sticks()[v], qdd[v] == 0.0);
        (forward.sticks()[v] ? sticking : slipping) += s.qd[v] == 0.0;
        EXPECT_GE(s.tau[v], low[v] - tolerance) << m.name << " " << model.velocity_names[v];
        EXPECT_LE(s.tau[v], high[v] + tolerance) << m.name << " " << model.velocity_names[v];
      }
    }
  }
  std::printf("%d sticking, %d slipping, %d refused\n", sticking, slipping, refused);
  EXPECT_GT(sticking, 100);
  EXPECT_GT(slipping, 100);
  EXPECT_LT(refused, 6);
}

// A block of 2 kg on a slide that rises at an angle; the slide presses with m g cos(angle).
Model<double> incline(double angle, double mu) {
  Model<double> model = model_of(R"(name: incline
gravity: [0, 0, -9.81]
links:
  - {name: block, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 1}}
)");
  model.gravity = {-9.81 * std::sin(angle), 0.0, -9.81 * std::cos(angle)};
  model.losses[0].coulomb = 0.0;
  model.losses[0].bearings = {{Bearing::Kind::journal, false, mu, 0.0, 0.0, {}}};
  return model;
}

TEST(StickSlip, ABlockGoesUpAnInclineAndComesBackOrStays) {
  const double g = 9.81, angle = 0.5, v0 = 3.0;
  for (const double mu : {0.2, 0.6}) {  // tan 0.5 = 0.546
    const Model<double> model = incline(angle, mu);
    const double up = g * (std::sin(angle) + mu * std::cos(angle)), down = g * (std::sin(angle) - mu * std::cos(angle));
    StickSlip motion(model, {0.0}, {v0});
    motion.advance(2.0, 0.05);
    ASSERT_EQ(motion.stops.size(), 1u);
    EXPECT_NEAR(motion.stops[0].t, v0 / up, 1e-12);
    EXPECT_NEAR(motion.stops[0].q, v0 * v0 / (2 * up), 1e-12);
    const double rest = 2.0 - v0 / up;
    if (down < 0.0) {
      EXPECT_EQ(motion.q[0], motion.stops[0].q);
      EXPECT_EQ(motion.qd[0], 0.0);
    } else {
      EXPECT_NEAR(motion.q[0], v0 * v0 / (2 * up) - 0.5 * down * rest * rest, 1e-12);
      EXPECT_NEAR(motion.qd[0], -down * rest, 1e-12);
    }
  }
}

TEST(StickSlip, AnOscillatorLosesTheSameAmplitudeEachHalfSwing) {
  // m x'' = -k x ∓ F: half swings of π √(m/k), each shorter by 2 F/k, until |x| ≤ F/k
  const double m = 2.0, k = 50.0, F = 3.0;
  const Model<double> model = model_of(R"(name: oscillator
gravity: [0, 0, 0]
links:
  - {name: mass, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 3}, spring: {stiffness: 50}}
)");
  StickSlip motion(model, {0.5}, {0.0});
  motion.advance(5.0, 0.002);
  ASSERT_EQ(motion.stops.size(), 4u);  // 0.5, -0.38, 0.26, -0.14, 0.02
  for (std::size_t n = 0; n < motion.stops.size(); ++n) {
    const double swings = static_cast<double>(n + 1);
    EXPECT_NEAR(motion.stops[n].t, swings * std::numbers::pi * std::sqrt(m / k), 1e-9);
    EXPECT_NEAR(std::abs(motion.stops[n].q), 0.5 - swings * 2 * F / k, 1e-9);
  }
  EXPECT_EQ(motion.q[0], motion.stops.back().q);
}

TEST(StickSlip, APendulumTurnsWhereEnergyAndFrictionSay) {
  // from one turning point a to the next b: m g l (cos b - cos a) = -C |b - a|, for swings of any size
  const double weight = 1.5 * 9.81 * 0.4, C = 0.35;
  const Model<double> model = model_of(R"(name: pendulum
links:
  - {name: bob, parent: base, joint: {type: revolute, axis: y}, inertia: {mass: 1.5, com: [0, 0, -0.4]}, friction: {coulomb: 0.35}}
)");
  const double start = 2.5;
  StickSlip motion(model, {start}, {0.0});
  motion.advance(25.0, 0.004);
  ASSERT_GT(motion.stops.size(), 10u);
  double a = start;
  for (const StickSlip::Stop& stop : motion.stops) {
    const double b = stop.q;
    EXPECT_NEAR(weight * (std::cos(b) - std::cos(a)), C * std::abs(b - a), 1e-8 * weight);
    a = b;
  }
  // it stays where friction carries its weight, and only there
  EXPECT_LE(weight * std::abs(std::sin(a)), C);
  EXPECT_EQ(motion.q[0], a);
  EXPECT_GT(weight * std::abs(std::sin(motion.stops[motion.stops.size() - 2].q)), C);
}

TEST(StickSlip, AHeldArmDoesNotDriftByABit) {
  const Model<double> model = instantiate<double>(load("puma560-dhanaraj"));
  Workspace<double> work(model);
  const Vector q{0.1, -0.8, 0.6, 0.2, 0.3, 0.4};
  Vector hold(6);
  gravity_forces<double>(model, work, q, hold);
  hold[1] += 4.0;  // within the breakaway torques of 5.5 and 2.6 N·m
  hold[2] -= 2.0;
  // the wrist has no friction: its motors hold it exactly
  StickSlip motion(model, q, Vector(6, 0.0), [&](double, const Vector&, const Vector&) { return hold; });
  motion.advance(60.0, 0.02);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(motion.q[k], q[k]);
  EXPECT_EQ(motion.stops.size(), 0u);
  EXPECT_EQ(motion.lost, 0.0);
}

TEST(StickSlip, FrictionWorkIsTheEnergyLost) {
  // every loss on an arm that swings freely until its joints have come to rest many times over
  Mechanism m =
      random_mechanism(12, {.joints = 4, .types = {JointType::revolute, JointType::prismatic}, .springs = true});
  for (Link& link : m.links) {
    if (link.joint.type == JointType::prismatic) link.joint.spring = Spring{200.0, 0.0, {}};
  }
  add_every_loss(m, 12, false);
  const Model<double> model = instantiate<double>(m);
  StickSlip motion(model, {0.5, -0.3, 0.4, 0.2}, {1.0, -0.5, 0.3, 2.0});
  const double before = motion.energy();
  motion.advance(1.5, 0.0005);
  const double gone = before - motion.energy();
  std::printf("%zu stops, %.6g J lost, off by %.1e\n", motion.stops.size(), gone, std::abs(motion.lost - gone) / gone);
  EXPECT_GT(motion.stops.size(), 2u);
  EXPECT_NEAR(motion.lost / gone, 1.0, 1e-8);
}

TEST(StickSlip, DampersBetweenPointsTakeEnergyToo) {
  Mechanism m = random_mechanism(3, {.joints = 4, .types = {JointType::revolute}});
  add_every_loss(m, 3, false);
  Model<double> model = instantiate<double>(m);
  PointSpringElement<double> spring;
  spring.a = model.frames.front();
  spring.b = model.frames.back();
  spring.b.X_BF.p += Vec3<double>(0.1, 0.2, 0.0);
  spring.stiffness = 100.0;
  spring.rest = 0.3;
  spring.damping = 4.0;
  model.springs = {spring};
  model.shafts = {{"belt", 0, 2, 50.0, 0.7, 0.0}};
  StickSlip motion(model, {0.5, -0.3, 0.4, 0.2}, {1.0, -0.5, 0.3, 2.0});
  const double before = motion.energy();
  motion.advance(1.5, 0.0005);
  const double gone = before - motion.energy();
  EXPECT_GT(motion.stops.size(), 2u);
  EXPECT_NEAR(motion.lost / gone, 1.0, 1e-8);
}

// A weight on an arm of length h beside a vertical guide of height d: friction of 2 μ h/d times the weight.
Model<double> clamp(double mu) {
  Model<double> model = model_of(R"(name: clamp
links:
  - {name: clamp, parent: base, joint: {type: prismatic, axis: z}, inertia: {mass: 3, com: [0.5, 0, 0], tensor: [0.1, 0.1, 0.1]}, friction: {bearing: {type: linear, mu: 0.1, spacing: 0.2}}}
)");
  model.losses[0].bearings[0].mu = mu;
  return model;
}

TEST(ForwardLosses, AClampHoldsAnyWeightOrNone) {
  const Vector zero{0.0};
  Vector qdd(1);
  {
    const Model<double> model = clamp(0.21);  // 2 · 0.21 · 0.5/0.2 = 1.05
    ForwardLosses forward(model);
    forward(zero, zero, zero, qdd);
    EXPECT_EQ(qdd[0], 0.0);
    EXPECT_TRUE(forward.sticks()[0]);
    forward(zero, zero, Vector{-1000.0}, qdd);  // and whatever pulls at the guide itself moves it
    EXPECT_LT(qdd[0], 0.0);
  }
  const Model<double> model = clamp(0.19);
  ForwardLosses forward(model);
  forward(zero, zero, zero, qdd);
  EXPECT_NEAR(qdd[0], -9.81, 1e-13);  // falling freely it does not press against the guide
}

TEST(ForwardLosses, JammingIsReportedByJoint) {
  const Model<double> model = clamp(0.4);  // friction of twice the load
  ForwardLosses forward(model);
  Vector qdd(1);
  // sliding up and braked from outside by more than its weight: the brake's own load grows faster than what it stops
  const std::string error = message_of([&] { forward(Vector{0.0}, Vector{1.0}, Vector{-100.0}, qdd); });
  EXPECT_NE(error.find("`clamp` jams"), std::string::npos) << error;
  // driven up, it moves: m (q̈ + g)(1 + 2) = τ
  forward(Vector{0.0}, Vector{1.0}, Vector{180.0}, qdd);
  EXPECT_NEAR(qdd[0], 180.0 / 9.0 - 9.81, 1e-13);
}

// Two joints about one axis with inertias 2 and 1 (the second turns with the first), moved by two drives as a
// differential.
Model<double> differential(double coulomb) {
  Model<double> model = model_of(R"(name: differential
gravity: [0, 0, 0]
links:
  - {name: a, parent: base, joint: {type: revolute, axis: x}, inertia: {mass: 1, tensor: [2, 2, 2]}, friction: {coulomb: 1}}
  - {name: b, parent: a, joint: {type: revolute, axis: y}, inertia: {mass: 1, tensor: [1, 1, 1]}, friction: {coulomb: 1}}
)");
  for (JointLoss<double>& loss : model.losses) loss.coulomb = coulomb;
  Transmission<double> t;
  t.name = "wrist";
  t.v = {0, 1};
  t.drives.resize(2);
  t.drives[0].name = "left";
  t.drives[1].name = "right";
  for (DriveLoss<double>& d : t.drives) {
    d.breakaway = 0.5;
    d.efficiency = Curve<double>({0.0}, {0.8}, false, Curve<double>::Ends::constant);
  }
  t.C = {1.0, 1.0, 1.0, -1.0};
  t.C_inverse = {0.5, 0.5, 0.5, -0.5};
  model.transmissions = {t};
  return model;
}

TEST(Couplings, ForwardUndoesInverseWhileAllMoves) {
  const Model<double> model = differential(0.3);
  Workspace<double> work(model);
  Losses<double> losses(model);
  ForwardLosses forward(model);
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const State s = random_state(model, random);
    inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
    // the motors' power is what reaches the joints and what is lost
    double in = 0.0, out = 0.0, lost = 0.0;
    for (std::size_t v = 0; v < 2; ++v) {
      in += losses.motor[v] * losses.velocity[v];
      out += losses.dynamic[v] * s.qd[v];
      lost += (losses.bearing[v] + losses.transmission[v]) * s.qd[v];
    }
    EXPECT_NEAR(in, out + lost, 1e-12);
    EXPECT_GE(lost, 0.0);
    Vector qdd(2);
    forward(s.q, s.qd, losses.total, qdd);
    for (std::size_t v = 0; v < 2; ++v) EXPECT_NEAR(qdd[v], s.qdd[v], 1e-12);
  }
}

TEST(Couplings, OneDriveSticksWhileTheOtherTurns) {
  const Vector zero(2, 0.0);
  Vector qdd(2);
  const auto torques = [](double left, double right) { return Vector{left + right, left - right}; };
  {
    const Model<double> model = differential(0.0);
    ForwardLosses forward(model);
    forward(zero, zero, torques(0.45, -0.45), qdd);
    EXPECT_EQ(qdd, zero);
    // the right drive holds q1 = q2 = x: (3 + 1) x'' = 2 (left's output), which is (2 - 0.5) 0.8
    forward(zero, zero, torques(2.0, 0.0), qdd);
    EXPECT_NEAR(qdd[0], 2 * 1.5 * 0.8 / 4, 1e-14);
    EXPECT_NEAR(qdd[1], qdd[0], 1e-15);
    // both turn backwards: each output is (-2 + 0.5) 0.8
    forward(zero, zero, torques(-2.0, -2.0), qdd);
    EXPECT_NEAR(qdd[0], -2 * 1.5 * 0.8 / 3, 1e-14);
    EXPECT_NEAR(qdd[1], 0.0, 1e-14);
  }
  // with friction in the joints too, one turning joint has only its own against it: 3 x'' = 2 · 1.2 - 0.3
  const Model<double> model = differential(0.3);
  ForwardLosses forward(model);
  forward(zero, zero, torques(2.0, 2.0), qdd);
  EXPECT_NEAR(qdd[0], (2 * 1.2 - 0.3) / 3, 1e-14);
  EXPECT_EQ(qdd[1], 0.0);
  // 0.6 on the left drive is 0.08 at either joint, which holds 0.3: nothing moves, though the left drive alone would
  forward(zero, zero, torques(0.6, 0.0), qdd);
  EXPECT_EQ(qdd, zero);
}

TEST(Couplings, AccelerationsFromRestObeyGausssPrinciple) {
  // with loads that do not depend on them, they minimise ½ q̈ᵀ M q̈ - q̈ᵀ (τ - h) + Σ F |aᵀ q̈| over joints and drives
  int still = 0, held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Model<double> model = instantiate<double>(random_mechanism(
        seed, {.joints = 5, .types = {JointType::revolute, JointType::prismatic}, .branching = 0.5, .shuffle = false}));
    Random random(seed);
    for (const Body<double>& b : model.bodies) {
      JointLoss<double> loss;
      loss.body = static_cast<int>(&b - model.bodies.data());
      loss.v = b.v;
      loss.coulomb = random.chance(0.6) ? random.between(0.0, 20.0) : 0.0;
      model.losses.push_back(loss);
    }
    Transmission<double> t;  // the first three joints by three drives
    t.v = {0, 1, 2};
    t.drives.resize(3);
    for (DriveLoss<double>& d : t.drives) d.breakaway = random.chance(0.7) ? random.between(0.0, 20.0) : 0.0;
    Eigen::Matrix3d C;
    do {
      for (int k = 0; k < 9; ++k) C(k / 3, k % 3) = random.between(-1.0, 1.0);
    } while (std::abs(C.determinant()) < 0.1);
    const Eigen::Matrix3d inverse = C.inverse();
    for (int k = 0; k < 9; ++k) {
      t.C.push_back(C(k / 3, k % 3));
      t.C_inverse.push_back(inverse(k / 3, k % 3));
    }
    model.transmissions = {t};
    Workspace<double> work(model);
    ForwardLosses forward(model);
    for (int trial = 0; trial < 10; ++trial) {
      const State s = random_state(model, random);
      const Vector rest(5, 0.0);
      Vector M(25), h(5), qdd(5);
      crba<double>(model, work, s.q, M);
      bias_forces<double>(model, work, s.q, rest, h);
      forward(s.q, rest, s.tau, qdd);
      const auto gauss = [&](const Vector& a) {
        double sum = 0.0;
        for (std::size_t i = 0; i < 5; ++i) {
          sum -= a[i] * (s.tau[i] - h[i]);
          sum += model.losses[i].coulomb * std::abs(a[static_cast<std::size_t>(model.losses[i].v)]);
          for (std::size_t j = 0; j < 5; ++j) sum += 0.5 * a[i] * M[i * 5 + j] * a[j];
        }
        for (int k = 0; k < 3; ++k) {
          sum += t.drives[static_cast<std::size_t>(k)].breakaway *
                 std::abs(C(k, 0) * a[0] + C(k, 1) * a[1] + C(k, 2) * a[2]);
        }
        return sum;
      };
      const double least = gauss(qdd);
      for (int k = 0; k < 60; ++k) {
        Vector other = qdd;
        const double size = std::pow(10.0, random.between(-5.0, 0.0));
        for (double& a : other) a += random.chance(0.6) ? size * random.between(-1.0, 1.0) : 0.0;
        EXPECT_GE(gauss(other), least - 1e-11 * (1.0 + std::abs(least))) << model.name;
      }
      for (std::size_t v = 0; v < 5; ++v) {
        EXPECT_TRUE(!forward.sticks()[v] || qdd[v] == 0.0);
        still += forward.sticks()[v];
      }
      for (int k = 0; k < 3; ++k) held += std::abs(C.row(k).dot(Eigen::Vector3d(qdd[0], qdd[1], qdd[2]))) < 1e-12;
    }
  }
  std::printf("%d joints still, %d drives\n", still, held);
  EXPECT_GT(still, 100);
  EXPECT_GT(held, 100);
}

TEST(ForwardLosses, WhatIsSlowEnoughCountsAsAtRest) {
  const Model<double> model = incline(0.5, 0.6);
  ForwardLosses forward(model);
  Vector qdd(1);
  forward(Vector{0.0}, Vector{-1e-6}, Vector{0.0}, qdd);  // it slides, and slows down
  EXPECT_NEAR(qdd[0], 9.81 * (0.6 * std::cos(0.5) - std::sin(0.5)), 1e-13);
  forward(Vector{0.0}, Vector{-1e-6}, Vector{0.0}, qdd, {.rest = 1e-5});
  EXPECT_EQ(qdd[0], 0.0);
}

TEST(ForwardLosses, AGradualLawNeedsNoSticking) {
  Model<double> model = incline(0.5, 0.6);
  model.losses[0].width = 0.1;
  Workspace<double> work(model);
  Losses<double> losses(model);
  ForwardLosses forward(model);
  for (const double v : {0.0, 1e-4, -0.03, 0.2}) {
    inverse_with_losses<double>(model, work, Vector{0.0}, Vector{v}, Vector{1.5}, losses);
    Vector qdd(1);
    forward(Vector{0.0}, Vector{v}, losses.total, qdd);
    EXPECT_NEAR(qdd[0], 1.5, 1e-13);
    EXPECT_FALSE(forward.sticks()[0]);
  }
}

TEST(ForwardLosses, WithoutLossesItIsForwardDynamics) {
  Model<double> model = instantiate<double>(load("puma560"));
  model.losses.clear();
  model.transmissions.clear();
  Workspace<double> work(model);
  ForwardLosses forward(model);
  Random random(5);
  const State s = random_state(model, random);
  Vector a(6), b(6);
  forward(s.q, s.qd, s.tau, a);
  forward_by_crba<double>(model, work, s.q, s.qd, s.tau, b);
  for (std::size_t v = 0; v < 6; ++v) EXPECT_NEAR(a[v], b[v], 1e-10 * std::max(1.0, std::abs(b[v])));
}

// Away from rest losses are those of the motion found. A joint that is held loses nothing, and one whose velocity has
// passed zero within a step still has the friction of the direction decided at its beginning.
TEST(ForwardLosses, TellsLossesByItsDirections) {
  Random random(5);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 4, .types = {JointType::revolute, JointType::prismatic}});
    add_every_loss(m, seed, true);
    const Model<double> model = instantiate<double>(m);
    Workspace<double> work(model);
    ForwardLosses forward(model);
    const State s = random_state(model, random);
    Losses<double> given(model);
    inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, given);
    Vector qdd(s.qd.size());
    forward(s.q, s.qd, given.total, qdd);
    double size = 0.0;
    for (const double x : given.total) size = std::max(size, std::abs(x));
    for (std::size_t v = 0; v < qdd.size(); ++v) {
      EXPECT_NEAR(forward.losses().bearing[v], given.bearing[v], 1e-9 * size) << seed;
      EXPECT_NEAR(forward.losses().transmission[v], given.transmission[v], 1e-9 * size) << seed;
    }
  }
  const Model<double> block = model_of(R"(name: block
links:
  - {name: block, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 3, viscous: 0.5}}
)");
  ForwardLosses forward(block);
  Vector qdd(1);
  forward(Vector{0.0}, Vector{0.0}, Vector{2.5}, qdd);
  EXPECT_TRUE(forward.sticks()[0]);
  EXPECT_EQ(forward.losses().bearing[0], 0.0);
  EXPECT_EQ(forward.losses().dynamic[0], 2.5);  // what friction gives is not lost
  forward(Vector{0.0}, Vector{0.2}, Vector{0.0}, qdd);
  EXPECT_DOUBLE_EQ(forward.losses().bearing[0], 3.1);
  forward(Vector{0.0}, Vector{-1e-3}, Vector{0.0}, qdd, {.same_directions = true});
  EXPECT_DOUBLE_EQ(forward.losses().bearing[0], 3.0);
}

// Where no loss depends on the loads, M and h may come from elsewhere: the accelerations are the same, and those of
// joints that stick are zero. Gears and springs that ask for more than M and h do not take them.
TEST(ForwardLosses, TakesEquationsFromElsewhere) {
  const Model<double> puma = instantiate<double>(load("puma560"));
  Workspace<double> work(puma);
  ForwardLosses own(puma), other(puma);
  int asked = 0;
  ASSERT_TRUE(other.take_equations_from([&](In<double> q, In<double> qd, Out<double> M, Out<double> h) {
    ++asked;
    crba<double>(puma, work, q, M);
    bias_forces<double>(puma, work, q, qd, h);
  }));
  Random random(3);
  int held = 0;
  for (int k = 0; k < 50; ++k) {
    State s = random_state(puma, random);
    for (std::size_t v = 0; v < 6; ++v) s.qd[v] *= random.chance(0.5) ? 1.0 : 0.0;
    Vector tau(6), a(6), b(6), back(6);
    gravity_forces<double>(puma, work, s.q, tau);
    for (double& x : tau) x += random.between(-4.0, 4.0);
    own(s.q, s.qd, tau, a);
    other(s.q, s.qd, tau, b);
    EXPECT_EQ(own.directions(), other.directions());
    for (std::size_t v = 0; v < 6; ++v) {
      EXPECT_NEAR(a[v], b[v], 1e-12 * (1.0 + std::abs(a[v])));
      if (!other.sticks()[v]) continue;
      ++held;
      EXPECT_EQ(b[v], 0.0);
    }
    // put back: what moves has its torque, what is held lies within what its friction can hold
    rnea<double>(puma, work, s.q, s.qd, b, back);
    for (std::size_t v = 0; v < 6; ++v) {
      const double friction = tau[v] - back[v], most = puma.transmissions[v].drives[0].breakaway;
      if (other.sticks()[v])
        EXPECT_LE(std::abs(friction), most * (1.0 + 1e-12));
      else
        EXPECT_NEAR(friction, other.directions()[v] * most, 1e-10 * (1.0 + std::abs(back[v])));
    }
  }
  EXPECT_EQ(asked, 50);
  EXPECT_GT(held, 20);
  for (const char* name : {"puma560-dhanaraj"}) {
    const Model<double> loaded = instantiate<double>(load(name));
    EXPECT_FALSE(ForwardLosses(loaded).take_equations_from([](auto, auto, auto, auto) {}));
  }
}

TEST(ForwardLosses, RefusesVectorsOfTheWrongSize) {
  const Model<double> model = clamp(0.1);
  ForwardLosses forward(model);
  Vector qdd(1);
  EXPECT_THROW(forward(Vector{0.0}, Vector{0.0, 0.0}, Vector{0.0}, qdd), Error);
}

}  // namespace forward_friction_test
}  // namespace lw
