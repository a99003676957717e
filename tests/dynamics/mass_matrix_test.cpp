#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <Eigen/Core>
#include <cmath>

#include "base/linear.hpp"
#include "base/worse.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace mass_matrix_test {

struct Subject {
  explicit Subject(std::uint64_t seed, int joints)
      : mechanism(random_mechanism(
            seed, {.joints = joints, .drives = true, .springs = true, .mimic = seed % 3 == 0 ? 0.3 : 0.0})),
        model(instantiate<double>(mechanism)),
        work(model) {
    Random random(seed);
    state = random_state(model, random);
    M.resize(model.nv, model.nv);
    crba<double>(model, work, state.q, {M.data(), static_cast<std::size_t>(M.size())});
  }
  Mechanism mechanism;
  Model<double> model;
  Workspace<double> work;
  State state;
  Eigen::MatrixXd M;
};

RC_GTEST_PROP(MassMatrix, IsSymmetricAndPositiveDefinite, ()) {
  const Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 40));
  RC_ASSERT(s.M == s.M.transpose());
  const Eigen::VectorXd eigenvalues = lw::symmetric_eigenvalues(s.M);
  RC_ASSERT(eigenvalues[0] > 0.0);
}

RC_GTEST_PROP(MassMatrix, IsTwiceTheKineticEnergy, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 40));
  const Eigen::Map<const Eigen::VectorXd> qd(s.state.qd.data(), s.model.nv);
  forward_velocities<double>(s.model, s.work, s.state.q, s.state.qd);
  const double kinetic = energy<double>(s.model, s.work, s.state.q, s.state.qd).kinetic;
  RC_ASSERT(std::abs(0.5 * qd.dot(s.M * qd) - kinetic) <= 1e-12 * kinetic);
}

RC_GTEST_PROP(MassMatrix, ColumnsAreTorquesOfUnitAccelerations, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 25));
  const auto nv = static_cast<std::size_t>(s.model.nv);
  std::vector<double> still(nv), gravity(nv), tau(nv);
  gravity_forces<double>(s.model, s.work, s.state.q, gravity);
  const double scale =
      s.M.cwiseAbs().maxCoeff() + Eigen::Map<Eigen::VectorXd>(gravity.data(), s.model.nv).cwiseAbs().maxCoeff();
  for (std::size_t j = 0; j < nv; ++j) {
    std::vector<double> unit(nv);
    unit[j] = 1.0;
    rnea<double>(s.model, s.work, s.state.q, still, unit, tau);
    for (std::size_t i = 0; i < nv; ++i) {
      RC_ASSERT(std::abs(tau[i] - gravity[i] - s.M(static_cast<int>(i), static_cast<int>(j))) <= 1e-12 * scale);
    }
  }
}

RC_GTEST_PROP(MassMatrix, FactorsKeepTheZerosAndSolve, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 40));
  const int nv = s.model.nv;
  Eigen::MatrixXd factors = s.M;
  factorize_mass_matrix<double>(s.model, {factors.data(), static_cast<std::size_t>(factors.size())});
  // velocities of which neither's body carries the other's
  const auto body_of = [&](int v) {
    int found = -1;
    for (std::size_t b = 0; b < s.model.bodies.size(); ++b) {
      const Body<double>& body = s.model.bodies[b];
      if (v >= body.v && v < body.v + body.velocities()) found = static_cast<int>(b);
    }
    return found;
  };
  const auto carries = [&](int a, int b) {
    while (b > a) b = s.model.bodies[static_cast<std::size_t>(b)].parent;
    return a == b;
  };
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) {
      if (s.model.has_mimics || carries(body_of(i), body_of(j)) || carries(body_of(j), body_of(i))) continue;
      RC_ASSERT(s.M(i, j) == 0.0);
      RC_ASSERT(factors(i, j) == 0.0);
    }
  }
  Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(nv, -1.0, 2.0);
  const Eigen::VectorXd reference = lw::solve_positive(s.M, b);
  solve_mass_matrix<double>(s.model, {factors.data(), static_cast<std::size_t>(factors.size())},
                            {b.data(), static_cast<std::size_t>(nv)});
  const Eigen::VectorXd eigenvalues = lw::symmetric_eigenvalues(s.M);
  const double condition = eigenvalues[nv - 1] / eigenvalues[0];
  RC_ASSERT((b - reference).norm() <= 10 * 2.3e-16 * condition * reference.norm());
}

