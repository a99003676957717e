// Force elements against energies, powers, closed geometry and a Lagrangian written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/canonical/composite.hpp"
#include "dynamics/canonical/tensor_derivatives.hpp"
#include "dynamics/derivatives/element_derivatives.hpp"
#include "dynamics/derivatives/forward_derivatives.hpp"
#include "dynamics/derivatives/inverse_derivatives.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/loops/forward_losses.hpp"
#include "dynamics/parameters/regressor.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/elements.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "support/motion.hpp"
#include "support/random_elements.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace elements_test {

using Values = std::vector<double>;

// All joint types, branches and followers.
Mechanism mechanism(std::uint64_t seed) {
  return random_mechanism(seed, {.joints = 5, .drives = true, .springs = true, .mimic = seed % 2 == 0 ? 0.3 : 0.0});
}

template <class T>
Model<T> with_elements(const Mechanism& m, std::uint64_t seed, const RandomElementOptions& options = {}) {
  Model<T> model = instantiate<T>(m);
  add_random_elements<T>(model, seed, options);
  return model;
}

double power(const Values& force, const Values& velocity) {
  double sum = 0.0;
  for (std::size_t k = 0; k < force.size(); ++k) sum += force[k] * velocity[k];
  return sum;
}

Values unit(std::size_t n, std::size_t k) {
  Values e(n, 0.0);
  e[k] = 1.0;
  return e;
}

double largest(const Values& x) {
  double most = 1.0;
  for (const double e : x) most = std::max(most, std::abs(e));
  return most;
}

class RandomElements : public testing::TestWithParam<std::uint64_t> {
 protected:
  const std::uint64_t seed = GetParam();
  const Mechanism m = mechanism(seed);
  const Model<double> model = with_elements<double>(m, seed);
  const std::size_t nv = static_cast<std::size_t>(model.nv);
  Workspace<double> work{model};
  Random random{seed};
  const State s = random_state(model, random);
};

// Q = −∂V/∂q, along every velocity.
TEST_P(RandomElements, PullDownTheirPotential) {
  const Model<double> conservative = with_elements<double>(m, seed, {.forces = false});
  const Model<ComplexStep> twin = with_elements<ComplexStep>(m, seed, {.forces = false});
  Workspace<ComplexStep> complex(twin);
  Values Q(nv), slope(nv);
  element_torques<double>(conservative, work, s.q, Q);
  for (std::size_t k = 0; k < nv; ++k) {
    const auto q = moving(conservative, s.q, unit(nv, k));
    forward_kinematics<ComplexStep>(twin, complex, q);
    slope[k] = -derivative_of(element_energy<ComplexStep>(twin, complex, q));
  }
  EXPECT_LT(largest_difference(Q, slope), 1e-12 * largest(Q));
  EXPECT_GT(largest(Q), 1.0);
}

