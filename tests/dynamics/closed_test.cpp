// Closed mechanisms over all scalars, against methods that share nothing with the orthogonal complement: redundant
// coordinates with multipliers, derivatives by complex step and dual numbers, conservation of power.
#include "dynamics/loops/projection.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "base/largest.hpp"
#include "base/linear.hpp"
#include "base/worse.hpp"
#include "dynamics/assembly/assembly.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/loops/loop_position.hpp"
#include "dynamics/loops/random_states.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/coordinate_rates.hpp"
#include "model/read/read.hpp"
#include "support/closed_chains.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace closed_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Values = std::vector<double>;

std::size_t u(int k) { return static_cast<std::size_t>(k); }
VectorXd vec(const Values& x) { return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())); }

constexpr JointType kCuts[] = {JointType::fixed,     JointType::revolute,  JointType::prismatic, JointType::cylindrical,
                               JointType::universal, JointType::spherical, JointType::planar};

// A mechanism at a random closed state.
struct Subject {
  explicit Subject(Mechanism m, std::uint64_t seed = 1)
      : mechanism(std::move(m)),
        model(with_drivers(instantiate<double>(mechanism))),
        plan(plan_loops(model)),
        work(model, plan),
        states(model, plan) {
    Random random(seed);
    next(random);
  }
  void next(Random& random) {
    s = states.next(random);
    q = states.tree_q();
    set_pose<double>(model, plan, work, q);
    tree_velocities<double>(model, plan, work, s.qd);
    tree_accelerations<double>(model, plan, work, q, s.qdd);
    qd = work.qd;
    qdd = work.qdd;
  }
  std::size_t freedoms() const { return plan.freedoms(); }

  Mechanism mechanism;
  Model<double> model;
  LoopPlan plan;
  PlantWorkspace<double> work;
  RandomStates states;
  State s;
  Values q, qd, qdd;  // of the tree
};

std::vector<Mechanism> subjects() {
  std::vector<Mechanism> list{load("four-bar"), load("planar-3rrr"), load("stewart")};
  for (const JointType cut : kCuts) list.push_back(closed_chain(cut, 5));
  return list;
}

// All closures, in the file's frames, with exact derivatives: nothing of the plan.
struct Redundant {
  MatrixXd J;
  VectorXd Jdot_qd;
};
Redundant redundant(const Subject& s) {
  const ClosureEquations all = closure_equations(s.model);
  const auto m = static_cast<Eigen::Index>(all.size());
  Workspace<double> work(s.model);
  const ClosureState state = closure_state(s.model, work, s.q);
  Redundant r{Eigen::Map<const MatrixXd>(state.jacobian.data(), m, s.model.nv), VectorXd(m)};
  // d/dt of J along the motion, by dual numbers
  const Model<Dual> twin = instantiate<Dual>(s.mechanism);
  Workspace<Dual> dual(twin);
  std::vector<Dual> q(s.q.begin(), s.q.end()), J(all.size() * u(s.model.nv));
  Values rates(s.q.size());
  coordinate_rates<double>(s.model, s.q, s.qd, rates);
  for (std::size_t k = 0; k < q.size(); ++k) q[k].d = rates[k];
  forward_kinematics<Dual>(twin, dual, q);
  closure_jacobian<Dual>(twin, dual, all, ClosureAt::anywhere, J);
  for (Eigen::Index i = 0; i < m; ++i) {
    r.Jdot_qd[i] = 0.0;
    for (std::size_t v = 0; v < s.qd.size(); ++v)
      r.Jdot_qd[i] += J[v * all.size() + static_cast<std::size_t>(i)].d * s.qd[v];
  }
  return r;
}

TEST(ClosureRows, AccelerationsAreThoseOfTheJacobianByDualNumbers) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    const Redundant r = redundant(s);
    const ClosureEquations all = closure_equations(s.model);
    Workspace<double> work(s.model);
    forward_kinematics<double>(s.model, work, s.q);
    Values zero(s.qd.size(), 0.0), got(all.size());
    forward_accelerations<double>(s.model, work, s.q, s.qd, zero, Vec3<double>::zero());
    closure_accelerations<double>(s.model, work, all, s.qd, got);
    const double size = 1.0 + largest(r.Jdot_qd);
    // `turn` is exact to first order only: its second derivative is that of the rotation vector where B stands still in
    // A
    EXPECT_LT(largest(vec(got) - r.Jdot_qd), 1e-11 * size) << m.name << " " << to_string(s.model.loops[0].type);
  }
}