TEST(MassMatrix, TracedAndInterpretedGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Subject s(seed, static_cast<int>(seed));
    const Model<Expr> symbolic = instantiate<Expr>(s.mechanism);
    const auto nq = static_cast<std::size_t>(s.model.nq), nv = static_cast<std::size_t>(s.model.nv);
    const Function f = trace("mass_matrix", {{"q", nq}}, {{"M", nv * nv}}, [&](const Arguments& in, Results& out) {
      Workspace<Expr> work(symbolic);
      crba<Expr>(symbolic, work, in[0], out[0]);
    });
    Eigen::MatrixXd M(s.model.nv, s.model.nv);
    evaluate<double>(f, s.state.q, {M.data(), nv * nv});
    EXPECT_TRUE(M == s.M) << "seed " << seed;
  }
}

// Forward dynamics, both methods.

RC_GTEST_PROP(ForwardDynamics, LeavesNoResidual, ()) {
  Subject s(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 40));
  const auto nv = static_cast<std::size_t>(s.model.nv);
  std::vector<double> by_aba(nv), by_crba(nv), tau(nv), h(nv);
  aba<double>(s.model, s.work, s.state.q, s.state.qd, s.state.tau, by_aba);
  forward_by_crba<double>(s.model, s.work, s.state.q, s.state.qd, s.state.tau, by_crba);
  bias_forces<double>(s.model, s.work, s.state.q, s.state.qd, h);
  for (const std::vector<double>* qdd : {&by_aba, &by_crba}) {
    rnea<double>(s.model, s.work, s.state.q, s.state.qd, *qdd, tau);
    // norms of the whole vectors: an error made at one joint is felt at all
    double scale = 0.0, residual = 0.0;
    for (std::size_t i = 0; i < nv; ++i) {
      double terms = std::abs(h[i]);
      for (std::size_t j = 0; j < nv; ++j) terms += std::abs(s.M(static_cast<int>(i), static_cast<int>(j)) * (*qdd)[j]);
      scale = std::max(scale, terms);
      residual = worse(residual, std::abs(tau[i] - s.state.tau[i]));
    }
    RC_ASSERT(residual <= 1e-13 * std::max(1.0, scale));
  }
}

TEST(ForwardDynamics, TracedAndInterpretedGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Subject s(seed, static_cast<int>(seed));
    const Model<Expr> symbolic = instantiate<Expr>(s.mechanism);
    const auto nq = static_cast<std::size_t>(s.model.nq), nv = static_cast<std::size_t>(s.model.nv);
    std::vector<double> in = s.state.q, expected(nv), got(nv);
    in.insert(in.end(), s.state.qd.begin(), s.state.qd.end());
    in.insert(in.end(), s.state.tau.begin(), s.state.tau.end());
    for (const bool articulated : {true, false}) {
      const Function f =
          trace("forward", {{"q", nq}, {"qd", nv}, {"tau", nv}}, {{"qdd", nv}}, [&](const Arguments& a, Results& out) {
            Workspace<Expr> work(symbolic);
            if (articulated) {
              aba<Expr>(symbolic, work, a[0], a[1], a[2], out[0]);
            } else {
              forward_by_crba<Expr>(symbolic, work, a[0], a[1], a[2], out[0]);
            }
          });
      if (articulated) {
        aba<double>(s.model, s.work, s.state.q, s.state.qd, s.state.tau, expected);
      } else {
        forward_by_crba<double>(s.model, s.work, s.state.q, s.state.qd, s.state.tau, expected);
      }
      evaluate<double>(f, in, got);
      EXPECT_EQ(expected, got) << "seed " << seed << (articulated ? " aba" : " crba");
    }
  }
}

TEST(ForwardDynamics, TakesExternalWrenches) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Subject s(seed, static_cast<int>(seed));
    const auto nv = static_cast<std::size_t>(s.model.nv);
    Random random(seed);
    std::vector<Force<double>> external(s.model.bodies.size());
    for (Force<double>& f : external) {
      f.ang = {random.between(-5, 5), random.between(-5, 5), random.between(-5, 5)};
      f.lin = {random.between(-5, 5), random.between(-5, 5), random.between(-5, 5)};
    }
    std::vector<double> tau(nv), qdd(nv);
    rnea<double>(s.model, s.work, s.state.q, s.state.qd, s.state.qdd, tau, external);
    for (const bool articulated : {true, false}) {
      if (articulated) {
        aba<double>(s.model, s.work, s.state.q, s.state.qd, tau, qdd, external);
      } else {
        forward_by_crba<double>(s.model, s.work, s.state.q, s.state.qd, tau, qdd, external);
      }
      const Eigen::VectorXd eigenvalues = lw::symmetric_eigenvalues(s.M);
      const double condition = eigenvalues[s.model.nv - 1] / eigenvalues[0];
      for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(qdd[k], s.state.qdd[k], 1e-13 * condition) << "seed " << seed;
    }
  }
}

}  // namespace mass_matrix_test
}  // namespace lw
