// Friction of passive and cut joints, drives around closed loops, forwards and backwards.
#include <gtest/gtest.h>

#include <cmath>

#include "base/worse.hpp"
#include "dynamics/loops/forward_losses.hpp"
#include "dynamics/loops/loop_position.hpp"
#include "dynamics/loops/random_states.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"
#include "support/closed_chains.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace closed_losses_test {

using Values = std::vector<double>;
std::size_t u(int k) { return static_cast<std::size_t>(k); }

void add_friction(Mechanism& m, double viscous, double coulomb, double width = 0.0) {
  for (Link& link : m.links) {
    if (link.joint.type == JointType::fixed) continue;
    link.joint.friction.present = true;
    link.joint.friction.viscous = viscous;
    link.joint.friction.coulomb = coulomb;
    link.joint.friction.width = width;
  }
  for (Loop& loop : m.loops) {
    loop.friction.present = true;
    loop.friction.viscous = viscous;
    loop.friction.coulomb = coulomb;
    loop.friction.width = width;
  }
}

struct Subject {
  explicit Subject(Mechanism m, std::uint64_t seed = 2)
      : mechanism(std::move(m)),
        model(with_drivers(instantiate<double>(mechanism))),
        plan(plan_loops(model)),
        work(model, plan),
        states(model, plan) {
    Random random(seed);
    s = states.next(random);
    q = states.tree_q();
  }
  Mechanism mechanism;
  Model<double> model;
  LoopPlan plan;
  PlantWorkspace<double> work;
  RandomStates states;
  State s;
  Values q;
};

// What all joints lose is what the motors give more: the velocities in the cuts as differences of the links' own.
TEST(ClosedLosses, PowerOfFrictionIsThatOfEveryJoint) {
  for (const JointType cut : {JointType::revolute, JointType::prismatic, JointType::cylindrical, JointType::universal,
                              JointType::spherical, JointType::planar}) {
    Mechanism m = closed_chain(cut, 7);
    add_friction(m, 0.7, 0.0);
    Subject s(m);
    ClosedLosses<double> losses(s.model, s.plan);
    losses.inverse(s.work, s.q, s.s.qd, s.s.qdd);
    double given = 0.0, lost = 0.0;
    for (std::size_t k = 0; k < s.plan.actuated.size(); ++k)
      given += losses.losses.bearing[k] * s.work.qd[u(s.plan.actuated[k])];
    for (const double v : s.work.qd) lost += 0.7 * v * v;
    // in the cut: the base's frame stands still, the other moves against it
    Workspace<double> tree(s.model);
    forward_velocities<double>(s.model, tree, s.q, s.work.qd);
    const Frame<double>& a = s.model.loops[0].a;
    const Transform<double> X_A = frame_pose(tree, a), X_B = frame_pose(tree, s.model.loops[0].b);
    const Motion<double>& v = tree.velocity[u(a.body)];
    const Mat3<double>& R = tree.X_W[u(a.body)].R;
    const Vec3<double> w = R * v.ang, at_A = R * (v.lin + cross(v.ang, a.X_BF.p)),
                       at_B = at_A + cross(w, X_B.p - X_A.p);
    if (cut == JointType::revolute || cut == JointType::spherical) lost += 0.7 * dot(w, w);
    if (cut == JointType::prismatic) lost += 0.7 * dot(at_B, at_B);
    if (cut == JointType::cylindrical || cut == JointType::planar) lost += 0.7 * (dot(w, w) + dot(at_B, at_B));
    if (cut == JointType::universal) {
      // ω = u q̇₁ + w q̇₂ of axes at right angles
      const Vec3<double> first = X_A.R * s.model.loops[0].axis, second = X_B.R * s.model.loops[0].axis2;
      lost += 0.7 * (dot(first, w) * dot(first, w) + dot(second, w) * dot(second, w));
    }
    EXPECT_NEAR(given, lost, 1e-10 * lost) << to_string(cut);
  }
}

