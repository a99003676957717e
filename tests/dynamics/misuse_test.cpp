// What a caller can get wrong is told, in every build.
#include <gtest/gtest.h>

#include "dynamics/formulations/formulation.hpp"
#include "dynamics/kinematics/closed_form_arm.hpp"
#include "dynamics/kinematics/follow_path.hpp"
#include "dynamics/parameters/base_parameters.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace misuse_test {

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

TEST(Misuse, InverseKinematicsLooksAtItsArguments) {
  Arm a;
  const IkTarget target{{Mat3<double>::identity(), {}}};
  EXPECT_THROW(inverse_kinematics(a.model, 6, target, a.two), Error);
  EXPECT_THROW(inverse_kinematics(a.model, 7, target, a.six), Error);
  EXPECT_THROW(inverse_kinematics(a.model, -1, target, a.six), Error);
  IkOptions none;
  none.starts = 0;
  EXPECT_THROW(inverse_kinematics(a.model, 1, target, a.six, none), Error);
  IkOptions limited;
  limited.limits = CoordinateLimits{a.two, a.six};
  EXPECT_THROW(inverse_kinematics(a.model, 6, target, a.six, limited), Error);
  limited.limits = CoordinateLimits{a.six, a.two};
  EXPECT_THROW(inverse_kinematics(a.model, 6, target, a.six, limited), Error);
  limited.limits = CoordinateLimits{a.six, a.six};
  limited.limits->lower[3] = 1.0;  // above its upper
  EXPECT_THROW(inverse_kinematics(a.model, 6, target, a.six, limited), Error);

  std::vector<PathSample> path(3);
  EXPECT_THROW(follow_path(a.model, 6, path, false, a.two), Error);
  EXPECT_THROW(follow_path(a.model, 99, path, false, a.six), Error);
  EXPECT_THROW(follow_path(a.model, 0, path, false, a.six), Error);  // nothing moves the base
  EXPECT_THROW(difference_poses(path), Error);                       // times do not rise
  EXPECT_THROW(difference_velocities(path), Error);
  path.resize(2);
  EXPECT_THROW(difference_poses(path), Error);

  EXPECT_THROW(task_jacobian(a.model, a.work, 99, false), Error);
  const Model<double> other = instantiate<double>(load("double-pendulum"));
  EXPECT_THROW(task_jacobian(a.model, Workspace<double>(other), 6, false), Error);
  EXPECT_THROW(general_rank(a.model, -1, false), Error);
  EXPECT_THROW(carriers(a.model, 99), Error);
  EXPECT_THROW(ClosedFormArm::recognise(a.model, 99), Error);
  EXPECT_THROW(ClosedFormArm::recognise(a.model, 6)->solve(target.pose, a.two), Error);
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
  const Function f =
      trace("f", {{"x", 2}}, {{"y", 1}}, [](const Arguments& in, Results& out) { out[0][0] = in[0][0] * in[0][1]; });
  std::vector<double> in(1), out(1);
  EXPECT_THROW(evaluate<double>(f, in, out), Error);
  EXPECT_THROW(trace("g", {{"x", 1}}, {{"y", 2}}, [](const Arguments&, Results& r) { r[0].resize(1); }), Error);
}

}  // namespace misuse_test
}  // namespace lw
