// The laws of bearings and drives against formulas, limits and power; inverse dynamics with them against its own trace.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/friction/friction.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace friction_test {

BearingLoss<double> bearing(Bearing::Kind kind, double mu, double radius, double spacing, bool moments = true) {
  return {kind, moments, mu, radius, spacing, {1.0, 0.0, 0.0}};
}
const Vec3<double> kZ(0.0, 0.0, 1.0);

// A vector turned about z.
Vec3<double> turned(const Vec3<double>& v, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]};
}

const Force<double> kLoad{{3.0, 4.0, 7.0}, {12.0, -5.0, 9.0}};
// its friction in a journal on two supports; oracle: dhanaraj.py journal
constexpr double kJournal = 0.400874;

TEST(Bearings, AJournalWithMomentsIsThatOfItsTwoSupportsInAnyAxes) {
  // each support carries what balances force and moment: A = (fx/2 + ny/d, fy/2 - nx/d), B with the other signs
  const double mu = 0.1, r = 0.08, d = 0.2;
  const double A = std::hypot(12.0 / 2 + 4 / d, -5.0 / 2 - 3 / d), B = std::hypot(12.0 / 2 - 4 / d, -5.0 / 2 + 3 / d);
  const BearingLoss<double> journal = bearing(Bearing::Kind::journal, mu, r, d);
  EXPECT_NEAR(bearing_friction<double>(journal, kZ, false, kLoad), mu * r * (A + B), 1e-15);
  EXPECT_NEAR(bearing_friction<double>(journal, kZ, false, kLoad), kJournal, 5e-7);
  const Force<double> other{turned(kLoad.ang, 0.7), turned(kLoad.lin, 0.7)};
  EXPECT_NEAR(bearing_friction<double>(journal, kZ, false, other), kJournal, 5e-7);
  // the axis anywhere: the same load seen in axes whose x is the joint's axis
  const auto cycled = [](const Vec3<double>& v) { return Vec3<double>(v[2], v[0], v[1]); };
  EXPECT_NEAR(bearing_friction<double>(journal, {1.0, 0.0, 0.0}, false, {cycled(kLoad.ang), cycled(kLoad.lin)}),
              kJournal, 5e-7);
}

TEST(Bearings, AJournalOfFarSupportsOrWithoutMomentsFeelsTheForceAlone) {
  const double alone = 0.1 * 0.08 * 13.0;  // |(12, -5)| = 13
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::journal, 0.1, 0.08, 1e9), kZ, false, kLoad), alone,
              1e-10);
  const Force<double> pure{{0.0, 0.0, 5.0}, kLoad.lin};
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::journal, 0.1, 0.08, 0.2), kZ, false, pure), alone, 1e-15);
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::journal, 0.1, 0.08, 0.0, false), kZ, false, kLoad), alone,
              1e-15);
  // on a slide it is a round guide: a force, without the radius
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::journal, 0.1, 0.0, 0.0, false), kZ, true, kLoad), 1.3,
              1e-15);
}

TEST(Bearings, LinearGuideAndThrust) {
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::linear, 0.1, 0.0, 0.2), kZ, true, kLoad), 7.0, 1e-14);
  EXPECT_NEAR(bearing_friction<double>(bearing(Bearing::Kind::thrust, 0.1, 0.08, 0.0), kZ, false, kLoad),
              0.1 * 0.08 * 9, 1e-16);
}

TEST(Bearings, NoLoadIsNoFrictionAndNoSlope) {
  const BearingLoss<Dual> journal{Bearing::Kind::journal, true, 0.1, 0.08, 0.2, {}};
  const Force<Dual> load{{}, {Dual(0.0, 1.0), 0.0, 0.0}};
  const Dual f = bearing_friction<Dual>(journal, {0.0, 0.0, 1.0}, false, load);
  EXPECT_LT(std::abs(f.v), 1e-90);
  EXPECT_TRUE(std::isfinite(f.d));
}

DriveLoss<double> drive(double breakaway, std::vector<double> load, std::vector<double> value, bool cubic = false) {
  DriveLoss<double> d;
  d.breakaway = breakaway;
  d.efficiency = Curve<double>(std::move(load), std::move(value), cubic, Curve<double>::Ends::constant);
  return d;
}

