// What a caller can get wrong is told, in every build.
#include <gtest/gtest.h>

#include "dynamics/aba.hpp"
#include "dynamics/base_parameters.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/kinematics.hpp"
#include "dynamics/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/read.hpp"

namespace lw {
namespace {

struct Arm {
  Model<double> model = instantiate<double>(load("puma560"));
  Workspace<double> work{model};
  std::vector<double> six = std::vector<double>(6), two = std::vector<double>(2);
};

TEST(Misuse, WrongSizesAreNamed) {
  Arm a;
  std::vector<double> M(36), J(36);
  try {
    rnea<double>(a.model, a.work, a.two, a.six, a.six, a.six);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "rnea: q has 2 values, `puma560` needs 6");
  }
  EXPECT_THROW(rnea<double>(a.model, a.work, a.six, a.six, a.six, a.two), Error);
  const std::vector<Force<double>> external(3);
  EXPECT_THROW(rnea<double>(a.model, a.work, a.six, a.six, a.six, a.six, external), Error);
  EXPECT_THROW(aba<double>(a.model, a.work, a.six, a.two, a.six, a.six), Error);
  EXPECT_THROW(aba<double>(a.model, a.work, a.six, a.six, a.six, a.six, external), Error);
  EXPECT_THROW(crba<double>(a.model, a.work, a.six, a.six), Error);
  EXPECT_THROW(factorize_mass_matrix<double>(a.model, a.six), Error);
  EXPECT_THROW(solve_mass_matrix<double>(a.model, M, a.two), Error);
  EXPECT_THROW(forward_by_crba<double>(a.model, a.work, a.six, a.six, a.two, a.six), Error);
  EXPECT_THROW(forward_kinematics<double>(a.model, a.work, a.two), Error);
  EXPECT_THROW(forward_velocities<double>(a.model, a.work, a.six, a.two), Error);
  forward_velocities<double>(a.model, a.work, a.six, a.six);
  EXPECT_THROW(energy<double>(a.model, a.work, a.six, a.two), Error);
  EXPECT_THROW(frame_jacobian<double>(a.model, a.work, 1, a.six), Error);
  EXPECT_THROW(frame_jacobian<double>(a.model, a.work, 99, J), Error);
  EXPECT_THROW(frame_pose<double>(a.model, a.work, -1), Error);
  EXPECT_THROW(frame_bias<double>(a.model, a.work, 1, a.two, a.six), Error);
}

TEST(Misuse, FormulationsAndRegressorsToo) {
  Arm a;
  const Formulation& f = *find_formulation("ness");
  EXPECT_THROW(inverse_by<double>(f, a.model, a.six, a.two, a.six, a.six), Error);
  EXPECT_THROW(mass_matrix_by<double>(f, a.model, a.six, a.six), Error);
  EXPECT_THROW(forward_by<double>(f, a.model, a.six, a.six, a.two, a.six), Error);
  const ParameterTable table = parameter_table(a.model);
  EXPECT_THROW(regressor<double>(a.model, table, a.work, a.six, a.six, a.six, a.six), Error);
  EXPECT_THROW(with_parameters<double>(a.model, table, a.six), Error);
  EXPECT_THROW(base_values<double>(base_parameters(a.model), a.six), Error);
}

TEST(Misuse, WorkspaceOfAnotherModelIsRefused) {
  Arm a;
  const Model<double> other = instantiate<double>(load("double-pendulum"));
  Workspace<double> small(other);
  EXPECT_THROW(rnea<double>(a.model, small, a.six, a.six, a.six, a.six), Error);
  EXPECT_THROW(aba<double>(a.model, small, a.six, a.six, a.six, a.six), Error);
}

TEST(Misuse, ExpressionsOfTwoGraphsDoNotMix) {
  Graph one, two;
  const Expr x = one.input("x"), y = two.input("y");
  EXPECT_THROW(x + y, Error);
  EXPECT_THROW(select(x, x, y), Error);
  const Function f = trace("f", {{"x", 2}}, {{"y", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][1]; });
  std::vector<double> in(1), out(1);
  EXPECT_THROW(evaluate<double>(f, in, out), Error);
  EXPECT_THROW(trace("g", {{"x", 1}}, {{"y", 2}}, [](const Arguments&, Results& r) { r[0].resize(1); }), Error);
}

}  // namespace
}  // namespace lw
