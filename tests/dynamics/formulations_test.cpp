// Every formulation against rnea, crba and its own trace, at 10 000 random states or more each.
//
// As in tests/peers, errors of τ_k are measured against Σ_j |M_kj q̈_j| + |h_k|.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <map>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace formulations_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Values = std::vector<double>;

constexpr int kStates = 20;

struct Worst {
  int states = 0;
  double inverse = 0.0, mass_matrix = 0.0, forward = 0.0;  // error over tolerance
};

// Our own answers at a state, and what deviations from them are measured by.
struct Reference {
  Reference(const Model<double>& model, const State& s) : n(model.nv), M(n, n), tau(n), h(n), terms(n) {
    Workspace<double> work(model);
    crba<double>(model, work, s.q, {M.data(), static_cast<std::size_t>(M.size())});
    rnea<double>(model, work, s.q, s.qd, s.qdd, {tau.data(), s.qdd.size()});
    bias_forces<double>(model, work, s.q, s.qd, {h.data(), s.qdd.size()});
    terms = M.cwiseAbs() * Eigen::Map<const VectorXd>(s.qdd.data(), n).cwiseAbs() + h.cwiseAbs();
  }
  int n;
  MatrixXd M;
  VectorXd tau, h, terms;
};

void compare(const Formulation& f, const Model<double>& model, const State& s, const Reference& ours, bool all,
             Worst& worst) {
  const auto nv = static_cast<std::size_t>(model.nv);
  VectorXd tau(ours.n), qdd(ours.n);
  inverse_by<double>(f, model, s.q, s.qd, s.qdd, {tau.data(), nv});
  ++worst.states;
  const double scale = std::max(1.0, ours.terms.maxCoeff());
  worst.inverse = worse(worst.inverse, largest(tau - ours.tau) / (1e-12 * scale));
  if (!all) return;
  MatrixXd M(ours.n, ours.n);
  mass_matrix_by<double>(f, model, s.q, {M.data(), nv * nv});
  worst.mass_matrix = worse(worst.mass_matrix, largest(M - ours.M) / (1e-12 * largest(ours.M)));
  forward_by<double>(f, model, s.q, s.qd, s.tau, {qdd.data(), nv});
  const VectorXd residual = ours.M * qdd + ours.h - Eigen::Map<const VectorXd>(s.tau.data(), ours.n);
  const double terms = (ours.M.cwiseAbs() * qdd.cwiseAbs() + ours.h.cwiseAbs()).maxCoeff();
  worst.forward = worse(worst.forward, largest(residual) / (1e-12 * terms));
}

void compare_twin(const Formulation& f, const Mechanism& mechanism, const Model<double>& model, const State& s) {
  const Model<Expr> symbolic = instantiate<Expr>(mechanism);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const Function twin =
      trace(f.name, {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}},
            [&](const Arguments& in, Results& out) { inverse_by<Expr>(f, symbolic, in[0], in[1], in[2], out[0]); });
  Values in = s.q, got(nv), expected(nv);
  in.insert(in.end(), s.qd.begin(), s.qd.end());
  in.insert(in.end(), s.qdd.begin(), s.qdd.end());
  evaluate<double>(twin, in, got);
  inverse_by<double>(f, model, s.q, s.qd, s.qdd, expected);

  for (std::size_t k = 0; k < nv; ++k) EXPECT_EQ(got[k] + 0.0, expected[k] + 0.0) << f.name << ", " << mechanism.name;

  const Function matrix =
      trace(f.name + "-matrix", {{"q", nq}}, {{"M", nv * nv}},
            [&](const Arguments& a, Results& out) { mass_matrix_by<Expr>(f, symbolic, a[0], out[0]); });
  Values M(nv * nv), M_expected(nv * nv);
  evaluate<double>(matrix, s.q, M);
  mass_matrix_by<double>(f, model, s.q, M_expected);
  EXPECT_EQ(M, M_expected) << f.name << ", " << mechanism.name;
}