TEST(Drives, FourQuadrantsHaveTheFormulasOfTheTableAndTakePower) {
  const DriveLoss<double> d = drive(2.0, {0, 10, 50}, {0.3, 0.6, 0.8});
  // Dhanaraj 1990, table 3.2; at 20 N·m the efficiency is 0.6 + 0.2/4
  const double eta = 0.65;
  struct Quadrant {
    double output, velocity, input;
  };
  for (const Quadrant& c : {Quadrant{20, 0.5, 20 / eta + 2}, Quadrant{20, -0.5, 20 * eta - 2},
                            Quadrant{-20, 0.5, -20 * eta + 2}, Quadrant{-20, -0.5, -20 / eta - 2}}) {
    const double input = drive_input<double>(d, c.output, c.velocity, 0.0);
    EXPECT_NEAR(input, c.input, 1e-13) << c.output << " at " << c.velocity;
    EXPECT_GT((input - c.output) * c.velocity, 0.0);
  }
  EXPECT_EQ(drive_input<double>(d, 20.0, 0.0, 0.0), 20.0);
  // without a jump where the output changes its sign
  EXPECT_NEAR(drive_input<double>(d, 1e-12, 1.0, 0.0), drive_input<double>(d, -1e-12, 1.0, 0.0), 1e-11);
}

TEST(Drives, LossesTakePowerWhateverTheStateAndTheCurve) {
  Random random(7);
  for (int k = 0; k < 2000; ++k) {
    const double low = random.between(0.05, 0.9);
    const double loss = random.between(0.0, 5.0), middle = random.between(1, 20), efficiency = random.between(low, 1.0);
    const DriveLoss<double> d = drive(loss, {0, middle, 50}, {low, efficiency, 1.0}, random.chance(0.5));
    const double x = random.between(-80, 80), v = random.between(-2, 2), width = random.chance(0.5) ? 0.5 : 0.0;
    EXPECT_GE((drive_input<double>(d, x, v, width) - x) * v, 0.0);
  }
}

TEST(Drives, BackDrivingTorqueIsTheLeastThatMovesTheDrive) {
  for (const DriveLoss<double>& d : {drive(2.0, {0, 10, 50}, {0.3, 0.6, 0.8}),
                                     drive(60.0, {0, 10, 50}, {0.3, 0.6, 0.8}, true), drive(3.0, {0}, {0.5})}) {
    const double x = back_driving_torque(d);
    // pushed forwards by it, the drive gives back nothing; by less, it would have to be pulled by its motor
    EXPECT_NEAR(drive_input<double>(d, -x, 1.0, 0.0), 0.0, 1e-12);
    EXPECT_GT(drive_input<double>(d, -0.999 * x, 1.0, 0.0), 0.0);
  }
  // on the straight piece: x (0.3 + 0.03 x) = 2
  EXPECT_NEAR(back_driving_torque(drive(2.0, {0, 10, 50}, {0.3, 0.6, 0.8})), (-0.3 + std::sqrt(0.09 + 0.24)) / 0.06,
              1e-13);
  EXPECT_EQ(back_driving_torque(drive(0.0, {0}, {0.5})), 0.0);
}

TEST(JointFriction, StribeckGoesFromStaticToCoulomb) {
  JointLoss<double> loss;
  loss.viscous = 0.2;
  loss.coulomb = 1.0;
  loss.stribeck = true;
  loss.static_torque = 1.6;
  loss.stribeck_velocity = 0.05;
  const Body<double> body;
  for (const double shape : {1.0, 2.0, 0.7}) {
    loss.shape = shape;
    for (const double v : {-0.5, -0.05, 0.02, 3.0}) {
      const double size = 1.0 + 0.6 * std::exp(-std::pow(std::abs(v) / 0.05, shape));
      EXPECT_NEAR(joint_friction<double>(loss, body, v, {}), 0.2 * v + std::copysign(size, v), 1e-14) << v;
    }
    EXPECT_NEAR(joint_friction<double>(loss, body, 1e-200, {}), 1.6, 1e-15);
    EXPECT_EQ(joint_friction<double>(loss, body, 0.0, {}), 0.0);
  }
}

