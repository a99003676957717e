// Analytic derivatives of the dynamics against the complex step, which knows none of their formulas.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <set>

#include "base/worse.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/forward_derivatives.hpp"
#include "dynamics/inverse_derivatives.hpp"
#include "dynamics/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/embedded.hpp"
#include "model/random_state.hpp"
#include "model/read.hpp"
#include "support/motion.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd;
using Values = std::vector<double>;

struct Slopes {
  MatrixXd q, qd, last;  // last: of qdd or tau
};

std::span<double> entries(MatrixXd& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }

Slopes empty_slopes(int nv) { return {MatrixXd(nv, nv), MatrixXd(nv, nv), MatrixXd(nv, nv)}; }

Slopes analytic_inverse(const Model<double>& model, const State& s) {
  DerivativeWorkspace<double> work(model);
  Slopes d = empty_slopes(model.nv);
  inverse_derivatives<double>(model, work, s.q, s.qd, s.qdd, entries(d.q), entries(d.qd), entries(d.last));
  return d;
}

Slopes analytic_forward(const Model<double>& model, const State& s) {
  DerivativeWorkspace<double> work(model);
  Slopes d = empty_slopes(model.nv);
  forward_derivatives<double>(model, work, s.q, s.qd, s.tau, entries(d.q), entries(d.qd), entries(d.last));
  return d;
}

Values unit(int n, int k) {
  Values e(static_cast<std::size_t>(n), 0.0);
  e[static_cast<std::size_t>(k)] = 1.0;
  return e;
}

template <class Algorithm>
Slopes by_complex_step(const Mechanism& mechanism, const Model<double>& model, const State& s, const Values& last,
                       Algorithm algorithm) {
  const Model<ComplexStep> twin = instantiate<ComplexStep>(mechanism);
  Workspace<ComplexStep> work(twin);
  Slopes d = empty_slopes(model.nv);
  std::vector<ComplexStep> out(s.qd.size());
  const auto column = [&](MatrixXd& m, int k) {
    for (int i = 0; i < model.nv; ++i) m(i, k) = derivative_of(out[static_cast<std::size_t>(i)]);
  };
  for (int k = 0; k < model.nv; ++k) {
    const Values e = unit(model.nv, k);
    algorithm(twin, work, moving(model, s.q, e), still(s.qd), still(last), out);
    column(d.q, k);
    algorithm(twin, work, still(s.q), moving(s.qd, e), still(last), out);
    column(d.qd, k);
    algorithm(twin, work, still(s.q), still(s.qd), moving(last, e), out);
    column(d.last, k);
  }
  return d;
}

Slopes inverse_by_complex_step(const Mechanism& mechanism, const Model<double>& model, const State& s) {
  return by_complex_step(mechanism, model, s, s.qdd, [](const auto& m, auto& work, const auto& q, const auto& qd, const auto& qdd, auto& out) {
    rnea<ComplexStep>(m, work, q, qd, qdd, out);
  });
}

Slopes forward_by_complex_step(const Mechanism& mechanism, const Model<double>& model, const State& s) {
  return by_complex_step(mechanism, model, s, s.tau, [](const auto& m, auto& work, const auto& q, const auto& qd, const auto& tau, auto& out) {
    aba<ComplexStep>(m, work, q, qd, tau, out);
  });
}

// The largest difference as a fraction of the largest entry of all three.
double difference(const Slopes& a, const Slopes& b) {
  double worst = 0.0, scale = 0.0;
  for (const auto part : {&Slopes::q, &Slopes::qd, &Slopes::last}) {
    worst = worse(worst, largest(a.*part - b.*part));
    scale = std::max(scale, largest(b.*part));
  }
  return worst / scale;
}

Mechanism some_mechanism(std::uint64_t seed) {
  return random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 12),
                                 .branching = seed % 2 == 0 ? 0.4 : 0.0,
                                 .drives = true,
                                 .springs = true,
                                 .mimic = seed % 3 == 0 ? 0.7 : 0.0});
}

using Road = Slopes (*)(const Model<double>&, const State&);
using Check = Slopes (*)(const Mechanism&, const Model<double>&, const State&);

void check_embedded(Road analytic, Check complex_step) {
  int models = 0;
  double worst = 0.0;
  for (const std::string& name : embedded_names()) {
    const Mechanism mechanism = load(name);
    if (!mechanism.loops.empty()) continue;
    const Model<double> model = instantiate<double>(mechanism);
    Random random(1);
    for (int k = 0; k < 3; ++k) {
      const State s = random_state(model, random);
      const double error = difference(analytic(model, s), complex_step(mechanism, model, s));
      EXPECT_LT(error, 1e-10) << name;
      worst = worse(worst, error);
    }
    ++models;
  }
  fmt::print("  {} models: largest deviation {:.1e} of the largest entry\n", models, worst);
  EXPECT_GE(models, 14);
}

void check_random(Road analytic, Check complex_step) {
  double worst = 0.0;
  std::set<JointType> types;
  int mimics = 0, branched = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Mechanism mechanism = some_mechanism(seed);
    const Model<double> model = instantiate<double>(mechanism);
    for (const JointInfo& joint : model.joints) types.insert(joint.type);
    mimics += model.has_mimics;
    branched += DerivativeWorkspace<double>(model).branches;
    Random random(seed);
    const State s = random_state(model, random);
    const double error = difference(analytic(model, s), complex_step(mechanism, model, s));
    EXPECT_LT(error, 1e-10) << seed;
    worst = worse(worst, error);
  }
  fmt::print("  largest deviation {:.1e} of the largest entry; {} with mimics, {} with branches\n", worst, mimics, branched);
  EXPECT_EQ(types.size(), kAllJointTypes.size());
  EXPECT_GT(mimics, 25);
  EXPECT_GT(branched, 50);
}

TEST(InverseDerivatives, AreTheComplexStepOnEveryTreeThatComesWithTheProject) {
  check_embedded(analytic_inverse, inverse_by_complex_step);
}
TEST(InverseDerivatives, AreTheComplexStepOnRandomMechanisms) { check_random(analytic_inverse, inverse_by_complex_step); }

TEST(ForwardDerivatives, AreTheComplexStepOnEveryTreeThatComesWithTheProject) {
  check_embedded(analytic_forward, forward_by_complex_step);
}
TEST(ForwardDerivatives, AreTheComplexStepOnRandomMechanisms) { check_random(analytic_forward, forward_by_complex_step); }

}  // namespace
}  // namespace lw
