// Kinematics, energy and momentum, differentiated along a motion by complex step.
#include "dynamics/tree/kinematics.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <cmath>

#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/energy.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "support/motion.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace kinematics_test {

struct Subject {
  explicit Subject(std::uint64_t seed, int joints)
      : mechanism(random_mechanism(
            seed, {.joints = joints, .drives = true, .springs = true, .mimic = seed % 3 == 0 ? 0.3 : 0.0})),
        model(instantiate<double>(mechanism)),
        step(instantiate<ComplexStep>(mechanism)),
        work(model),
        step_work(step) {
    Random random(seed);
    state = random_state(model, random);
  }
  Mechanism mechanism;
  Model<double> model;
  Model<ComplexStep> step;
  Workspace<double> work;
  Workspace<ComplexStep> step_work;
  State state;
};

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

RC_GTEST_PROP(Kinematics, JacobianIsTheDerivativeOfThePose, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 25));
  const auto nv = static_cast<std::size_t>(s.model.nv);
  forward_velocities<double>(s.model, s.work, s.state.q, s.state.qd);
  const auto q = moving(s.model, s.state.q, s.state.qd);
  forward_kinematics<ComplexStep>(s.step, s.step_work, q);
  for (int frame = 0; frame < static_cast<int>(s.model.frames.size()); ++frame) {
    const Transform<ComplexStep> X = frame_pose(s.step, s.step_work, frame);
    // position's rate, and ω from Ṙ Rᵀ
    Vec3<double> v, w;
    Mat3<double> Rdot, R;
    for (int i = 0; i < 3; ++i) {
      v[i] = derivative_of(X.p[i]);
      for (int j = 0; j < 3; ++j) {
        R(i, j) = X.R(i, j).re;
        Rdot(i, j) = derivative_of(X.R(i, j));
      }
    }
    const Mat3<double> W = Rdot * transpose(R);
    w = {W(2, 1), W(0, 2), W(1, 0)};
    std::vector<double> J(6 * nv);
    frame_jacobian<double>(s.model, s.work, frame, J);
    Vec3<double> Jw, Jv;
    for (std::size_t k = 0; k < nv; ++k) {
      for (int r = 0; r < 3; ++r) {
        Jw[r] += J[6 * k + static_cast<std::size_t>(r)] * s.state.qd[k];
        Jv[r] += J[6 * k + 3 + static_cast<std::size_t>(r)] * s.state.qd[k];
      }
    }
    const Motion<double> twist = frame_velocity(s.model, s.work, frame);
    const double scale = 1.0 + norm(v) + norm(w);
    RC_ASSERT(norm(w - Jw) <= 1e-12 * scale);
    RC_ASSERT(norm(v - Jv) <= 1e-12 * scale);
    RC_ASSERT(norm(twist.ang - Jw) <= 1e-12 * scale);
    RC_ASSERT(norm(twist.lin - Jv) <= 1e-12 * scale);
  }
}

RC_GTEST_PROP(Kinematics, BiasIsTheDerivativeOfTheJacobian, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 20));
  const auto nv = static_cast<std::size_t>(s.model.nv);
  const auto q = moving(s.model, s.state.q, s.state.qd);
  forward_kinematics<ComplexStep>(s.step, s.step_work, q);
  const int frame = static_cast<int>(s.model.frames.size()) - 1;
  std::vector<ComplexStep> J(6 * nv);
  frame_jacobian<ComplexStep>(s.step, s.step_work, frame, J);
  Vec3<double> ang, lin;
  for (std::size_t k = 0; k < nv; ++k) {
    for (int r = 0; r < 3; ++r) {
      ang[r] += derivative_of(J[6 * k + static_cast<std::size_t>(r)]) * s.state.qd[k];
      lin[r] += derivative_of(J[6 * k + 3 + static_cast<std::size_t>(r)]) * s.state.qd[k];
    }
  }
  forward_kinematics<double>(s.model, s.work, s.state.q);
  const Motion<double> bias = frame_bias<double>(s.model, s.work, frame, s.state.q, s.state.qd);
  const double scale = 1.0 + norm(ang) + norm(lin);
  RC_ASSERT(norm(bias.ang - ang) <= 1e-11 * scale);
  RC_ASSERT(norm(bias.lin - lin) <= 1e-11 * scale);
}

RC_GTEST_PROP(Energy, ItsRateIsThePowerOfTheActuators, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 25));
  const auto nv = static_cast<std::size_t>(s.model.nv);
  std::vector<double> qdd(nv);
  aba<double>(s.model, s.work, s.state.q, s.state.qd, s.state.tau, qdd);
  const auto q = moving(s.model, s.state.q, s.state.qd), qd = moving(s.state.qd, qdd);
  forward_velocities<ComplexStep>(s.step, s.step_work, q, qd);
  const Energy<ComplexStep> E = energy<ComplexStep>(s.step, s.step_work, q, qd);
  double power = 0.0, scale = 1.0;
  for (std::size_t k = 0; k < nv; ++k) {
    power += s.state.tau[k] * s.state.qd[k];
    scale += std::abs(s.state.tau[k] * s.state.qd[k]);
  }
  // the two rates are large and of opposite sign where the mechanism falls
  scale += std::abs(derivative_of(E.kinetic)) + std::abs(derivative_of(E.potential));
  // accelerations carry cond(M)·ε; 1e-9 leaves room for the worst of these mechanisms
  RC_ASSERT(std::abs(derivative_of(E.kinetic) + derivative_of(E.potential) - power) <= 1e-9 * scale);
}