// d/dt (kinetic + potential) = τ·q̇ + what the external forces put in: with every element, rotor ties and
// accelerations.
TEST_P(RandomElements, KeepThePowerBalance) {
  const Model<ComplexStep> twin = with_elements<ComplexStep>(m, seed);
  Workspace<ComplexStep> complex(twin);
  const auto q = moving(model, s.q, s.qd), qd = moving(s.qd, s.qdd);
  forward_velocities<ComplexStep>(twin, complex, q, qd);
  const Energy<ComplexStep> e = energy<ComplexStep>(twin, complex, q, qd);
  Values tau(nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  double input = power(tau, s.qd);
  forward_velocities<double>(model, work, s.q, s.qd);
  for (const ForceElement<double>& f : model.forces) {
    Values jacobian(6 * nv);
    frame_jacobian<double>(model, work, f.frame, jacobian);
    const Mat3<double> R = f.in_link ? frame_pose(work, f.frame).R : Mat3<double>::identity();
    const Vec3<double> n = R * f.wrench.ang, lin = R * f.wrench.lin;
    for (std::size_t k = 0; k < nv; ++k) {
      for (int i = 0; i < 3; ++i) {
        const auto row = static_cast<std::size_t>(i);
        input += (n[i] * jacobian[6 * k + row] + lin[i] * jacobian[6 * k + 3 + row]) * s.qd[k];
      }
    }
  }
  EXPECT_NEAR(derivative_of(e.kinetic + e.potential), input, 1e-12 * (largest(tau) * largest(s.qd) + std::abs(input)));
}

TEST_P(RandomElements, AgreeOnAllMethods) {
  Values tau(nv), other(nv), qdd(nv), M(nv * nv), column(nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  const double size = largest(tau);
  aba<double>(model, work, s.q, s.qd, tau, qdd);
  EXPECT_LT(largest_difference(qdd, s.qdd), 1e-9 * largest(s.qdd));
  forward_by_crba<double>(model, work, s.q, s.qd, tau, qdd);
  EXPECT_LT(largest_difference(qdd, s.qdd), 1e-9 * largest(s.qdd));
  // M by columns of rnea, gravity and elements taken off
  crba<double>(model, work, s.q, M);
  Values still(nv, 0.0), rest(nv);
  rnea<double>(model, work, s.q, still, still, rest);
  for (std::size_t k = 0; k < nv; ++k) {
    rnea<double>(model, work, s.q, still, unit(nv, k), column);
    for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(column[i] - rest[i], M[k * nv + i], 1e-12 * largest(rest)) << k;
  }
  for (const char* name : {"ness", "walker-orin", "bae-hwang-haug"}) {
    inverse_by<double>(*find_formulation(name), model, s.q, s.qd, s.qdd, other);
    EXPECT_LT(largest_difference(tau, other), 1e-11 * size) << name;
    Values by(nv * nv);
    mass_matrix_by<double>(*find_formulation(name), model, s.q, by);
    EXPECT_LT(largest_difference(M, by), 1e-11 * largest(M)) << name;
  }
  // regressor: with no inertial parameters, elements and ties are what is left
  const ParameterTable table = parameter_table(model);
  const Values pi = parameter_values(model, table), none(table.size(), 0.0);
  Values Y(nv * table.size());
  regressor<double>(model, table, work, s.q, s.qd, s.qdd, Y);
  rnea<double>(with_parameters<double>(model, table, none), work, s.q, s.qd, s.qdd, other);
  for (std::size_t p = 0; p < pi.size(); ++p) {
    for (std::size_t i = 0; i < nv; ++i) other[i] += Y[p * nv + i] * pi[p];
  }
  EXPECT_LT(largest_difference(tau, other), 1e-11 * size);
}

// Frames of a canonical tree do not carry elements: Q stands beside what they give.
TEST_P(RandomElements, StandBesideCanonicalTrees) {
  const CanonicalTree<double> tree = canonical_tree(model);
  const TensorMethod method{std::vector<bool>(model.bodies.size(), false),
                            std::vector<bool>(model.bodies.size(), false)};
  Values tau(nv), other(nv), M(nv * nv), by(nv * nv), d_q(nv * nv), d_qd(nv * nv), tree_q(nv * nv), tree_qd(nv * nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  tensor_inverse<double>(model, tree, method, s.q, s.qd, s.qdd, other);
  subtract_elements<double>(model, s.q, other);
  EXPECT_LT(largest_difference(tau, other), 1e-11 * largest(tau));
  const Model<double> turned = canonical_model(tree, model);
  rnea<double>(turned, work, s.q, s.qd, s.qdd, other);
  subtract_elements<double>(model, s.q, other);
  EXPECT_LT(largest_difference(tau, other), 1e-11 * largest(tau));
  crba<double>(model, work, s.q, M);
  composite_mass_matrix<double>(model, tree, method, s.q, by);
  EXPECT_LT(largest_difference(M, by), 1e-11 * largest(M));
  DerivativeWorkspace<double> slopes(model);
  inverse_derivatives<double>(model, slopes, s.q, s.qd, s.qdd, d_q, d_qd, M);
  tensor_derivatives<double>(model, tree, method, s.q, s.qd, s.qdd, tree_q, tree_qd, by);
  subtract_element_derivatives<double>(model, slopes, s.q, tree_q.data(), slopes.by_columns, 1);
  EXPECT_LT(largest_difference(d_q, tree_q), 1e-11 * largest(d_q));
  EXPECT_LT(largest_difference(M, by), 1e-11 * largest(M));
}

TEST_P(RandomElements, HaveDerivatives) {
  const Model<ComplexStep> twin = with_elements<ComplexStep>(m, seed);
  Workspace<ComplexStep> complex(twin);
  DerivativeWorkspace<double> slopes(model);
  Values d_q(nv * nv), d_qd(nv * nv), d_last(nv * nv), expected_q, expected_qd, expected_last;
  std::vector<ComplexStep> out(nv);
  for (const bool forward : {false, true}) {
    const Values& last = forward ? s.tau : s.qdd;
    expected_q.clear(), expected_qd.clear(), expected_last.clear();
    for (std::size_t k = 0; k < nv; ++k) {
      const auto column = [&](Values& to, const auto& q, const auto& qd, const auto& third) {
        if (forward) {
          aba<ComplexStep>(twin, complex, q, qd, third, out);
        } else {
          rnea<ComplexStep>(twin, complex, q, qd, third, out);
        }
        for (const ComplexStep& x : out) to.push_back(derivative_of(x));
      };
      const Values e = unit(nv, k);
      column(expected_q, moving(model, s.q, e), still(s.qd), still(last));
      column(expected_qd, still(s.q), moving(s.qd, e), still(last));
      column(expected_last, still(s.q), still(s.qd), moving(last, e));
    }
    if (forward) {
      forward_derivatives<double>(model, slopes, s.q, s.qd, s.tau, d_q, d_qd, d_last);
    } else {
      inverse_derivatives<double>(model, slopes, s.q, s.qd, s.qdd, d_q, d_qd, d_last);
    }
    const double tolerance = forward ? 1e-9 : 1e-12;
    EXPECT_LT(largest_difference(d_q, expected_q), tolerance * largest(expected_q)) << forward;
    EXPECT_LT(largest_difference(d_qd, expected_qd), tolerance * largest(expected_qd)) << forward;
    EXPECT_LT(largest_difference(d_last, expected_last), tolerance * largest(expected_last)) << forward;
  }
}

// Dampers never put power in, and as wrenches on the bodies they are what they are as torques.
TEST_P(RandomElements, AreDamped) {
  Values Q(nv), on_joints(nv, 0.0), tau(nv), damped(nv);
  damping_torques<double>(model, work, s.q, s.qd, Q);
  EXPECT_LT(power(Q, s.qd), 0.0);
  forward_velocities<double>(model, work, s.q, s.qd);
  std::vector<Force<double>> on_bodies(model.bodies.size());
  add_damping<double>(model, work, s.q, s.qd, on_bodies, on_joints);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  rnea<double>(model, work, s.q, s.qd, s.qdd, damped, on_bodies);
  const std::vector<Force<double>> reactions = work.force;
  for (std::size_t k = 0; k < nv; ++k) damped[k] += Q[k] - on_joints[k];
  EXPECT_LT(largest_difference(tau, damped), 1e-12 * largest(tau));
  rnea_with_damping<double>(model, work, s.q, s.qd, s.qdd, damped, on_joints);
  EXPECT_LT(largest_difference(tau, damped), 1e-12 * largest(tau));
  for (std::size_t k = 0; k < nv; ++k) EXPECT_EQ(on_joints[k], -Q[k]);
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(work.force[i].lin[k], reactions[i].lin[k]);
  }
}

// With losses in the joints, forward dynamics is the inverse of inverse dynamics.
TEST_P(RandomElements, ActWithFriction) {
  Model<double> lossy = model;
  lossy.losses.clear();
  lossy.transmissions.clear();
  for (std::size_t i = 0; i < lossy.bodies.size(); ++i) {
    const Body<double>& b = lossy.bodies[i];
    if (b.velocities() != 1 || b.mimics) continue;
    JointLoss<double> loss;
    loss.body = static_cast<int>(i);
    loss.v = b.v;
    loss.viscous = 0.3;
    loss.coulomb = 0.5;
    loss.bearings.push_back({Bearing::Kind::journal, true, 0.05, 0.02, 0.2, {}});
    lossy.losses.push_back(loss);
  }
  Losses<double> losses(lossy);
  inverse_with_losses<double>(lossy, work, s.q, s.qd, s.qdd, losses);
  Values Q(nv), tau(nv), qdd(nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  EXPECT_LT(largest_difference(tau, losses.dynamic), 1e-12 * largest(tau));
  damping_torques<double>(model, work, s.q, s.qd, Q);
  for (const JointLoss<double>& loss : lossy.losses) {  // besides the damping, power is lost in the joints
    const auto k = static_cast<std::size_t>(loss.v);
    EXPECT_GT((losses.total[k] - losses.dynamic[k] + Q[k]) * s.qd[k], 0.0);
  }
  ForwardLosses forward(lossy);
  forward(s.q, s.qd, losses.total, qdd);
  EXPECT_LT(largest_difference(qdd, s.qdd), 1e-9 * largest(s.qdd));
}

// The same text traced and interpreted.
TEST_P(RandomElements, HaveTracedTwins) {
  const auto nq = static_cast<std::size_t>(model.nq);
  const Function f =
      trace("all", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}, {"qdd", nv}, {"Q", nv}, {"d_q", nv * nv}},
            [&](const Arguments& in, Results& out) {
              const Model<Expr> twin = with_elements<Expr>(m, seed);
              Workspace<Expr> w(twin);
              rnea<Expr>(twin, w, in[0], in[1], in[2], out[0]);
              aba<Expr>(twin, w, in[0], in[1], in[2], out[1]);
              damping_torques<Expr>(twin, w, in[0], in[1], out[2]);
              DerivativeWorkspace<Expr> d(twin);
              std::vector<Expr> qd(nv * nv), qdd(nv * nv);
              inverse_derivatives<Expr>(twin, d, in[0], in[1], in[2], out[3], qd, qdd);
            });
  Values in = s.q, got(f.output_size()), tau(nv), qdd(nv), Q(nv), d_q(nv * nv), d_qd(nv * nv), d_qdd(nv * nv);
  in.insert(in.end(), s.qd.begin(), s.qd.end());
  in.insert(in.end(), s.qdd.begin(), s.qdd.end());
  evaluate<double>(f, in, got);
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  aba<double>(model, work, s.q, s.qd, s.qdd, qdd);
  damping_torques<double>(model, work, s.q, s.qd, Q);
  DerivativeWorkspace<double> d(model);
  inverse_derivatives<double>(model, d, s.q, s.qd, s.qdd, d_q, d_qd, d_qdd);
  std::size_t first = 0;
  for (const Values* expected : {&tau, &qdd, &Q, &d_q}) {
    for (std::size_t k = 0; k < expected->size(); ++k) {
      EXPECT_NEAR(got[first + k], (*expected)[k], 1e-10 * largest(*expected));
    }
    first += expected->size();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomElements, testing::Range<std::uint64_t>(1, 21));

// One link of length r about z, of mass m at its end, the world's y upwards.
Model<double> pendulum(double mass, double r) {
  Model<double> model;
  model.name = "pendulum";
  model.nq = model.nv = 1;
  model.gravity = {0.0, -9.81, 0.0};
  Body<double> b;
  b.set_motion();
  b.inertia = RigidInertia<double>::about_com(mass, {r, 0.0, 0.0}, Mat3<double>::zero());
  model.bodies = {b};
  model.frames = {{"base", -1, {}}, {"link", 0, {}}};
  model.home = {0.0};
  model.dof_parent = {-1};
  model.dof_order = {0};
  return model;
}

// A spring from a point h above the joint to the end of the arm: its length and lever by the law of cosines.
TEST(PointSpring, FollowsTheTriangle) {
  const double mass = 2.0, r = 0.7, h = 1.1, k = 120.0, rest = 0.4;
  Model<double> model = pendulum(mass, r);
  PointSpringElement<double> spring;
  spring.a = {"base", -1, {Mat3<double>::identity(), {0.0, h, 0.0}}};
  spring.b = {"link", 0, {Mat3<double>::identity(), {r, 0.0, 0.0}}};
  spring.stiffness = k;
  spring.rest = rest;
  model.springs = {spring};
  Workspace<double> work(model);
  for (const double angle : {-1.2, 0.0, 0.4, 2.5}) {
    const Values q{angle}, zero{0.0};
    Values tau(1);
    rnea<double>(model, work, q, zero, zero, tau);
    const double length = std::sqrt(r * r + h * h - 2.0 * r * h * std::sin(angle));
    const double pull = k * (length - rest), lever = r * h * std::cos(angle) / length;
    EXPECT_NEAR(tau[0], mass * 9.81 * r * std::cos(angle) - pull * lever, 1e-11);
    // the bearing carries what weight and spring leave, in the link's axes
    const double fx = -pull * (0.0 - r * std::cos(angle)) / length,
                 fy = mass * 9.81 - pull * (h - r * std::sin(angle)) / length;
    EXPECT_NEAR(work.force[0].lin[0], std::cos(angle) * fx + std::sin(angle) * fy, 1e-11);
    EXPECT_NEAR(work.force[0].lin[1], -std::sin(angle) * fx + std::cos(angle) * fy, 1e-11);
    Energy<double> e{};
    forward_velocities<double>(model, work, q, zero);
    e = energy<double>(model, work, q, zero);
    EXPECT_NEAR(e.potential, mass * 9.81 * r * std::sin(angle) + 0.5 * k * (length - rest) * (length - rest), 1e-11);
  }
}

// A damper alone, in the same triangle: what it takes, and what the journal feels of it.
TEST(PointSpring, LoadsBearingsWithItsDamping) {
  const double mass = 2.0, r = 0.7, h = 1.1, d = 15.0, mu = 0.2, radius = 0.05;
  Model<double> model = pendulum(mass, r);
  model.gravity = {};
  model.velocity_names = {"joint"};
  PointSpringElement<double> damper;
  damper.a = {"base", -1, {Mat3<double>::identity(), {0.0, h, 0.0}}};
  damper.b = {"link", 0, {Mat3<double>::identity(), {r, 0.0, 0.0}}};
  damper.damping = d;
  model.springs = {damper};
  JointLoss<double> loss;
  loss.bearings.push_back({Bearing::Kind::journal, false, mu, radius, 0.0, {}});
  model.losses = {loss};
  Workspace<double> work(model);
  Losses<double> losses(model);
  ForwardLosses forward(model);
  for (const double angle : {-1.2, 0.4, 2.5}) {
    const Values q{angle}, qd{-1.5}, qdd{3.0};
    inverse_with_losses<double>(model, work, q, qd, qdd, losses);
    const double c = std::cos(angle), s = std::sin(angle), length = std::sqrt(r * r + h * h - 2.0 * r * h * s);
    const double lever = r * h * c / length, pull = d * -lever * qd[0];  // dL/dq = -lever
    // mass times acceleration, less the damper's pull
    const double fx = mass * r * (-s * qdd[0] - c * qd[0] * qd[0]) + pull * r * c / length;
    const double fy = mass * r * (c * qdd[0] - s * qd[0] * qd[0]) - pull * (h - r * s) / length;
    EXPECT_NEAR(losses.dynamic[0], mass * r * r * qdd[0], 1e-12);
    EXPECT_NEAR(losses.total[0], mass * r * r * qdd[0] - pull * lever - mu * radius * std::hypot(fx, fy), 1e-12);
    Values back(1);
    forward(q, qd, losses.total, back);
    EXPECT_NEAR(back[0], qdd[0], 1e-11);
  }
}

TEST(PointSpring, HasNoDirectionWhereItsPointsMeet) {
  Model<double> model = pendulum(1.0, 0.5);
  PointSpringElement<double> spring;
  spring.a = spring.b = {"link", 0, {Mat3<double>::identity(), {0.2, 0.1, 0.0}}};
  spring.a.body = -1;
  spring.stiffness = 100.0;
  spring.rest = 0.3;
  model.springs = {spring};
  Workspace<double> work(model);
  Values Q(1);
  element_torques<double>(model, work, Values{0.0}, Q);
  EXPECT_EQ(Q[0], 0.0);
}

// Beyond its limit a joint is pushed back, harder the faster it goes in, and never pulled.
TEST(Stop, PushesAndNeverPulls) {
  Model<double> model = pendulum(1.0, 0.5);
  JointElement<double> e;
  e.has_lower = e.has_upper = true;
  e.lower = -1.0;
  e.upper = 0.5;
  e.stiffness = 200.0;
  e.damping = 10.0;
  model.joint_elements = {e};
  Workspace<double> work(model);
  const auto acts = [&](double q, double qd) {
    Values push(1), damping(1);
    element_torques<double>(model, work, Values{q}, push);
    damping_torques<double>(model, work, Values{q}, Values{qd}, damping);
    return std::pair(push[0], damping[0]);
  };
  EXPECT_EQ(acts(0.4, 3.0), std::pair(0.0, 0.0));
  EXPECT_NEAR(acts(0.6, 3.0).first, -20.0, 1e-12);
  EXPECT_NEAR(acts(0.6, 3.0).second, -30.0, 1e-12);
  EXPECT_NEAR(acts(0.6, -1.0).second, 10.0, 1e-12);
  EXPECT_NEAR(acts(0.6, -9.0).second, 20.0, 1e-12);  // 90 would pull
  EXPECT_NEAR(acts(-1.2, -3.0).first, 40.0, 1e-12);
  EXPECT_NEAR(acts(-1.2, -3.0).second, 30.0, 1e-12);
  EXPECT_NEAR(acts(-1.2, 9.0).second, -40.0, 1e-12);
}

// Two wheels on the base, tied by a shaft.
Model<double> two_wheels(double play) {
  Model<double> model = pendulum(1.0, 0.0);
  model.nq = model.nv = 2;
  model.bodies.push_back(model.bodies[0]);
  model.bodies[1].q = model.bodies[1].v = 1;
  model.bodies[0].inertia.I = Mat3<double>::diagonal(0.3);
  model.bodies[1].inertia.I = Mat3<double>::diagonal(0.2);
  model.dof_parent = {-1, -1};
  model.dof_order = {0, 1};
  ShaftElement<double> s;
  s.body_a = 0;
  s.body_b = 1;
  s.stiffness = 50.0;
  s.damping = 2.0;
  s.play = play;
  model.shafts = {s};
  return model;
}

TEST(Shaft, IsFreeWithinItsPlay) {
  const Model<double> model = two_wheels(0.1);
  Workspace<double> work(model);
  const auto acts = [&](double difference, double rate) {
    Values twist(2), damping(2);
    element_torques<double>(model, work, Values{0.3 + difference, 0.3}, twist);
    damping_torques<double>(model, work, Values{0.3 + difference, 0.3}, Values{rate, 0.0}, damping);
    EXPECT_EQ(twist[0], -twist[1]);
    EXPECT_EQ(damping[0], -damping[1]);
    return std::pair(twist[1], damping[1]);
  };
  EXPECT_EQ(acts(0.09, 4.0), std::pair(0.0, 0.0));
  EXPECT_EQ(acts(-0.09, 4.0), std::pair(0.0, 0.0));
  EXPECT_NEAR(acts(0.15, 4.0).first, 50.0 * 0.05, 1e-12);
  EXPECT_NEAR(acts(0.15, 4.0).second, 8.0, 1e-12);
  EXPECT_NEAR(acts(-0.3, -4.0).first, -50.0 * 0.2, 1e-12);
  EXPECT_NEAR(acts(-0.3, -4.0).second, -8.0, 1e-12);
}

TEST(Shaft, WithoutPlayIsAlwaysLoaded) {
  const Model<double> model = two_wheels(0.0);
  Workspace<double> work(model);
  Values damping(2);
  damping_torques<double>(model, work, Values{0.3, 0.3}, Values{1.5, 0.5}, damping);
  EXPECT_EQ(damping[1], 2.0);
  // the wheels swing against each other with ω² = k (1/I₁ + 1/I₂)
  Values qdd(2);
  aba<double>(model, work, Values{0.1, 0.0}, Values{0.0, 0.0}, Values{0.0, 0.0}, qdd);
  EXPECT_NEAR((qdd[0] - qdd[1]) / 0.1, -50.0 * (1.0 / 0.3 + 1.0 / 0.2), 1e-9);
}

// An arm of three links: about z, about y with a mass m at distance l, and a wheel J₃ about the x of that; on the
// second link the rotor J that drives the wheel, geared by r, about an axis at γ from x towards z. With the wheel's and
// the rotor's turning u₃ = q̇₃ − q̇₁ sin q₂ and u = q̇₁ sin(γ − q₂) + r q̇₃
//   T = ½ (I₁ + m l² cos² q₂) q̇₁² + ½ m l² q̇₂² + ½ J₃ u₃² + ½ J u²,   V = −m g l sin q₂
TEST(GyroscopicRotor, FollowsItsLagrangian) {
  const double I1 = 0.8, mass = 3.0, l = 0.6, J3 = 0.05, J = 2e-4, r = 80.0, gamma = 0.7, g = 9.81;
  Model<double> model;
  model.name = "rotor";
  model.nq = model.nv = 3;
  model.gravity = {0.0, 0.0, -g};
  model.has_mimics = true;
  const auto add = [&](int parent, int v, const Vec3<double>& axis, const Mat3<double>& I) {
    Body<double> b;
    b.parent = parent;
    b.q = b.v = v;
    b.axis = axis;
    b.set_motion();
    b.inertia.I = I;
    model.bodies.push_back(b);
  };
  const Vec3<double> x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), z(0.0, 0.0, 1.0),
      tilted(std::cos(gamma), 0.0, std::sin(gamma));
  add(-1, 0, z, outer(z, z) * I1);
  add(0, 1, y, Mat3<double>::zero());
  model.bodies[1].inertia = RigidInertia<double>::about_com(mass, x * l, Mat3<double>::zero());
  add(1, 2, tilted, outer(tilted, tilted) * J);  // the rotor
  model.bodies[2].mimics = true;
  model.bodies[2].ratio = r;
  add(1, 2, x, outer(x, x) * J3);
  model.frames = {{"base", -1, {}}, {"first", 0, {}}, {"second", 1, {}}, {"wheel", 3, {}}};
  model.home = {0.0, 0.0, 0.0};
  Workspace<double> work(model);
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    const State state = random_state(model, random);
    const Values &q = state.q, &qd = state.qd, &a = state.qdd;
    const double s = std::sin(q[1]), c = std::cos(q[1]), S = std::sin(gamma - q[1]), C = std::cos(gamma - q[1]);
    const double u3 = qd[2] - s * qd[0], u = qd[0] * S + r * qd[2];
    const double du3 = a[2] - s * a[0] - c * qd[1] * qd[0], du = a[0] * S - C * qd[1] * qd[0] + r * a[2];
    const double ml2 = mass * l * l;
    const Values expected{
        (I1 + ml2 * c * c) * a[0] - 2.0 * ml2 * c * s * qd[1] * qd[0] - J3 * (c * qd[1] * u3 + s * du3) +
            J * (S * du - C * qd[1] * u),
        ml2 * a[1] + ml2 * c * s * qd[0] * qd[0] + J3 * u3 * c * qd[0] + J * u * C * qd[0] - mass * g * l * c,
        J3 * du3 + J * r * du};
    Values tau(3), qdd(3);
    rnea<double>(model, work, q, qd, a, tau);
    EXPECT_LT(largest_difference(tau, expected), 1e-12 * largest(expected));
    aba<double>(model, work, q, qd, expected, qdd);
    EXPECT_LT(largest_difference(qdd, a), 1e-10);
    forward_velocities<double>(model, work, q, qd);
    EXPECT_NEAR(energy<double>(model, work, q, qd).kinetic,
                0.5 * ((I1 + ml2 * c * c) * qd[0] * qd[0] + ml2 * qd[1] * qd[1] + J3 * u3 * u3 + J * u * u), 1e-12);
  }
}

}  // namespace elements_test
}  // namespace lw