TEST(JointFriction, GradualLawHasNoJumpInValueOrSlope) {
  JointLoss<Dual> loss;
  loss.coulomb = 1.0;
  loss.width = 0.1;
  const Body<Dual> body;
  const auto at = [&](double v) { return joint_friction<Dual>(loss, body, Dual(v, 1.0), {}); };
  EXPECT_EQ(at(0.0).v, 0.0);
  EXPECT_NEAR(at(0.0).d, 1.5 / 0.1, 1e-12);
  for (const double v : {-0.1, 0.1}) {
    EXPECT_NEAR(at(v).v, std::copysign(1.0, v), 1e-15);
    EXPECT_NEAR(at(v * 1.0001).v, at(v * 0.9999).v, 1e-7);
    EXPECT_NEAR(at(v * 1.0001).d, at(v * 0.9999).d, 1e-2);
  }
  for (double v = -0.2; v < 0.2; v += 0.001) EXPECT_GE(at(v).d, 0.0);
  // and a drive's efficiency comes in gradually too
  const DriveLoss<double> d = drive(2.0, {0}, {0.5});
  EXPECT_NEAR(drive_input<double>(d, 20.0, 1e-9, 0.1), drive_input<double>(d, 20.0, -1e-9, 0.1), 1e-5);
  EXPECT_NEAR(drive_input<double>(d, 20.0, 0.1, 0.1), 20 / 0.5 + 2, 1e-12);
}

// A wheel on a vertical axis, with a geared drive.
Model<double> wheel(double width = 0.0) {
  Model<double> model = instantiate<double>(*read_text(R"(linkwright: 1
name: wheel
links:
  - name: wheel
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 1, tensor: [1, 1, 0.5]}
    friction: {viscous: 0.3, coulomb: 0.7}
    drive: {ratio: 50, rotor_inertia: 4e-4, efficiency: 0.8, breakaway: 0.9}
)",
                                                       "wheel.yaml")
                                                 .mechanism);
  model.losses[0].width = model.transmissions[0].width = width;
  return model;
}

TEST(InverseWithLosses, TheRotorsTorqueDoesNotPassTheGear) {
  const Model<double> model = wheel();
  Workspace<double> work(model);
  Losses<double> l(model);
  const std::vector<double> q{0.0}, qd{2.0}, qdd{3.0};
  inverse_with_losses<double>(model, work, q, qd, qdd, l);
  const double rotor = 50 * 50 * 4e-4 * 3, joint = 0.5 * 3 + 0.3 * 2 + 0.7;
  EXPECT_NEAR(l.dynamic[0], 0.5 * 3 + rotor, 1e-15);
  EXPECT_NEAR(l.bearing[0], 0.3 * 2 + 0.7, 1e-15);
  EXPECT_NEAR(l.at_joint[0], joint + rotor, 1e-15);
  EXPECT_NEAR(l.total[0], joint / 0.8 + 0.9 + rotor, 1e-14);
  EXPECT_NEAR(l.transmission[0], l.total[0] - l.at_joint[0], 1e-15);
  EXPECT_NEAR(l.motor[0], l.total[0] / 50, 1e-15);
}

TEST(InverseWithLosses, HoldingRangeIsBetweenTheLimitsOfMotion) {
  const std::vector<double> q{0.0}, zero{0.0};
  double low = 0.0, high = 0.0;
  const auto range = [&](const Model<double>& model, const std::vector<double>& qd) {
    Workspace<double> work(model);
    holding_range<double>(model, work, q, qd, zero, {&low, 1}, {&high, 1});
  };
  range(wheel(), zero);
  // to move it either way, 0.7 at the joint through the gear, and the breakaway torque
  EXPECT_NEAR(high, 0.7 / 0.8 + 0.9, 1e-15);
  EXPECT_EQ(low, -high);
  range(wheel(), {2.0});
  EXPECT_EQ(low, high);
  EXPECT_NEAR(high, (0.3 * 2 + 0.7) / 0.8 + 0.9, 1e-15);
  range(wheel(0.01), zero);  // a gradual law creeps
  EXPECT_NEAR(high, 0.0, 1e-200);
}