TEST(ClosedLosses, ForwardUndoesInverseWhereEverythingMoves) {
  for (const char* name : {"four-bar", "planar-3rrr"}) {
    Mechanism m = load(name);
    add_friction(m, 0.05, 0.3);
    m.links[0].joint.drive.emplace();
    m.links[0].joint.drive->ratio = 20.0;
    m.links[0].joint.drive->rotor_inertia = 2e-4;
    m.links[0].joint.drive->efficiency = FormulaTable{{0.0}, {0.8}, false, {}};
    m.links[0].joint.drive->breakaway = 0.4;
    m.links[1].joint.friction.bearings.push_back({Bearing::Kind::journal, 0.1, 0.02, 0.1, false, {}});
    m.loops[0].friction.bearings.push_back({Bearing::Kind::journal, 0.1, 0.02, 0.1, false, {}});
    Subject s(m);
    ClosedLosses<double> losses(s.model, s.plan);
    losses.inverse(s.work, s.q, s.s.qd, s.s.qdd);
    const Values tau = losses.losses.total;
    Values back(s.plan.freedoms());
    ForwardLosses forward(s.model, s.plan);
    forward(s.q, s.s.qd, tau, back);
    for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], s.s.qdd[k], 1e-9) << name;
    EXPECT_TRUE(forward.sticking().empty());
  }
}

// From rest every joint's friction opposes what begins: by virtual work the crank needs the sum of their torques, each
// times the joint's speed at unit speed of the crank, which differences of closed poses give.
TEST(ClosedLosses, FrictionAtRestOpposesTheMotionThatBegins) {
  Mechanism m = load("four-bar");
  add_friction(m, 0.2, 0.3);
  Subject s(m);
  const Values still(1, 0.0);
  constexpr double kStep = 1e-5;
  Values ends[2];
  for (const int side : {0, 1}) {
    Values guess;
    for (const int k : s.plan.dependent_q) guess.push_back(s.q[u(k)]);
    const Values q{s.q[u(s.plan.independent_q[0])] + (side == 0 ? -kStep : kStep)};
    ends[side] = loop_position<double>(s.model, s.plan, q, guess).q;
  }
  double most = 0.0;
  Values rate;
  for (std::size_t k = 0; k < s.q.size(); ++k) rate.push_back((ends[1][k] - ends[0][k]) / (2.0 * kStep));
  for (const double x : rate) most += 0.3 * std::abs(x);
  // all axes are parallel: the angle in the cut is the difference of the links' angles, sums along their chains
  const auto angle = [&](int body) {
    double sum = 0.0;
    for (int b = body; b >= 0; b = s.model.bodies[u(b)].parent)
      sum += rate[u(s.model.bodies[u(b)].q)] * s.model.bodies[u(b)].axis[1];
    return sum;
  };
  most += 0.3 * std::abs(angle(s.model.loops[0].b.body) - angle(s.model.loops[0].a.body));
  ClosedLosses<double> losses(s.model, s.plan);
  ForwardLosses forward(s.model, s.plan);
  for (const double qdd : {-2.0, 0.7, 0.0}) {
    Values without(1), back(1);
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, still, Values{qdd}, without);
    losses.inverse(s.work, s.q, still, Values{qdd});
    const double sign = qdd > 0.0 ? 1.0 : qdd < 0.0 ? -1.0 : 0.0;
    EXPECT_NEAR(losses.losses.total[0], without[0] + sign * most, 1e-8) << qdd;  // differences: the square of the step
    forward(s.q, still, Values(losses.losses.total), back);
    EXPECT_NEAR(back[0], qdd, 1e-9);
  }
}

TEST(ClosedLosses, ForwardUndoesInverseFromRest) {
  for (const char* name : {"four-bar", "planar-3rrr", "five-bar"}) {
    Mechanism m = load(name);
    add_friction(m, 0.05, 0.3);
    Subject s(m);
    ClosedLosses<double> losses(s.model, s.plan);
    ForwardLosses forward(s.model, s.plan);
    Random random(5);
    for (int k = 0; k < 10; ++k) {
      const Values still(s.plan.freedoms(), 0.0), qdd = s.states.next(random).qdd;
      s.q = s.states.tree_q();
      losses.inverse(s.work, s.q, still, qdd);
      const Values tau = losses.losses.total;
      Values back(still.size());
      forward(s.q, still, tau, back);
      for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], qdd[i], 1e-8) << name << " " << k;
      EXPECT_TRUE(forward.sticking().empty());
    }
  }
}

