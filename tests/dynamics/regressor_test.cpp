// The regressor against rnea: Y π, each column alone, the traced twin.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <set>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/parameters/regressor.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace regressor_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Values = std::vector<double>;

MatrixXd regressor_at(const Model<double>& model, const ParameterTable& table, const State& s) {
  Workspace<double> work(model);
  MatrixXd Y(model.nv, static_cast<Eigen::Index>(table.size()));
  regressor<double>(model, table, work, s.q, s.qd, s.qdd, {Y.data(), static_cast<std::size_t>(Y.size())});
  return Y;
}

VectorXd torques(const Model<double>& model, const State& s) {
  Workspace<double> work(model);
  VectorXd tau(model.nv);
  rnea<double>(model, work, s.q, s.qd, s.qdd, {tau.data(), s.qdd.size()});
  return tau;
}

// The same mechanism with nothing but its springs.
Model<double> empty(const Model<double>& model, const ParameterTable& table) {
  return with_parameters<double>(model, table, Values(table.size(), 0.0));
}

Mechanism some_mechanism(std::uint64_t seed) {
  return random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 12),
                                 .branching = seed % 2 == 0 ? 0.4 : 0.0,
                                 .drives = true,
                                 .springs = true,
                                 .mimic = seed % 3 == 0 ? 0.4 : 0.0});
}

TEST(Regressor, TimesParametersIsInverseDynamics) {
  int states = 0;
  double worst = 0.0;
  std::set<JointKind> kinds;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Model<double> model = instantiate<double>(some_mechanism(seed));
    const ParameterTable table = parameter_table(model);
    const Values values = parameter_values(model, table);
    const VectorXd pi = Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
    for (const Body<double>& b : model.bodies) kinds.insert(b.kind);
    Random random(seed);
    for (int k = 0; k < 10; ++k) {
      const State s = random_state(model, random);
      const MatrixXd Y = regressor_at(model, table, s);
      const VectorXd tau = torques(model, s), springs = torques(empty(model, table), s);
      // What the sum is made of is the measure of its rounding; but Y holds what is left along the axis of forces that
      // may be a thousand times larger, those of the joint with the largest sum.
      const VectorXd size = Y.cwiseAbs() * pi.cwiseAbs() + springs.cwiseAbs();
      worst = worse(worst, largest((Y * pi + springs - tau).array() / size.array().max(1e-3 * size.maxCoeff())));
      ++states;
    }
  }
  EXPECT_EQ(kinds.size(), 4u);
  fmt::print("  {} states: largest deviation {:.1e} of the sum of the magnitudes\n", states, worst);
  EXPECT_LT(worst, 1e-13);
}

TEST(Regressor, EveryColumnIsTheTorqueOfAUnitParameter) {
  int columns = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = instantiate<double>(some_mechanism(seed));
    const ParameterTable table = parameter_table(model);
    Random random(seed);
    const State s = random_state(model, random);
    const MatrixXd Y = regressor_at(model, table, s);
    const VectorXd springs = torques(empty(model, table), s);
    for (std::size_t p = 0; p < table.size(); ++p) {
      Values unit(table.size(), 0.0);
      unit[p] = 1.0;
      const VectorXd expected = torques(with_parameters<double>(model, table, unit), s) - springs;
      const auto column = static_cast<Eigen::Index>(p);
      const double size = expected.cwiseAbs().maxCoeff() + springs.cwiseAbs().maxCoeff() + 1.0;
      EXPECT_LT(largest(Y.col(column) - expected), 1e-12 * size) << model.name << " " << table.names[p];
      ++columns;
    }
  }
  EXPECT_GT(columns, 1000);
}

TEST(Regressor, TracedAndInterpretedGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Mechanism mechanism = some_mechanism(seed);
    const Model<double> model = instantiate<double>(mechanism);
    const Model<Expr> symbolic = instantiate<Expr>(mechanism);
    const ParameterTable table = parameter_table(model);
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    const Function twin = trace("regressor", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"Y", nv * table.size()}},
                                [&](const Arguments& in, Results& out) {
                                  Workspace<Expr> work(symbolic);
                                  regressor<Expr>(symbolic, table, work, in[0], in[1], in[2], out[0]);
                                });
    Random random(seed);
    const State s = random_state(model, random);
    Values in = s.q, got(nv * table.size());
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    evaluate<double>(twin, in, got);
    const MatrixXd Y = regressor_at(model, table, s);
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k] + 0.0, Y.data()[k] + 0.0) << model.name << " " << k;
  }
}

TEST(Regressor, ParametersAreNamedByLinksAndComposedJointsHaveNoneInside) {
  const ParameterTable puma = parameter_table(instantiate<double>(load("puma560")));
  EXPECT_EQ(puma.size(), 66u);
  EXPECT_EQ(puma.names[0], "link1.m");
  EXPECT_EQ(puma.names[23], "link3.mx");
  EXPECT_EQ(puma.names[65], "link6.rotor");

  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Mechanism mechanism = some_mechanism(seed);
    std::size_t expected = 0;
    for (const Link& link : mechanism.links) {
      if (link.joint.type != JointType::fixed) expected += 10;
      // a rotor where a drive turns the joint, or one that follows it
      bool turned = link.joint.drive.has_value();
      for (const Link& other : mechanism.links) {
        turned |= other.joint.drive && other.joint.mimic && other.joint.mimic->joint == link.joint.name;
      }
      if (turned && velocities(link.joint.type) == 1) ++expected;
    }
    const ParameterTable table = parameter_table(instantiate<double>(mechanism));
    EXPECT_EQ(table.size(), expected);
    EXPECT_EQ(std::set<std::string>(table.names.begin(), table.names.end()).size(), expected);
  }
}

}  // namespace regressor_test
}  // namespace lw