TEST(Formulations, AgreeAtTenThousandStates) {
  struct Family {
    std::vector<JointType> types;
    double branching, mimic;
    int mechanisms, most_joints;
  };
  const std::vector<JointType> simple{JointType::revolute, JointType::prismatic};
  const std::vector<JointType> composed{JointType::revolute, JointType::cylindrical, JointType::universal,
                                        JointType::planar};
  const std::vector<Family> families{{simple, 0.0, 0.0, 420, 12},
                                     {composed, 0.0, 0.0, 80, 4},
                                     {simple, 0.4, 0.0, 60, 12},
                                     {composed, 0.4, 0.3, 40, 4},
                                     {kAllJointTypes, 0.4, 0.0, 100, 25}};
  std::map<std::string, Worst> worst;
  std::uint64_t seed = 0;
  for (const Family& family : families) {
    for (int k = 0; k < family.mechanisms; ++k) {
      const Mechanism mechanism = random_mechanism(++seed, {.joints = 1 + k % family.most_joints,
                                                            .types = family.types,
                                                            .branching = family.branching,
                                                            .drives = k % 2 == 0,
                                                            .springs = k % 3 == 0,
                                                            .mimic = family.mimic});
      const Model<double> model = instantiate<double>(mechanism);
      Random random(seed);
      for (int i = 0; i < kStates; ++i) {
        const State s = random_state(model, random);
        const Reference ours(model, s);
        for (const Formulation& f : formulations()) {
          if (refusal(f, model).empty()) compare(f, model, s, ours, i == 0, worst[f.name]);
        }
      }
    }
  }
  for (const Formulation& f : formulations()) {
    const Worst& w = worst[f.name];
    fmt::print("  {:24} {:6} states: {:.1e} of the tolerance for torques, {:.1e} M, {:.1e} residual of accelerations\n",
               f.name, w.states, w.inverse, w.mass_matrix, w.forward);
    EXPECT_GE(w.states, 10000) << f.name;
    EXPECT_LE(w.inverse, 1.0) << f.name;
    EXPECT_LE(w.mass_matrix, 1.0) << f.name;
    EXPECT_LE(w.forward, 1.0) << f.name;
  }
}

TEST(Formulations, TracedAndInterpretedGiveTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Mechanism mechanism = random_mechanism(
        seed,
        {.joints = 1 + static_cast<int>(seed) / 2,
         .types = seed % 3 == 0 ? kAllJointTypes : std::vector<JointType>{JointType::revolute, JointType::prismatic},
         .branching = seed % 2 == 0 ? 0.4 : 0.0,
         .drives = true,
         .springs = true,
         .mimic = seed == 4 ? 0.4 : 0.0});
    const Model<double> model = instantiate<double>(mechanism);
    Random random(seed);
    const State s = random_state(model, random);
    for (const Formulation& f : formulations()) {
      if (refusal(f, model).empty()) compare_twin(f, mechanism, model, s);
    }
  }
}

TEST(Formulations, SayWhatTheyCannotDescribe) {
  const Model<double> humanoid = instantiate<double>(load("humanoid"));
  for (const Formulation& f : formulations()) {
    if (f.scope == Formulation::Scope::any && f.most_joints == 0) continue;
    std::vector<double> q = humanoid.home, tau(static_cast<std::size_t>(humanoid.nv));
    EXPECT_THROW(inverse_by<double>(f, humanoid, q, tau, tau, tau), Error) << f.name;
  }
  EXPECT_EQ(find_formulation("newton"), nullptr);
  Model<double> lighter = instantiate<double>(load("puma560"));
  lighter.bodies[2].inertia.mass = -1.0;
  EXPECT_EQ(refusal(*find_formulation("walker-orin"), lighter),
            "`walker-orin` needs a mass that is not negative for every body; `link3` has none");
  EXPECT_EQ(refusal(*find_formulation("ness"), lighter), "");
  lighter.bodies[2].inertia.mass = 0.0;  // and a first moment all the same
  EXPECT_EQ(refusal(*find_formulation("ness"), lighter),
            "`ness` needs a centre of mass for every body; `link3` has none");
  Model<double> impossible = instantiate<double>(load("puma560"));
  EXPECT_EQ(refusal(*find_formulation("noc"), impossible), "");
  for (int k = 0; k < 3; ++k) impossible.bodies[3].inertia.I(k, k) -= 1.0;
  EXPECT_EQ(refusal(*find_formulation("noc"), impossible),
            "`noc` needs moments of inertia that are not negative for every body; `link4` has none");
}

}  // namespace formulations_test
}  // namespace lw