// At rest: nothing moves while the torque stays within what friction holds, and what moves beyond it accelerates as the
// rest of the torque says.
TEST(ClosedLosses, DryFrictionHoldsAMechanismAtRest) {
  Mechanism m = load("four-bar");
  add_friction(m, 0.0, 0.3);
  Subject s(m);
  const Values still(1, 0.0);
  Values weight(1), qdd(1);
  inverse_dynamics<double>(s.model, s.plan, s.work, s.q, still, still, weight);
  complement_by_unit_velocities<double>(s.model, s.plan, s.work);
  // what all four joints hold together, by their velocities at unit speed of the crank
  ClosedLosses<double> losses(s.model, s.plan);
  losses.set_cut_rows(s.work);
  double most = 0.0, in_cut = 0.0;
  for (std::size_t v = 0; v < 3; ++v) {
    most += 0.3 * std::abs(s.work.R[v]);
    in_cut += losses.cuts()[0].row[v] * s.work.R[v];
  }
  most += 0.3 * std::abs(in_cut);
  ForwardLosses forward(s.model, s.plan);
  for (const double part : {-0.999, -0.3, 0.0, 0.5, 0.999}) {
    forward(s.q, still, Values{weight[0] + part * most}, qdd);
    EXPECT_EQ(qdd[0], 0.0) << part;
    EXPECT_FALSE(forward.sticking().empty());
  }
  Values H(1);
  mass_matrix<double>(s.model, s.plan, s.work, s.q, H);
  for (const double sign : {-1.0, 1.0}) {
    forward(s.q, still, Values{weight[0] + sign * (most + 0.25)}, qdd);
    EXPECT_NEAR(qdd[0], sign * 0.25 / H[0], 1e-10 * 0.25 / H[0]);
    EXPECT_TRUE(forward.sticking().empty());
  }
}

TEST(ClosedLosses, OfThreeFreedomsOneMayHoldWhileOthersSlip) {
  Mechanism m = load("planar-3rrr");
  m.gravity = {0.0, 0.0, 0.0};
  m.links[0].joint.friction.present = true;
  m.links[0].joint.friction.coulomb = 50.0;  // the first crank
  Subject s(m);
  const Values still(3, 0.0);
  Values qdd(3), tau{1.0, 2.0, -1.0};
  ForwardLosses forward(s.model, s.plan);
  forward(s.q, still, tau, qdd);
  EXPECT_EQ(forward.sticking(), std::vector<std::string>{"crank1"});
  EXPECT_LT(std::abs(qdd[0]), 1e-12 * std::abs(qdd[1]));
  // the other two as if the first were part of the base: its row and column struck out
  Values H(9);
  mass_matrix<double>(s.model, s.plan, s.work, s.q, H);
  const double det = H[4] * H[8] - H[5] * H[7];
  EXPECT_NEAR(qdd[1], (H[8] * tau[1] - H[7] * tau[2]) / det, 1e-10 * std::abs(qdd[1]));
  EXPECT_NEAR(qdd[2], (H[4] * tau[2] - H[5] * tau[1]) / det, 1e-10 * std::abs(qdd[2]));
}

// The force on the rocker of 0.6 m at an angle b, at its pin with a massless coupler of 1 m at an angle a, whose moment
// about the rocker's pivot is on_rocker, and of whose opposite the moment about the coupler's first pin is on_coupler:
//   0.6 (c_b F_y − s_b F_x) = on_rocker,   −(c_a F_y − s_a F_x) = on_coupler
double pin_force(double a, double b, double on_rocker, double on_coupler) {
  const double det = 0.6 * (std::cos(b) * std::sin(a) - std::sin(b) * std::cos(a));
  const double x = (on_rocker * std::cos(a) + 0.6 * std::cos(b) * on_coupler) / det;
  const double y = (on_rocker * std::sin(a) + 0.6 * std::sin(b) * on_coupler) / det;
  return std::hypot(x, y);
}
double sign(double x) { return x > 0.0 ? 1.0 : -1.0; }

