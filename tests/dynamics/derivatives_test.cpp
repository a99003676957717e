// Analytic derivatives of the dynamics against the complex step, which knows none of their formulas.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <set>
#include <utility>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/derivatives/derivative_terms.hpp"
#include "dynamics/derivatives/forward_derivatives.hpp"
#include "dynamics/derivatives/inverse_derivatives.hpp"
#include "dynamics/derivatives/second_derivatives.hpp"
#include "dynamics/parameters/parameter_derivatives.hpp"
#include "dynamics/parameters/regressor.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/coordinate_rates.hpp"
#include "model/displace.hpp"
#include "model/evaluate.hpp"
#include "model/random_state.hpp"
#include "model/read/embedded.hpp"
#include "model/read/read.hpp"
#include "support/motion.hpp"
#include "support/random_elements.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace derivatives_test {

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
  return by_complex_step(mechanism, model, s, s.qdd,
                         [](const auto& m, auto& work, const auto& q, const auto& qd, const auto& qdd, auto& out) {
                           rnea<ComplexStep>(m, work, q, qd, qdd, out);
                         });
}

Slopes forward_by_complex_step(const Mechanism& mechanism, const Model<double>& model, const State& s) {
  return by_complex_step(mechanism, model, s, s.tau,
                         [](const auto& m, auto& work, const auto& q, const auto& qd, const auto& tau, auto& out) {
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

using Method = Slopes (*)(const Model<double>&, const State&);
using Check = Slopes (*)(const Mechanism&, const Model<double>&, const State&);

void check_embedded(Method analytic, Check complex_step, double limit) {
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
      EXPECT_LT(error, limit) << name;
      worst = worse(worst, error);
    }
    ++models;
  }
  fmt::print("  {} models: largest deviation {:.1e} of the largest entry\n", models, worst);
  EXPECT_GE(models, 14);
}

void check_random(Method analytic, Check complex_step, double limit) {
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
    EXPECT_LT(error, limit) << seed;
    worst = worse(worst, error);
  }
  fmt::print("  largest deviation {:.1e} of the largest entry; {} with mimics, {} with branches\n", worst, mimics,
             branched);
  EXPECT_EQ(types.size(), kAllJointTypes.size());
  EXPECT_GT(mimics, 25);
  EXPECT_GT(branched, 50);
}

TEST(InverseDerivatives, AreTheComplexStepOnEveryTreeThatComesWithTheProject) {
  check_embedded(analytic_inverse, inverse_by_complex_step, 1e-13);
}
TEST(InverseDerivatives, AreTheComplexStepOnRandomMechanisms) {
  check_random(analytic_inverse, inverse_by_complex_step, 1e-13);
}

TEST(ForwardDerivatives, AreTheComplexStepOnEveryTreeThatComesWithTheProject) {
  check_embedded(analytic_forward, forward_by_complex_step, 1e-10);
}
TEST(ForwardDerivatives, AreTheComplexStepOnRandomMechanisms) {
  check_random(analytic_forward, forward_by_complex_step, 1e-10);
}

// M of the one is M of crba, ∂q̈/∂τ of the other its inverse, and the q̈ it leaves is that of aba.
TEST(ForwardDerivatives, InvertTheMassMatrix) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model<double> model = instantiate<double>(some_mechanism(seed));
    Random random(seed);
    const State s = random_state(model, random);
    Workspace<double> work(model);
    MatrixXd M(model.nv, model.nv);
    crba<double>(model, work, s.q, entries(M));
    EXPECT_LT(largest(analytic_inverse(model, s).last - M), 1e-13 * largest(M));

    DerivativeWorkspace<double> derivatives(model);
    Slopes d = empty_slopes(model.nv);
    forward_derivatives<double>(model, derivatives, s.q, s.qd, s.tau, entries(d.q), entries(d.qd), entries(d.last));
    EXPECT_EQ(d.last, d.last.transpose());
    worst = worse(worst, largest(d.last * M - MatrixXd::Identity(model.nv, model.nv)));
    Values qdd(s.qd.size());
    aba<double>(model, work, s.q, s.qd, s.tau, qdd);
    double size = 0.0;
    for (const double x : qdd) size = std::max(size, std::abs(x));
    EXPECT_LT(largest_difference(derivatives.qdd, qdd), 1e-9 * size) << seed;
  }
  fmt::print("  M⁻¹ M is 1 to {:.1e}\n", worst);
  EXPECT_LT(worst, 1e-9);
}