TEST(ClosureRows, ClosedVelocitiesAndAccelerationsMeetAllClosures) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    const Redundant r = redundant(s);
    EXPECT_LT(largest(r.J * vec(s.qd)), 1e-12 * (1.0 + largest(vec(s.qd)))) << m.name;
    EXPECT_LT(largest(r.J * vec(s.qdd) + r.Jdot_qd), 1e-10 * (1.0 + largest(vec(s.qdd)))) << m.name;
  }
}

TEST(Complement, IsTheDerivativeOfThePositionByComplexStep) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    const Model<ComplexStep> twin = instantiate<ComplexStep>(s.mechanism);
    complement_by_unit_velocities<double>(s.model, s.plan, s.work);
    const Values R = s.work.R;
    const std::vector<ComplexStep> guess(s.s.guess.begin(), s.s.guess.end());
    for (std::size_t k = 0; k < s.freedoms(); ++k) {
      std::vector<ComplexStep> q(s.s.q.begin(), s.s.q.end());
      q[k].im = kComplexStep;  // independent joints here have one coordinate each
      const LoopPosition<ComplexStep> there = loop_position<ComplexStep>(twin, s.plan, q, guess);
      ASSERT_TRUE(there.converged);
      Values column(R.begin() + static_cast<std::ptrdiff_t>(k * s.qd.size()),
                    R.begin() + static_cast<std::ptrdiff_t>((k + 1) * s.qd.size()));
      Values rates(s.q.size());
      coordinate_rates<double>(s.model, s.q, column, rates);
      for (std::size_t c = 0; c < rates.size(); ++c) {
        EXPECT_NEAR(derivative_of(there.q[c]), rates[c], 1e-11 * (1.0 + std::abs(rates[c]))) << m.name << " " << c;
        EXPECT_NEAR(there.q[c].re, s.q[c], 1e-12) << m.name;
      }
    }
  }
}

TEST(Complement, ByUnitVelocitiesIsTheProjection) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    complement_by_unit_velocities<double>(s.model, s.plan, s.work);
    const Values columns = s.work.R;
    complement_by_projection<double>(s.model, s.plan, s.work);
    const double size = 1.0 + largest(vec(columns));
    EXPECT_LT(largest_difference(columns, s.work.R), 1e-13 * size) << m.name;
    const Redundant r = redundant(s);
    const Eigen::Map<const MatrixXd> R(columns.data(), s.model.nv, static_cast<Eigen::Index>(s.freedoms()));
    EXPECT_LT(largest(r.J * R), 1e-12 * size) << m.name;
  }
}

// [M −Jᵀ; J 0] with as many multipliers as closures, dependent ones and all.
struct Multipliers {
  explicit Multipliers(Subject& s) : M(s.model.nv, s.model.nv), h(s.model.nv), r(redundant(s)) {
    Workspace<double> work(s.model);
    crba<double>(s.model, work, s.q, {M.data(), static_cast<std::size_t>(M.size())});
    bias_forces<double>(s.model, work, s.q, s.qd, {h.data(), static_cast<std::size_t>(h.size())});
  }
  // q̈ of the tree, torques at the actuated velocities, and λ of least norm, for q̈_a
  VectorXd inverse(const Subject& s) const {
    const auto nv = static_cast<Eigen::Index>(s.model.nv), m = r.J.rows(), n = static_cast<Eigen::Index>(s.freedoms());
    const auto a = static_cast<Eigen::Index>(s.plan.actuated.size());
    MatrixXd A = MatrixXd::Zero(nv + m + n, nv + a + m);
    VectorXd b(nv + m + n);
    A.topLeftCorner(nv, nv) = M;
    for (Eigen::Index k = 0; k < a; ++k) A(s.plan.actuated[static_cast<std::size_t>(k)], nv + k) = -1.0;
    A.block(0, nv + a, nv, m) = -r.J.transpose();
    A.block(nv, 0, m, nv) = r.J;
    for (Eigen::Index k = 0; k < n; ++k) A(nv + m + k, s.plan.independent[static_cast<std::size_t>(k)]) = 1.0;
    b << -h, -r.Jdot_qd, vec(s.s.qdd);
    return Svd(A).solve(b, 1e-11).segment(nv, a);
  }
  VectorXd forward(const Subject& s, const VectorXd& tau) const {
    const auto nv = static_cast<Eigen::Index>(s.model.nv), m = r.J.rows();
    MatrixXd A = MatrixXd::Zero(nv + m, nv + m);
    VectorXd b(nv + m);
    A << M, -r.J.transpose(), r.J, MatrixXd::Zero(m, m);
    b << -h, -r.Jdot_qd;
    for (Eigen::Index k = 0; k < tau.size(); ++k) b[s.plan.actuated[static_cast<std::size_t>(k)]] += tau[k];
    const VectorXd x = Svd(A).solve(b, 1e-11);
    VectorXd qdd(static_cast<Eigen::Index>(s.freedoms()));
    for (Eigen::Index k = 0; k < qdd.size(); ++k) qdd[k] = x[s.plan.independent[static_cast<std::size_t>(k)]];
    return qdd;
  }
  MatrixXd M;
  VectorXd h;
  Redundant r;
};