// Two motors on one freedom that push against each other: the pin bears what statics says, its own friction with it.
TEST(ClosedLosses, MotorsAgainstEachOtherLoadBearings) {
  Subject s(mechanism_of(R"(name: bars
gravity: [0, -9.81, 0]
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, com: [0.2, 0, 0], tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, actuated: true, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}, friction: {bearing: {type: journal, mu: 0.2, radius: 0.05, moments: false}}}]
)"));
  ASSERT_EQ(s.plan.actuated.size(), 2u);
  const Values weights{1.0, 30.0};
  ClosedLosses<double> losses(s.model, s.plan);
  Values still(1), tau;
  generalised_forces<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, still);
  const double right_by_left = s.work.qd[2] / s.work.qd[0], rate = s.work.qd[0] + s.work.qd[1] - s.work.qd[2];
  // torques that do nothing but press
  constexpr double kPress = 1e7;
  losses.forces(s.work, s.q, s.s.qd, s.s.qdd, {}, {}, Values{right_by_left * kPress, -kPress});
  double moment = 0.0;  // of friction: on the rocker against the coupler
  for (int pass = 0; pass < 100; ++pass) {
    // what friction takes both motors give, by the least sum of squares
    const double lost = moment * std::abs(rate) / s.s.qd[0],
                 by_right = right_by_left * lost / (1.0 + right_by_left * right_by_left);
    const double on_rocker = kPress - by_right - moment * sign(rate), on_coupler = moment * sign(rate);
    moment = 0.2 * 0.05 * pin_force(s.q[0] + s.q[1], s.q[2], on_rocker, on_coupler);
  }
  EXPECT_NEAR((losses.needed[0] - still[0]) * s.s.qd[0], moment * std::abs(rate),
              1e-5 * moment * std::abs(rate));  // weights and inertia
  // what inverse dynamics gives makes the motion
  losses.inverse(s.work, s.q, s.s.qd, s.s.qdd);
  tau = losses.losses.total;
  Values back(1), pressed(1);
  ForwardLosses forward(s.model, s.plan);
  forward(s.q, s.s.qd, tau, back);
  EXPECT_NEAR(back[0], s.s.qdd[0], 1e-9 * (1.0 + std::abs(back[0])));
  // and the same torques with some that press: the freedom feels them by friction alone
  tau[0] += right_by_left * 500.0, tau[1] -= 500.0;
  forward(s.q, s.s.qd, tau, pressed);
  EXPECT_LT(pressed[0] * s.s.qd[0], back[0] * s.s.qd[0]);
  losses.forces(s.work, s.q, s.s.qd, pressed, {}, {}, tau);
  EXPECT_NEAR(losses.needed[0], tau[0] + right_by_left * tau[1], 1e-9 * 500.0);
  // weights share otherwise, and the pin bears other loads
  losses.inverse(s.work, s.q, s.s.qd, s.s.qdd);
  const double shared = losses.losses.bearing[0] + right_by_left * losses.losses.bearing[1];
  losses.inverse(s.work, s.q, s.s.qd, s.s.qdd, weights);
  const double weighted = losses.losses.bearing[0] + right_by_left * losses.losses.bearing[1];
  EXPECT_GT(std::abs(shared - weighted), 1e-3 * std::abs(shared));
}

// A four-bar without mass that only what rubs loads: the rocker's friction, by moments about the pins, and the
// bearing's own.
TEST(ClosedLosses, FrictionOfOtherJointsLoadsBearings) {
  const char* const text = R"(name: bars
gravity: [0, 0, 0]
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1e-9, tensor: [1e-9, 1e-9, 1e-9]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1e-9, tensor: [1e-9, 1e-9, 1e-9]}, BEARING}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}, friction: {coulomb: 3}, inertia: {mass: 1e-9, tensor: [1e-9, 1e-9, 1e-9]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}IN_CUT}]
)";
  const std::string journal = "friction: {bearing: {type: journal, mu: 0.3, radius: 0.05, moments: false}}";
  constexpr double k = 0.3 * 0.05;
  for (const bool cut : {false, true}) {
    std::string file = text;
    file.replace(file.find("IN_CUT"), 6, cut ? ", " + journal : "");
    file.replace(file.find(", BEARING"), 9, cut ? "" : ", " + journal);
    Subject s(mechanism_of(file));
    ClosedLosses<double> losses(s.model, s.plan);
    losses.inverse(s.work, s.q, s.s.qd, Values{0.0});
    const double left = s.s.qd[0], coupler = s.work.qd[1], right = s.work.qd[2], at_pin = right - left - coupler;
    // what rubs in the bearing is a moment on the coupler from the left link, or on the rocker from the coupler
    double m = 0.0;
    for (int pass = 0; pass < 100; ++pass) {
      const double on_rocker = 3.0 * sign(right) + (cut ? m * sign(at_pin) : 0.0),
                   on_coupler = m * (cut ? -sign(at_pin) : sign(coupler));
      m = k * pin_force(s.q[0] + s.q[1], s.q[2], on_rocker, on_coupler);
    }
    // all power that is lost comes from the motor
    const double lost = 3.0 * std::abs(right) + m * std::abs(cut ? at_pin : coupler);
    EXPECT_NEAR(losses.losses.total[0] * left, lost, 1e-7 * lost) << cut;
    EXPECT_GT(m, 1e-3 * 3.0);
    // forward dynamics agrees
    Values back(1);
    ForwardLosses forward(s.model, s.plan);
    forward(s.q, s.s.qd, Values{losses.losses.total[0]}, back);
    EXPECT_NEAR(back[0] * 1e-9, 0.0, 1e-8);
  }
}