TEST(Momentum, OfAFloatingTreeChangesOnlyByGravity) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Mechanism m = random_mechanism(seed, {.joints = 9,
                                          .types = {JointType::revolute, JointType::prismatic, JointType::spherical},
                                          .branching = 0.4,
                                          .shuffle = false});
    // everything that hung on the base hangs on a body that floats
    Link hull;
    hull.name = hull.joint.name = "hull";
    hull.parent = m.base;
    hull.joint.type = JointType::floating;
    hull.inertia = Inertia{};
    hull.inertia->mass = 2.0;
    hull.inertia->tensor = {0.1, 0.12, 0.15, 0.01, 0.0, -0.01};
    for (Link& link : m.links) {
      if (link.parent == m.base) link.parent = "hull";
    }
    m.links.insert(m.links.begin(), hull);
    const Model<double> model = instantiate<double>(m);
    const Model<ComplexStep> step = instantiate<ComplexStep>(m);
    Workspace<double> work(model);
    Workspace<ComplexStep> step_work(step);
    Random random(seed);
    State s = random_state(model, random);
    for (std::size_t k = 0; k < 6; ++k) s.tau[k] = 0.0;  // nothing holds the hull; inner joints are driven
    std::vector<double> qdd(static_cast<std::size_t>(model.nv));
    aba<double>(model, work, s.q, s.qd, s.tau, qdd);
    forward_velocities<ComplexStep>(step, step_work, moving(model, s.q, s.qd), moving(s.qd, qdd));
    const Force<ComplexStep> P = momentum(step, step_work);
    const CentreOfMass<ComplexStep> com = centre_of_mass(step, step_work);
    const double mass = com.mass.re;
    const Vec3<double> weight = mass * model.gravity, at(com.position[0].re, com.position[1].re, com.position[2].re);
    const Vec3<double> moment = cross(at, weight);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(derivative_of(P.lin[k]), weight[k], 1e-9 * mass) << "seed " << seed;
      EXPECT_NEAR(derivative_of(P.ang[k]), moment[k], 1e-9 * mass * 10) << "seed " << seed;
      // and the centre of mass moves with the velocity that it is said to have
      EXPECT_NEAR(derivative_of(com.position[k]), com.velocity[k].re, 1e-12 * (1.0 + std::abs(com.velocity[k].re)));
    }
  }
}

TEST(Kinematics, TracedAndInterpretedGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Subject s(seed, static_cast<int>(2 * seed));
    const Model<Expr> symbolic = instantiate<Expr>(s.mechanism);
    const auto nq = static_cast<std::size_t>(s.model.nq), nv = static_cast<std::size_t>(s.model.nv);
    const int frame = static_cast<int>(s.model.frames.size()) - 1;
    const Function f =
        trace("kinematics", {{"q", nq}, {"qd", nv}}, {{"J", 6 * nv}, {"bias", 6}, {"energy", 2}, {"momentum", 3}},
              [&](const Arguments& in, Results& out) {
                Workspace<Expr> work(symbolic);
                forward_velocities<Expr>(symbolic, work, in[0], in[1]);
                frame_jacobian<Expr>(symbolic, work, frame, out[0]);
                const Energy<Expr> E = energy<Expr>(symbolic, work, in[0], in[1]);
                out[2] = {E.kinetic, E.potential};
                const Force<Expr> P = momentum(symbolic, work);
                for (int k = 0; k < 3; ++k) out[3][static_cast<std::size_t>(k)] = P.ang[k];
                const Motion<Expr> bias = frame_bias<Expr>(symbolic, work, frame, in[0], in[1]);
                for (int k = 0; k < 3; ++k) {
                  out[1][static_cast<std::size_t>(k)] = bias.ang[k];
                  out[1][static_cast<std::size_t>(3 + k)] = bias.lin[k];
                }
              });
    std::vector<double> in = s.state.q, expected(6 * nv), got(f.output_size());
    in.insert(in.end(), s.state.qd.begin(), s.state.qd.end());
    evaluate<double>(f, in, got);
    forward_velocities<double>(s.model, s.work, s.state.q, s.state.qd);
    frame_jacobian<double>(s.model, s.work, frame, expected);
    const Energy<double> E = energy<double>(s.model, s.work, s.state.q, s.state.qd);
    const Force<double> P = momentum(s.model, s.work);
    const Motion<double> bias = frame_bias<double>(s.model, s.work, frame, s.state.q, s.state.qd);
    for (const Vec3<double>& part : {bias.ang, bias.lin}) expected.insert(expected.end(), {part[0], part[1], part[2]});
    expected.insert(expected.end(), {E.kinetic, E.potential, P.ang[0], P.ang[1], P.ang[2]});
    EXPECT_EQ(expected, got) << "seed " << seed;
  }
}

}  // namespace kinematics_test
}  // namespace lw