// A floating mechanism is as precise a thousand kilometres away.
TEST(InverseDerivatives, DoNotDependOnWhereTheMechanismFloats) {
  const Model<double> model = instantiate<double>(load("quadruped"));
  Random random(3);
  State s = random_state(model, random);
  const Slopes near = analytic_inverse(model, s);
  for (std::size_t k = 0; k < 3; ++k) s.q[k] += 1e6;
  const Slopes far = analytic_inverse(model, s);
  EXPECT_EQ(near.q, far.q);
  EXPECT_EQ(near.qd, far.qd);
  EXPECT_EQ(near.last, far.last);
}

// What errors are measured against: no entry is larger, and of a joint and itself M is as large.
TEST(DerivativeTerms, BoundEveryEntry) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Model<double> model = instantiate<double>(some_mechanism(seed));
    if (seed % 3 == 1) add_random_elements<double>(model, seed);
    Random random(seed);
    const State s = random_state(model, random);
    const Slopes d = analytic_inverse(model, s);
    Workspace<double> work(model);
    const DerivativeTerms terms = derivative_terms(model, work, s.q, s.qd, s.qdd);
    for (Eigen::Index k = 0; k < d.q.size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (const auto& [entry, size] :
           {std::pair(d.q.data()[k], terms.d_q[at]), std::pair(d.qd.data()[k], terms.d_qd[at]),
            std::pair(d.last.data()[k], terms.d_qdd[at])}) {
        EXPECT_LE(std::abs(entry), size * (1.0 + 1e-12)) << seed << ", entry " << k;
        if (size > 0.0) most = std::max(most, std::abs(entry) / size);
      }
    }
  }
  EXPECT_GT(most, 0.99);
}

TEST(SecondDerivatives, AreTheComplexStepOfTheFirst) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Mechanism mechanism = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 6),
                                                        .branching = 0.3,
                                                        .springs = true,
                                                        .mimic = seed % 4 == 0 ? 0.5 : 0.0});
    const Model<double> model = instantiate<double>(mechanism);
    const Model<ComplexStep> twin = instantiate<ComplexStep>(mechanism);
    Random random(seed);
    const State s = random_state(model, random);
    const SecondDerivatives second = second_inverse_derivatives(mechanism, s.q, s.qd, s.qdd);
    DerivativeWorkspace<ComplexStep> first(twin);
    const auto nv = static_cast<std::size_t>(model.nv);
    std::vector<ComplexStep> q(nv * nv), qd(nv * nv), qdd(nv * nv);
    double scale = 1.0;
    for (const auto* tensor : {&second.q_q, &second.qd_q, &second.qd_qd, &second.qdd_q}) {
      for (const double x : *tensor) scale = std::max(scale, std::abs(x));
    }
    const auto compare = [&](const std::vector<ComplexStep>& got, const Values& expected, std::size_t k) {
      for (std::size_t n = 0; n < nv * nv; ++n) {
        worst = worse(worst, std::abs(derivative_of(got[n]) - expected[k * nv * nv + n]) / scale);
      }
    };
    for (std::size_t k = 0; k < nv; ++k) {
      const Values e = unit(model.nv, static_cast<int>(k));
      inverse_derivatives<ComplexStep>(twin, first, moving(model, s.q, e), still(s.qd), still(s.qdd), q, qd, qdd);
      compare(q, second.q_q, k);
      compare(qd, second.qd_q, k);
      compare(qdd, second.qdd_q, k);
      inverse_derivatives<ComplexStep>(twin, first, still(s.q), moving(s.qd, e), still(s.qdd), q, qd, qdd);
      compare(qd, second.qd_qd, k);
      // mixed derivatives: ∂/∂q̇_k ∂τ_i/∂q_j = ∂/∂q_j ∂τ_i/∂q̇_k
      for (std::size_t j = 0; j < nv; ++j) {
        for (std::size_t i = 0; i < nv; ++i) {
          const double mixed = derivative_of(q[j * nv + i]) - second.qd_q[(j * nv + k) * nv + i];
          worst = worse(worst, std::abs(mixed) / scale);
        }
      }
    }
  }
  fmt::print("  largest deviation {:.1e} of the largest entry\n", worst);
  EXPECT_LT(worst, 1e-12);
}

