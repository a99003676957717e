// The double path allocates nothing after set-up: malloc itself is watched.
#include <gtest/gtest.h>

#include "dynamics/derivatives/forward_derivatives.hpp"
#include "dynamics/derivatives/inverse_derivatives.hpp"
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
#include "model/read/read.hpp"
#include "support/count_allocations.hpp"
#include "support/random_elements.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace allocation_test {

TEST(AllocationCount, SeesEveryKind) {
  LW_SKIP_UNLESS_ALLOCATIONS_ARE_COUNTED();
  const long before = allocations_so_far();
  std::vector<double> v(100);
  EXPECT_GT(allocations_so_far() - before, 0);
  EXPECT_EQ(v[99], 0.0);
  const long between = allocations_so_far();
  std::vector<Force<double>> aligned(100);
  EXPECT_GT(allocations_so_far() - between, 0);
  EXPECT_EQ(aligned[99].lin[2], 0.0);
}

class Allocation : public testing::TestWithParam<double> {};

TEST_P(Allocation, NoneInTheDoublePath) {
  LW_SKIP_UNLESS_ALLOCATIONS_ARE_COUNTED();
  const Mechanism m = random_mechanism(5, {.joints = 30, .drives = true, .springs = true, .mimic = GetParam()});
  Model<double> model = instantiate<double>(m);
  Model<Expr> symbolic = instantiate<Expr>(m);
  add_random_elements<double>(model, 5, {.rotor_ties = false});
  add_random_elements<Expr>(symbolic, 5, {.rotor_ties = false});
  Workspace<double> work(model);
  Random random(5);
  const State s = random_state(model, random);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const ParameterTable table = parameter_table(model);
  std::vector<double> out(nv), at_joints(nv), M(nv * nv), J(6 * nv), Y(nv * table.size()), d_q(nv * nv), d_qd(nv * nv);
  DerivativeWorkspace<double> derivatives(model);
  Interpreter<double> interpret(
      trace("inverse", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}}, [&](const Arguments& in, Results& tau) {
        Workspace<Expr> w(symbolic);
        rnea<Expr>(symbolic, w, in[0], in[1], in[2], tau[0]);
      }));
  const std::vector<double> in(nq + 2 * nv, 0.1);
  std::vector<Force<double>> external(model.bodies.size());
  const int frame = static_cast<int>(model.frames.size()) - 1;

  const long before = allocations_so_far();
  rnea<double>(model, work, s.q, s.qd, s.qdd, out, external);
  bias_forces<double>(model, work, s.q, s.qd, out);
  gravity_forces<double>(model, work, s.q, out);
  crba<double>(model, work, s.q, M);
  factorize_mass_matrix<double>(model, M);
  solve_mass_matrix<double>(model, M, out);
  forward_by_crba<double>(model, work, s.q, s.qd, s.tau, out);
  aba<double>(model, work, s.q, s.qd, s.tau, out, external);
  forward_velocities<double>(model, work, s.q, s.qd);
  frame_jacobian<double>(model, work, frame, J);
  frame_bias<double>(model, work, frame, s.q, s.qd);
  energy<double>(model, work, s.q, s.qd);
  add_damping<double>(model, work, s.q, s.qd, external, at_joints);
  element_torques<double>(model, work, s.q, out);
  damping_torques<double>(model, work, s.q, s.qd, out);
  centre_of_mass(model, work);
  regressor<double>(model, table, work, s.q, s.qd, s.qdd, Y);
  inverse_derivatives<double>(model, derivatives, s.q, s.qd, s.qdd, d_q, d_qd, M);
  forward_derivatives<double>(model, derivatives, s.q, s.qd, s.tau, d_q, d_qd, M);
  interpret(in, out);
  EXPECT_EQ(allocations_so_far() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithMimics, Allocation, testing::Values(0.0, 0.4));

TEST(AllocationOfLosses, NoneAfterSetUp) {
  LW_SKIP_UNLESS_ALLOCATIONS_ARE_COUNTED();
  const Model<double> model = instantiate<double>(load("puma560-dhanaraj"));
  Workspace<double> work(model);
  Losses<double> losses(model);
  ForwardLosses forward(model);
  Random random(5);
  const State s = random_state(model, random);
  const std::vector<double> rest(6, 0.0);
  std::vector<double> qdd(6);
  const long before = allocations_so_far();
  inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
  forward(s.q, s.qd, losses.total, qdd);
  forward(s.q, rest, s.tau, qdd);
  EXPECT_EQ(allocations_so_far() - before, 0);
}

}  // namespace allocation_test
}  // namespace lw
