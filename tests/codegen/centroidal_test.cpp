// `centroidal`: A q̇ is the momentum about the centre of mass, and A q̈ + Ȧ q̇ its rate, by dual numbers along the motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "codegen/trace/verification.hpp"
#include "dynamics/loops/loop_position.hpp"
#include "dynamics/loops/projection.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "graph/interpreter.hpp"
#include "model/displace.hpp"
#include "model/joints_alone.hpp"
#include "model/over.hpp"
#include "model/read/embedded.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace centroidal_test {

using Values = std::vector<double>;

std::vector<Dual> dual(const Values& x) { return {x.begin(), x.end()}; }

// [angular; linear] about the centre of mass, from velocities of bodies; its rate in the dual parts.
std::vector<Dual> momentum_in(const Traced& traced, const State& s) {
  const Model<Dual> twin = over<Dual>(traced.model);
  const LoopPlan& plan = *traced.plan;
  const Model<Dual> joints = over<Dual>(joints_alone(traced.model, plan.independent));
  std::vector<Dual> step = dual(Values(s.qd.size(), 0.0)), qd = dual(s.qd);
  for (std::size_t k = 0; k < qd.size(); ++k) {
    step[k].d = s.qd[k];
    qd[k].d = s.qdd[k];
  }
  const std::vector<Dual> here = displaced<Dual>(joints, dual(s.q), step);
  const std::vector<Dual> q = loop_position<Dual>(twin, plan, here, dual(s.guess)).q;
  PlantWorkspace<Dual> work(twin, plan);
  set_pose<Dual>(twin, plan, work, q);
  tree_velocities<Dual>(twin, plan, work, qd);
  forward_velocities<Dual>(twin, work.tree, q, work.qd);
  const Force<Dual> h = momentum<Dual>(twin, work.tree);
  const CentreOfMass<Dual> c = centre_of_mass<Dual>(twin, work.tree);
  const Vec3<Dual> about = h.ang - cross(c.position, h.lin);
  return {about[0], about[1], about[2], h.lin[0], h.lin[1], h.lin[2]};
}

void expect_momentum(const Mechanism& mechanism) {
  const Traced traced = trace_function(mechanism, FunctionId::centroidal);
  EXPECT_LE(verify(traced, 20).error, 1e-12) << mechanism.name;
  const std::size_t n = traced.plan->freedoms();
  StatesFor states(traced, traced.model);
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const State s = states.next(random);
    Values out(traced.function.output_size());
    evaluate<double>(traced.function, inputs_of(traced.function, s, traced.parameter_values), out);
    const std::vector<Dual> h = momentum_in(traced, s);
    double size = 0.0, rate_size = 0.0;
    for (std::size_t i = 0; i < 6 * n; ++i) size = std::max(size, std::abs(out[i] * s.qd[i / 6]));
    for (std::size_t i = 0; i < 6 * n; ++i) rate_size = std::max(rate_size, std::abs(out[i] * s.qdd[i / 6]));
    for (std::size_t i = 0; i < 6; ++i) rate_size = std::max(rate_size, std::abs(out[6 * n + i]));
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0.0, rate = out[6 * n + i];
      for (std::size_t k = 0; k < n; ++k) {
        sum += out[6 * k + i] * s.qd[k];
        rate += out[6 * k + i] * s.qdd[k];
      }
      EXPECT_NEAR(sum, h[i].v, 1e-11 * size) << mechanism.name << ", momentum " << i;
      EXPECT_NEAR(rate, h[i].d, 1e-11 * rate_size) << mechanism.name << ", rate " << i;
    }
  }
}

TEST(Centroidal, MatrixGivesMomentumAndItsRate) {
  for (const char* name : {"puma560", "quadruped", "torso", "four-bar", "planar-3rrr", "delta"})
    expect_momentum(load(name));
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomMechanismOptions options;
    options.joints = 1 + static_cast<int>(seed) % 5;
    options.mimic = seed % 3 == 0 ? 0.4 : 0.0;
    expect_momentum(random_mechanism(seed, options));
  }
}

}  // namespace centroidal_test
}  // namespace lw