std::vector<Dual> still_dual(const Values& x) { return {x.begin(), x.end()}; }

// ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ by columns, by dual numbers through rnea.
std::vector<Values> first_by_duals(const Model<double>& model, const Model<Dual>& twin, const State& s) {
  Workspace<Dual> work(twin);
  std::vector<Dual> tau(s.qd.size()), qd = still_dual(s.qd), qdd = still_dual(s.qdd);
  std::vector<Values> all(3);
  const auto append = [&](Values& to) {
    for (const Dual& t : tau) to.push_back(t.d);
  };
  for (std::size_t k = 0; k < s.qd.size(); ++k) {
    rnea<Dual>(twin, work, moving_along(model, s.q, static_cast<int>(k)), qd, qdd, tau);
    append(all[0]);
    for (const std::size_t group : {1, 2}) {
      Dual& moves = (group == 1 ? qd : qdd)[k];
      moves.d = 1.0;
      rnea<Dual>(twin, work, still_dual(s.q), qd, qdd, tau);
      moves.d = 0.0;
      append(all[group]);
    }
  }
  return all;
}

// d/dx f at 0, by central differences over 0.2, 0.1, … extrapolated to none (Richardson). For what the dynamics are
// made of, sines and polynomials, nothing remains of the terms that are left out, and of rounding about 1e-16/0.0125.
template <class F>
std::vector<Values> extrapolated_slope(const F& f) {
  constexpr int kLevels = 5;
  std::vector<std::vector<Values>> row;
  double h = 0.2;
  for (int level = 0; level < kLevels; ++level, h *= 0.5) {
    std::vector<Values> next = f(h);
    const std::vector<Values> before = f(-h);
    for (std::size_t g = 0; g < next.size(); ++g) {
      for (std::size_t n = 0; n < next[g].size(); ++n) next[g][n] = (next[g][n] - before[g][n]) / (2.0 * h);
    }
    double power = 1.0;
    for (std::vector<Values>& coarser : row) {  // each is replaced by the entry of this level
      power *= 4.0;
      std::vector<Values> finer = next;
      for (std::size_t g = 0; g < next.size(); ++g) {
        for (std::size_t n = 0; n < next[g].size(); ++n) finer[g][n] += (next[g][n] - coarser[g][n]) / (power - 1.0);
      }
      coarser = std::exchange(next, std::move(finer));
    }
    row.push_back(std::move(next));
  }
  return row.back();
}

// The largest deviation of second derivatives from those of the first by duals, of each tensor as a part of its largest
// entry.
double error_of_second(const Mechanism& mechanism, std::uint64_t seed) {
  const Model<double> model = instantiate<double>(mechanism);
  const Model<Dual> twin = instantiate<Dual>(mechanism);
  Random random(seed);
  const State s = random_state(model, random);
  const SecondDerivatives second = second_inverse_derivatives(mechanism, s.q, s.qd, s.qdd);
  SecondDerivatives expected;
  const auto append = [](Values& to, const Values& matrix) { to.insert(to.end(), matrix.begin(), matrix.end()); };
  for (int k = 0; k < model.nv; ++k) {
    const auto along_q = extrapolated_slope([&](double h) {
      State moved = s;
      Values step = unit(model.nv, k);
      for (double& x : step) x *= h;
      moved.q = displaced<double>(model, s.q, step);
      for (const JointInfo& joint :
           model.joints) {  // a turn leaves a quaternion a unit; the displacement is one of first order
        if (joint.type != JointType::spherical && joint.type != JointType::floating) continue;
        double* const x = moved.q.data() + joint.q + (joint.type == JointType::floating ? 3 : 0);
        const double length = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (int c = 0; c < 4; ++c) x[c] /= length;
      }
      return first_by_duals(model, twin, moved);
    });
    const auto along_qd = extrapolated_slope([&](double h) {
      State moved = s;
      moved.qd[static_cast<std::size_t>(k)] += h;
      return first_by_duals(model, twin, moved);
    });
    append(expected.q_q, along_q[0]);
    append(expected.qd_q, along_q[1]);
    append(expected.qdd_q, along_q[2]);
    append(expected.qd_qd, along_qd[1]);
  }
  double worst = 0.0;
  for (const auto tensor :
       {&SecondDerivatives::q_q, &SecondDerivatives::qd_q, &SecondDerivatives::qd_qd, &SecondDerivatives::qdd_q}) {
    double size = 0.0;
    for (const Values& which : {expected.*tensor, second.*tensor}) {
      for (const double x : which) size = std::max(size, std::abs(x));
    }
    if (size < 1e-9) continue;  // a mechanism of slides has nothing but rounding there
    worst = worse(worst, largest_difference(second.*tensor, expected.*tensor) / size);
  }
  return worst;
}