// Statics of a planar four-bar whose four pins are journals, by equilibrium of each of the three links. Unknown: the
// forces at A (ground on crank), B (crank on rod), C (ground on rocker), D (rod on rocker), and the motor's torque.
// Friction k |force| acts at every pin against the motion that is about to begin.
class JournalFourBar {
 public:
  static constexpr double kLoad = 0.2 * 0.03;  // μ r
  static constexpr const char* kText = R"(name: bars
gravity: [0, -9.81, 0]
links:
  - {name: crank, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, com: [0.1, 0.02, 0], tensor: [0.01, 0.01, 0.01]}, BEARING}
  - {name: rod, parent: crank, joint: {type: revolute, origin: {xyz: [0.2, 0, 0]}}, inertia: {mass: 2, com: [0.3, 0.05, 0], tensor: [0.1, 0.1, 0.1]}, BEARING}
  - {name: rocker, parent: base, joint: {type: revolute, origin: {xyz: [0.7, 0, 0]}}, inertia: {mass: 1.5, com: [0.2, -0.03, 0], tensor: [0.05, 0.05, 0.05]}, BEARING}
home: {crank: 1, rod: -0.6067392768940301, rocker: 1.6652890461070597}
loops: [{name: D, joint: {type: revolute}, between: [rod, rocker], at: {rod: {xyz: [0.6, 0, 0]}, rocker: {xyz: [0.4, 0, 0]}}, BEARING}]
)";
  static std::string text() {
    std::string file = kText;
    for (std::size_t at = 0; (at = file.find("BEARING")) != std::string::npos;)
      file.replace(at, 7, "friction: {bearing: {type: journal, mu: 0.2, radius: 0.03, moments: false}}");
    return file;
  }

  // The torque at which the crank begins to turn that way (±1).
  static double limit(const Values& q, int way) {
    using Vector = Eigen::Vector2d;
    const auto along = [](double angle) { return Vector(std::cos(angle), std::sin(angle)); };
    const auto turned = [](double angle, double x, double y) {
      return Vector(x * std::cos(angle) - y * std::sin(angle), x * std::sin(angle) + y * std::cos(angle));
    };
    const double crank = q[0], rod = q[0] + q[1], rocker = q[2];
    const Vector B = 0.2 * along(crank), C(0.7, 0.0), D = C + 0.4 * along(rocker);
    const Vector centres[] = {turned(crank, 0.1, 0.02), B + turned(rod, 0.3, 0.05), C + turned(rocker, 0.2, -0.03)};
    const double masses[] = {1.0, 2.0, 1.5};
    // angular speeds of the links at unit speed of the crank: ω_rod and ω_rocker carry D alike
    Eigen::Matrix2d arms;
    const auto across = [](const Vector& v) { return Vector(-v[1], v[0]); };
    arms.col(0) = across(D - B);
    arms.col(1) = -across(D - C);
    const Vector speeds = arms.inverse() * -across(B);
    const double s_A = way, s_B = way * sign(speeds[0] - 1.0), s_C = way * sign(speeds[1]),
                 s_D = way * sign(speeds[0] - speeds[1]);  // of the rod against the rocker
    Eigen::Matrix<double, 9, 1> x = Eigen::Matrix<double, 9, 1>::Zero();
    for (int pass = 0; pass < 100; ++pass) {
      const auto size = [&](int pin) { return kLoad * std::hypot(x[2 * pin], x[2 * pin + 1]); };
      const double m_A = -s_A * size(0), m_B = -s_B * size(1), m_C = -s_C * size(2),
                   m_D = s_D * size(3);  // on crank, rod, rocker, rocker
      Eigen::Matrix<double, 9, 9> E = Eigen::Matrix<double, 9, 9>::Zero();
      Eigen::Matrix<double, 9, 1> right;
      const auto force = [&](int link, int pin, double sense,
                             const Vector& place) {  // its row of forces, and moments about the origin
        E(3 * link, 2 * pin) += sense;
        E(3 * link + 1, 2 * pin + 1) += sense;
        E(3 * link + 2, 2 * pin) -= sense * place[1];
        E(3 * link + 2, 2 * pin + 1) += sense * place[0];
      };
      force(0, 0, 1.0, Vector::Zero()), force(0, 1, -1.0, B);
      force(1, 1, 1.0, B), force(1, 3, -1.0, D);
      force(2, 2, 1.0, C), force(2, 3, 1.0, D);
      E(2, 8) = 1.0;
      const double moments[] = {m_A - m_B, m_B - m_D, m_C + m_D};
      for (int link = 0; link < 3; ++link) {
        const double weight = 9.81 * masses[link];
        right.segment<3>(3 * link) << 0.0, weight, weight * centres[link][0] - moments[link];
      }
      x = E.inverse() * right;
    }
    return x[8];
  }
};