// A block of 2 kg on a guide: 2 · 0.5 + 3 N start it, 1 N alone would not.
TEST(InverseWithLosses, FrictionAtRestOpposesTheMotionThatBegins) {
  const Model<double> block = instantiate<double>(*read_text(R"(linkwright: 1
name: block
gravity: [0, 0, 0]
links: [{name: b, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 3}}]
)",
                                                             "block.yaml")
                                                       .mechanism);
  Workspace<double> work(block);
  Losses<double> l(block);
  const auto force = [&](double qd, double qdd, AtRest at_rest = AtRest::direction_of_acceleration) {
    inverse_with_losses<double>(block, work, std::vector<double>{0.0}, std::vector<double>{qd},
                                std::vector<double>{qdd}, l, {}, at_rest);
    return l.total[0];
  };
  EXPECT_EQ(force(0.0, 0.5), 4.0);
  EXPECT_EQ(force(0.0, -0.5), -4.0);
  EXPECT_EQ(force(-0.0, 0.5), 4.0);
  EXPECT_EQ(force(0.0, 0.0), 0.0);
  EXPECT_EQ(force(1e-300, -0.5), 2.0);  // it still moves forwards
  EXPECT_EQ(force(0.0, 0.5, AtRest::no_direction), 1.0);
  // through a drive that begins to drive, and to be driven
  const Model<double> driven = wheel();
  Workspace<double> other(driven);
  Losses<double> losses(driven);
  const std::vector<double> still{0.0};
  inverse_with_losses<double>(driven, other, still, still, std::vector<double>{3.0}, losses);
  const double rotor = 50 * 50 * 4e-4 * 3;
  EXPECT_NEAR(losses.total[0], (0.5 * 3 + 0.7) / 0.8 + 0.9 + rotor, 1e-14);
  // one that begins to move is not held
  double low = 0.0, high = 0.0;
  holding_range<double>(driven, other, still, still, std::vector<double>{3.0}, {&low, 1}, {&high, 1});
  EXPECT_EQ(low, losses.total[0]);
  EXPECT_EQ(high, losses.total[0]);
  // a gradual law has no jump, and none at rest
  inverse_with_losses<double>(wheel(0.01), other, still, still, std::vector<double>{3.0}, losses);
  EXPECT_NEAR(losses.total[0], 0.5 * 3 + rotor, 1e-14);
}

TEST(InverseWithLosses, TraceGivesTheSameBits) {
  const Mechanism puma = load("puma560-dhanaraj");
  const Model<double> model = instantiate<double>(puma);
  const Model<Expr> symbols = instantiate<Expr>(puma);
  ASSERT_EQ(model.losses.size(), 3u);
  Workspace<Expr> traced_work(symbols);
  const std::size_t n = 6;
  const Function f = trace("inverse", {{"q", 6}, {"qd", 6}, {"qdd", 6}}, {{"total", 6}, {"bearing", 6}},
                           [&](const Arguments& in, Results& out) {
                             Losses<Expr> l(symbols);
                             inverse_with_losses<Expr>(symbols, traced_work, in[0], in[1], in[2], l);
                             for (std::size_t k = 0; k < n; ++k) {
                               out[0][k] = l.total[k];
                               out[1][k] = l.bearing[k];
                             }
                           });
  Workspace<double> work(model);
  Losses<double> l(model);
  Random random(3);
  for (int k = 0; k < 50; ++k) {
    State s = random_state(model, random);
    if (k % 2 == 0) s.qd[static_cast<std::size_t>(k % 6)] = 0.0;
    inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, l);
    std::vector<double> in = s.q;
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    std::vector<double> out(2 * n);
    evaluate<double>(f, in, out);
    for (std::size_t v = 0; v < n; ++v) {
      EXPECT_EQ(out[v], l.total[v]);
      EXPECT_EQ(out[n + v], l.bearing[v]);
    }
  }
}

}  // namespace friction_test
}  // namespace lw