// By a method that shares no formula with the analytic recursion.
TEST(SecondDerivatives, AreThoseOfTheFirstByDualsThroughRnea) {
  double worst = 0.0;
  for (const std::string& name : embedded_names()) {
    const Mechanism mechanism = load(name);
    if (!mechanism.loops.empty()) continue;
    const double error = error_of_second(mechanism, 1);
    EXPECT_LT(error, 1e-11) << name;
    worst = worse(worst, error);
  }
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const double error = error_of_second(random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 6),
                                                                 .branching = 0.3,
                                                                 .drives = true,
                                                                 .springs = true,
                                                                 .mimic = seed % 4 == 0 ? 0.5 : 0.0}),
                                         seed);
    EXPECT_LT(error, 1e-11) << seed;
    worst = worse(worst, error);
  }
  fmt::print("  largest deviation {:.1e} of the largest entry\n", worst);
}

TEST(ParameterDerivatives, OfInertialOnesAreTheRegressor) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Mechanism mechanism = some_mechanism(seed);
    const Model<double> model = instantiate<double>(mechanism);
    const ParameterTable table = parameter_table(model);
    Random random(seed);
    const State s = random_state(model, random);
    Workspace<double> work(model);
    MatrixXd Y(model.nv, static_cast<Eigen::Index>(table.size()));
    regressor<double>(model, table, work, s.q, s.qd, s.qdd, entries(Y));
    const auto columns = parameter_derivatives(mechanism, table.names, [&](const Model<Dual>& moving) {
      Workspace<Dual> dual(moving);
      std::vector<Dual> tau(s.qd.size());
      rnea<Dual>(moving, dual, still_dual(s.q), still_dual(s.qd), still_dual(s.qdd), tau);
      return tau;
    });
    ASSERT_EQ(columns.size(), table.size());
    for (std::size_t p = 0; p < columns.size(); ++p) {
      for (std::size_t i = 0; i < columns[p].size(); ++i) {
        const double expected = Y(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(p));
        worst = worse(worst, std::abs(columns[p][i] - expected) / largest(Y));
      }
    }
  }
  fmt::print("  largest deviation {:.1e} of the largest entry of Y\n", worst);
  EXPECT_LT(worst, 1e-12);
}

// Every parameter that a file names: lengths, masses, radii, gravity; inverse and forward dynamics.
TEST(ParameterDerivatives, OfNamedOnesAreTheComplexStep) {
  double worst = 0.0;
  int parameters = 0;
  for (const std::string& name : embedded_names()) {
    const Mechanism mechanism = load(name);
    if (!mechanism.loops.empty()) continue;
    const Model<double> model = instantiate<double>(mechanism);
    Random random(1);
    const State s = random_state(model, random);
    const std::vector<std::string> names = file_parameters(mechanism);
    const auto slopes = parameter_derivatives(mechanism, names, [&](const Model<Dual>& moving) {
      Workspace<Dual> work(moving);
      std::vector<Dual> tau(s.qd.size()), qdd(s.qd.size());
      rnea<Dual>(moving, work, still_dual(s.q), still_dual(s.qd), still_dual(s.qdd), tau);
      aba<Dual>(moving, work, still_dual(s.q), still_dual(s.qd), still_dual(s.tau), qdd);
      tau.insert(tau.end(), qdd.begin(), qdd.end());
      return tau;
    });
    const FormulaValues<double> values(mechanism);
    for (std::size_t p = 0; p < names.size(); ++p, ++parameters) {
      const double value = values(mechanism.parameters[p].value);
      const Model<ComplexStep> twin =
          instantiate<ComplexStep>(mechanism, {{names[p], ComplexStep(value, kComplexStep)}});
      Workspace<ComplexStep> work(twin);
      std::vector<ComplexStep> tau(s.qd.size()), qdd(s.qd.size());
      rnea<ComplexStep>(twin, work, still(s.q), still(s.qd), still(s.qdd), tau);
      aba<ComplexStep>(twin, work, still(s.q), still(s.qd), still(s.tau), qdd);
      tau.insert(tau.end(), qdd.begin(), qdd.end());
      double scale = 1.0;
      for (const ComplexStep& x : tau) scale = std::max(scale, std::abs(derivative_of(x)));
      for (std::size_t k = 0; k < tau.size(); ++k) {
        worst = worse(worst, std::abs(slopes[p][k] - derivative_of(tau[k])) / scale);
      }
    }
  }
  fmt::print("  {} parameters: largest deviation {:.1e}\n", parameters, worst);
  EXPECT_GT(parameters, 40);
  EXPECT_LT(worst, 1e-10);
}

