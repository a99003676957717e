// `gravity` is the gradient of the potential energy along the independent joints, R_kᵀ ∂V/∂q by dual numbers: of
// weights, springs and other force elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "codegen/trace/verification.hpp"
#include "dynamics/loops/projection.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "graph/interpreter.hpp"
#include "model/displace.hpp"
#include "model/over.hpp"
#include "model/read/embedded.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace gravity_test {

using Values = std::vector<double>;

// ∂V along q̇ of the tree.
double slope(const Model<double>& model, const Values& q, const double* qd) {
  const Model<Dual> twin = over<Dual>(model);
  Workspace<Dual> work(twin);
  const std::vector<Dual> here(q.begin(), q.end()), still(static_cast<std::size_t>(model.nv));
  std::vector<Dual> step = still;
  for (std::size_t v = 0; v < step.size(); ++v) step[v].d = qd[v];
  const std::vector<Dual> moved = displaced<Dual>(twin, here, step);
  forward_velocities<Dual>(twin, work, moved, still);
  return energy<Dual>(twin, work, moved, still).potential.d;
}

void expect_gradient(const Mechanism& mechanism) {
  const Traced gravity = trace_function(mechanism, FunctionId::gravity);
  EXPECT_LE(verify(gravity, 20).error, 1e-12) << mechanism.name;
  const Model<double>& model = gravity.model;
  const LoopPlan& plan = *gravity.plan;
  RandomStates states(model, plan);
  Random random(5);
  PlantWorkspace<double> work(model, plan);
  for (int trial = 0; trial < 20; ++trial) {
    const State s = states.next(random);
    const Values q = states.tree_q(), in = inputs_of(gravity.function, s, gravity.parameter_values);
    Values out(gravity.function.output_size());
    evaluate<double>(gravity.function, in, out);
    set_pose<double>(model, plan, work, q);
    complement_by_unit_velocities<double>(model, plan, work);
    double largest = 1.0;
    for (std::size_t k = 0; k < plan.freedoms(); ++k) largest = std::max(largest, std::abs(out[k]));
    for (std::size_t k = 0; k < plan.freedoms(); ++k) {
      const double* const R = work.R.data() + k * static_cast<std::size_t>(model.nv);
      EXPECT_NEAR(out[k], slope(model, q, R), 1e-10 * largest) << mechanism.name << ", joint " << k;
    }
  }
}

TEST(Gravity, IsTheGradientOfThePotential) {
  for (const char* name : {"puma560", "quadruped", "excavator", "four-bar", "planar-3rrr", "stewart"})
    expect_gradient(load(name));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomMechanismOptions options;
    options.joints = 4;
    options.springs = true;
    expect_gradient(random_mechanism(seed, options));
  }
}

}  // namespace gravity_test
}  // namespace lw