TEST(Closed, InverseEqualsMultipliersInRedundantCoordinates) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    const VectorXd expected = Multipliers(s).inverse(s);
    Values tau(s.plan.actuated.size());
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau);
    EXPECT_LT(largest(vec(tau) - expected), 1e-9 * (1.0 + largest(expected)))
        << m.name << " " << to_string(s.model.loops[0].type);
  }
}

TEST(Closed, ForwardEqualsMultipliersAndUndoesInverse) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    Values tau(s.plan.actuated.size()), back(s.freedoms());
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau);
    forward_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, tau, back);
    EXPECT_LT(largest_difference(back, s.s.qdd), 1e-10) << m.name;
    forward_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.tau, back);
    const VectorXd expected = Multipliers(s).forward(s, vec(s.s.tau));
    EXPECT_LT(largest(vec(back) - expected), 1e-8 * (1.0 + largest(expected))) << m.name;
  }
}

TEST(Closed, TorquesDoTheWorkThatTheEnergyGains) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    Values tau(s.plan.actuated.size());
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau);
    double power = 0.0;
    for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * s.qd[u(s.plan.actuated[k])];
    const Model<Dual> twin = instantiate<Dual>(s.mechanism);
    Workspace<Dual> work(twin);
    Values rates(s.q.size());
    coordinate_rates<double>(s.model, s.q, s.qd, rates);
    std::vector<Dual> q, qd;
    for (std::size_t k = 0; k < s.q.size(); ++k) q.emplace_back(s.q[k], rates[k]);
    for (std::size_t k = 0; k < s.qd.size(); ++k) qd.emplace_back(s.qd[k], s.qdd[k]);
    forward_velocities<Dual>(twin, work, q, qd);
    const Energy<Dual> e = energy<Dual>(twin, work, q, qd);
    EXPECT_NEAR(power, e.kinetic.d + e.potential.d, 1e-10 * (1.0 + std::abs(power))) << m.name;
  }
}

TEST(Closed, ForcesInTheCutsLeaveNoTorqueToPassiveJoints) {
  for (const Mechanism& m : subjects()) {
    Subject s(m);
    Values tau(s.plan.actuated.size()), all(s.qd.size());
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau);
    std::vector<Force<double>> cuts(s.model.bodies.size());
    add_loop_wrenches<double>(s.model, s.plan, s.work, cuts);
    Workspace<double> work(s.model);
    rnea<double>(s.model, work, s.q, s.qd, s.qdd, all, cuts);
    const double size = 1.0 + largest(vec(tau));
    for (const int v : s.plan.dependent) EXPECT_NEAR(all[u(v)], 0.0, 1e-10 * size) << m.name << " " << v;
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_NEAR(all[u(s.plan.actuated[k])], tau[k], 1e-10 * size) << m.name;
  }
}

TEST(Closed, FrameJacobianIsThatOfTheTreeOnClosedMotions) {
  Subject s(load("planar-3rrr"));
  const int platform = s.model.frame_index("platform");
  Values J(6 * s.freedoms());
  frame_jacobian<double>(s.model, s.plan, s.work, platform, J);
  forward_velocities<double>(s.model, s.work.tree, s.q, s.qd);
  const Motion<double> v = frame_velocity(s.model, s.work.tree, platform);
  for (int r = 0; r < 3; ++r) {
    double ang = 0.0, lin = 0.0;
    for (std::size_t k = 0; k < s.freedoms(); ++k) {
      ang += J[6 * k + u(r)] * s.s.qd[k];
      lin += J[6 * k + 3 + u(r)] * s.s.qd[k];
    }
    EXPECT_NEAR(ang, v.ang[r], 1e-13);
    EXPECT_NEAR(lin, v.lin[r], 1e-13);
  }
}