TEST(ParameterDerivatives, RefuseUnknownNames) {
  const Mechanism mechanism = load("double-pendulum");
  const auto nothing = [](const Model<Dual>&) { return std::vector<Dual>{}; };
  try {
    parameter_derivatives(mechanism, {"m3"}, nothing);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("m3"), std::string::npos);
  }
}

// Traced and interpreted, with the same sines: the same bits. (Of forward dynamics the same to rounding: solving fuses
// products with differences where the machine does, and of M⁻¹ other halves are computed eight columns at a time.)
TEST(Derivatives, TracedAndInterpretedAreTheSame) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Mechanism mechanism = random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 7),
                                                        .branching = 0.3,
                                                        .drives = true,
                                                        .springs = true,
                                                        .mimic = seed % 3 == 0 ? 0.5 : 0.0});
    const Model<double> model = instantiate<double>(mechanism);
    const Model<Expr> symbolic = instantiate<Expr>(mechanism);
    Random random(seed);
    const State s = random_state(model, random);
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    for (const bool forward : {false, true}) {
      const Function twin =
          trace("derivatives", {{"q", nq}, {"qd", nv}, {"last", nv}},
                {{"d_q", nv * nv}, {"d_qd", nv * nv}, {"d_last", nv * nv}},
                [&](const Arguments& in, Results& out) {
                  DerivativeWorkspace<Expr> work(symbolic);
                  (forward ? forward_derivatives<Expr> : inverse_derivatives<Expr>)(symbolic, work, in[0], in[1], in[2],
                                                                                    out[0], out[1], out[2]);
                })
              .with({Arithmetic::Trigonometry::own, false});
      Values in = s.q, got(3 * nv * nv);
      in.insert(in.end(), s.qd.begin(), s.qd.end());
      const Values& last = forward ? s.tau : s.qdd;
      in.insert(in.end(), last.begin(), last.end());
      evaluate<double>(twin, in, got);
      const Slopes d = forward ? analytic_forward(model, s) : analytic_inverse(model, s);
      const double rounding = forward ? 1e-9 : 0.0;
      for (std::size_t k = 0; k < nv * nv; ++k) {
        EXPECT_NEAR(got[k], d.q.data()[k], rounding * largest(d.q)) << seed << " " << forward << " " << k;
        EXPECT_NEAR(got[nv * nv + k], d.qd.data()[k], rounding * largest(d.qd)) << seed << " " << forward << " " << k;
        EXPECT_NEAR(got[2 * nv * nv + k], d.last.data()[k], rounding * largest(d.last))
            << seed << " " << forward << " " << k;
      }
    }
  }
}

TEST(Derivatives, RefuseWrongSizes) {
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  DerivativeWorkspace<double> work(model);
  Values two(2), four(4), three(3);
  EXPECT_THROW(inverse_derivatives<double>(model, work, two, two, two, four, four, three), Error);
  EXPECT_THROW(forward_derivatives<double>(model, work, two, three, two, four, four, four), Error);
  const Model<double> other = instantiate<double>(load("puma560"));
  Values six(6), square(36);
  EXPECT_THROW(inverse_derivatives<double>(other, work, six, six, six, square, square, square), Error);
  EXPECT_THROW(forward_derivatives<double>(other, work, six, six, six, square, square, square), Error);
}

}  // namespace derivatives_test
}  // namespace lw