TEST(ClosedLosses, LoadedBearingsHoldUpToTheLimitsOfStatics) {
  Subject s(mechanism_of(JournalFourBar::text()));
  const Values q = s.model.home, still{0.0};
  const double lower = JournalFourBar::limit(q, -1), upper = JournalFourBar::limit(q, 1), width = upper - lower;
  EXPECT_GT(width, 0.1);
  const auto acceleration = [&](double tau) {
    Values qdd(1);
    ForwardLosses forward(s.model, s.plan);
    forward(q, still, Values{tau}, qdd);
    return qdd[0];
  };
  for (const double part : {1e-6, 1e-4, 1e-3, 1e-2, 0.1}) {
    EXPECT_EQ(acceleration(lower + part * width), 0.0) << part;
    EXPECT_EQ(acceleration(upper - part * width), 0.0) << part;
    EXPECT_LT(acceleration(lower - part * width), -1e-3 * part) << part;
    EXPECT_GT(acceleration(upper + part * width), 1e-3 * part) << part;
  }
}

// A bearing whose friction passes on 0.9 of a change of its load: passes alone would take hundreds.
TEST(ClosedLosses, LoadsThatSettleSlowlyAreFound) {
  std::string file = JournalFourBar::text();
  for (std::size_t at = 0; (at = file.find("radius: 0.03")) != std::string::npos;) file.replace(at, 12, "radius: 0.75");
  Subject s(mechanism_of(file));
  const Values q = s.model.home, qd{-2.0}, qdd{5.0};
  ClosedLosses<double> losses(s.model, s.plan);
  losses.inverse(s.work, q, qd, qdd);
  const double tau = losses.losses.total[0];
  // all that the motor gives beyond the motion's own power is lost in the bearings: F = μ r |load|, from loads under F
  EXPECT_GT(losses.losses.bearing[0] * qd[0], 1.0);
  Values back(1);
  ForwardLosses forward(s.model, s.plan);
  forward(q, qd, Values{tau}, back);
  EXPECT_NEAR(back[0], qdd[0], 1e-9);
  // and where more friction than load comes back, the joint is named
  for (std::size_t at = 0; (at = file.find("radius: 0.75")) != std::string::npos;) file.replace(at, 12, "radius: 2.00");
  Subject jams(mechanism_of(file));
  ClosedLosses<double> more(jams.model, jams.plan);
  try {
    more.inverse(jams.work, q, qd, qdd);
    ADD_FAILURE() << "a jam is not noticed";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("jams"), std::string::npos) << e.what();
  }
}

TEST(ClosedLosses, FilesGiveLoopsFriction) {
  const Mechanism m = mechanism_of(R"(name: bars
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 70 deg, coupler: -60 deg, right: 50 deg}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1.1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}, friction: {viscous: 0.25, coulomb: 0.5}}]
)");
  const Model<double> model = instantiate<double>(m);
  ASSERT_EQ(model.loops[0].losses.size(), 1u);
  EXPECT_EQ(model.loops[0].losses[0].viscous, 0.25);
  EXPECT_EQ(model.loops[0].losses[0].coulomb, 0.5);
}

}  // namespace closed_losses_test
}  // namespace lw