// A plan leaves small problems: one unknown of a four-bar, two of the 3-RRR, and pivots that are numbers.
TEST(LoopPlan, PlanarLoopsBecomeSmall) {
  const LoopPlan four = plan_loops(instantiate<double>(load("four-bar")));
  EXPECT_EQ(four.equations.size(), 2u);
  EXPECT_EQ(four.unknown.size(), 1u);
  EXPECT_EQ(four.velocity.pivots.size(), 2u);  // the second is alone in its row: no core is left
  EXPECT_EQ(four.velocity.rows.size(), 0u);
  const LoopPlan rrr = plan_loops(instantiate<double>(load("planar-3rrr")));
  EXPECT_EQ(rrr.equations.size(), 4u);
  EXPECT_EQ(rrr.ends.size(), 2u);
  EXPECT_EQ(rrr.unknown.size(), 2u);
  EXPECT_EQ(rrr.velocity.pivots.size(), 2u);
  EXPECT_EQ(rrr.velocity.rows.size(), 2u);
}

std::string refusal_of(const std::string& text) {
  try {
    const Model<double> model = instantiate<double>(mechanism_of(text));
    refuse_undriven(plan_loops(model), model.name, model.velocity_names);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

const std::string kBars = R"(name: bars
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: LEFT}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, actuated: RIGHT, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 70 deg, coupler: -60 deg, right: 50 deg}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1.1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}]
)";
std::string bars(bool left, bool right) {
  std::string text = kBars;
  text.replace(text.find("LEFT"), 4, left ? "true" : "false");
  text.replace(text.find("RIGHT"), 5, right ? "true" : "false");
  return text;
}

TEST(LoopPlan, SaysWhatActuatedJointsLeaveFree) {
  const std::string five = R"(name: five
links:
  - {name: a, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: c, parent: base, joint: {type: revolute, origin: {xyz: [0.6, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: d, parent: c, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {a: 100 deg, b: -60 deg, c: 60 deg, d: 70 deg}
loops: [{name: pin, joint: {type: revolute}, between: [b, d], at: {b: {xyz: [0.6, 0, 0]}, d: {xyz: [0.6, 0, 0]}}}]
)";
  const std::string said = refusal_of(five);
  EXPECT_NE(said.find("do not determine its motion: it has 2 freedoms, they 1; with `"), std::string::npos) << said;
  // forward dynamics goes without: one joint more is independent, and the torque there is zero
  Subject s(mechanism_of(five));
  ASSERT_EQ(s.plan.actuated, std::vector<int>{0});
  ASSERT_EQ(s.freedoms(), 2u);
  ASSERT_EQ(s.plan.undriven().size(), 1u);
  Values tau{3.0}, qdd(2);
  forward_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, tau, qdd);
  const VectorXd by_multipliers = Multipliers(s).forward(s, vec(tau));
  EXPECT_LT(largest(vec(qdd) - by_multipliers), 1e-10 * (1.0 + largest(by_multipliers)));
  EXPECT_THROW(inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, qdd, tau), Error);
  const std::string locked = R"(name: locked
links:
  - {name: a, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {a: 60 deg, b: -120 deg}
loops: [{name: pin, joint: {type: revolute}, between: [b, base], at: {b: {xyz: [0.5, 0, 0]}, base: {xyz: [0.5, 0, 0]}}}]
)";
  EXPECT_NE(refusal_of(locked).find("nothing of `locked` can move"), std::string::npos) << refusal_of(locked);
}

// A linkage laid flat has a freedom more there than anywhere else.
TEST(LoopPlan, CountsFreedomsBesideASingularHome) {
  const LoopPlan plan = plan_loops(instantiate<double>(mechanism_of(R"(name: flat
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.5, 0, 0]}}}]
)")));
  EXPECT_EQ(plan.freedoms(), 1u);
  EXPECT_EQ(plan.independent, std::vector<int>{0});
}

TEST(LoopPlan, WithoutActuatedJointsEliminationChooses) {
  const Model<double> model = with_drivers(instantiate<double>(mechanism_of(bars(false, false))));
  EXPECT_EQ(actuated_velocities(model).size(), 1u);
  EXPECT_EQ(plan_loops(model).freedoms(), 1u);
}

// Two motors on one freedom: least norm of all torques that make the motion, and with weights the least weighted.
TEST(Closed, RedundantTorquesAreTheLeast) {
  Subject s(mechanism_of(bars(true, true)));
  ASSERT_EQ(s.freedoms(), 1u);
  ASSERT_EQ(s.plan.actuated.size(), 2u);
  Values tau(2), force(1);
  inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau);
  gather_torques<double>(s.plan, s.work, tau, force);
  Subject alone(mechanism_of(bars(true, false)));
  Values single(1);
  inverse_dynamics<double>(alone.model, alone.plan, alone.work, s.q, s.s.qd, s.s.qdd, single);
  EXPECT_NEAR(force[0], single[0], 1e-12 * (1.0 + std::abs(single[0])));
  // any other torques with the same effect are larger
  const double r = s.work.R[u(s.plan.actuated[1])];  // the second motor's velocity by the first's
  for (const double t : {-0.3, 0.2}) {
    const double a = tau[0] + t * r, b = tau[1] - t;
    EXPECT_NEAR(a + r * b, force[0], 1e-12 * (1.0 + std::abs(force[0])));
    EXPECT_GT(a * a + b * b, tau[0] * tau[0] + tau[1] * tau[1]);
  }
  const Values weights{1.0, 4.0};
  inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau, weights);
  EXPECT_NEAR(tau[0] * r, 4.0 * tau[1],
              1e-12 * (1.0 + std::abs(tau[0])));  // ∂(τ₀² + 4 τ₁²) along what changes nothing is 0
  EXPECT_NEAR(tau[0] + r * tau[1], force[0], 1e-12 * (1.0 + std::abs(force[0])));
  Values back(1);
  forward_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, tau, back);
  EXPECT_NEAR(back[0], s.s.qdd[0], 1e-11);
}

// Newton and Euler for each link of the four bars by itself, in the plane, with kinematics written down here: nine
// equations for the forces in four pins, under the torques of both motors.
TEST(Closed, ReactionsUnderTwoMotorsAreThoseOfFreeBodies) {
  Subject s(mechanism_of(bars(true, true)));
  const double a = 0.5, b = 1.1, c = 0.6,
               ground = 1.0;  // lengths; centres of mass at the links' joints, mass 1, inertia 1
  const double angle[3] = {s.q[0], s.q[0] + s.q[1], s.q[2]}, rate[3] = {s.qd[0], s.qd[0] + s.qd[1], s.qd[2]},
               slope[3] = {s.qdd[0], s.qdd[0] + s.qdd[1], s.qdd[2]};
  const auto along = [](double size, double t) { return Eigen::Vector2d(size * std::cos(t), size * std::sin(t)); };
  const auto across = [](double size, double t) { return Eigen::Vector2d(-size * std::sin(t), size * std::cos(t)); };
  const Eigen::Vector2d pin = along(a, angle[0]) + along(b, angle[1]);
  ASSERT_LT((pin - Eigen::Vector2d(ground, 0.0) - along(c, angle[2])).norm(), 1e-12);
  const Eigen::Vector2d accelerated =
      across(a, angle[0]) * slope[0] - along(a, angle[0]) * rate[0] * rate[0];  // the coupler's joint
  for (const Values& weights : {Values{1.0, 1.0}, Values{1.0, 50.0}, Values{50.0, 1.0}}) {
    Values tau(2);
    inverse_dynamics<double>(s.model, s.plan, s.work, s.q, s.s.qd, s.s.qdd, tau, weights);
    // forces on the links at their own joints, and of the pin on `right`
    MatrixXd A = MatrixXd::Zero(9, 8);
    VectorXd r = VectorXd::Zero(9);
    const auto push = [&](int link, int force, double sign, const Eigen::Vector2d& arm) {
      A.block<2, 2>(3 * link, 2 * force) += sign * Eigen::Matrix2d::Identity();
      A.block<1, 2>(3 * link + 2, 2 * force) += sign * Eigen::RowVector2d(-arm.y(), arm.x());
    };
    const Eigen::Vector2d none = Eigen::Vector2d::Zero();
    push(0, 0, 1.0, none);
    push(0, 1, -1.0, along(a, angle[0]));
    push(1, 1, 1.0, none);
    push(1, 3, -1.0, along(b, angle[1]));
    push(2, 2, 1.0, none);
    push(2, 3, 1.0, along(c, angle[2]));
    r.segment<2>(3) = accelerated;
    r[2] = slope[0] - tau[0];
    r[5] = slope[1];
    r[8] = slope[2] - tau[1];
    const VectorXd forces = A.colPivHouseholderQr().solve(r);
    EXPECT_LT(largest(A * forces - r), 1e-11 * (1.0 + largest(r)));  // torques fit the motion
    const Force<double> in_pin = loop_reactions<double>(s.model, s.plan, s.work)[0];
    const Eigen::Vector2d got = along(in_pin.lin[0], angle[2]) + across(in_pin.lin[1], angle[2]);
    EXPECT_LT((got - forces.tail<2>()).norm(), 1e-11 * (1.0 + forces.norm())) << weights[0];
  }
}

}  // namespace closed_test
}  // namespace lw
