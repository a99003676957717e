// `coriolis`: C q̇ are the velocity forces, Ṁ = C + Cᵀ (by dual numbers along q̇), and where all joints have coordinates
// of their own C is that of Christoffel, ½ ∂(C q̇)/∂q̇.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "codegen/trace/verification.hpp"
#include "dynamics/loops/loop_position.hpp"
#include "dynamics/loops/projection.hpp"
#include "graph/interpreter.hpp"
#include "model/displace.hpp"
#include "model/joints_alone.hpp"
#include "model/over.hpp"
#include "model/read/embedded.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace coriolis_test {

using Values = std::vector<double>;

std::vector<Dual> dual(const Values& x) { return {x.begin(), x.end()}; }

double largest_of(const Values& x) {
  double largest = 0.0;
  for (const double a : x) largest = std::max(largest, std::abs(a));
  return largest;
}

class Checked {
 public:
  explicit Checked(const Mechanism& mechanism)
      : name_(mechanism.name),
        traced_(trace_function(mechanism, FunctionId::coriolis)),
        plan_(*traced_.plan),
        n_(plan_.freedoms()),
        twin_(over<Dual>(traced_.model)),
        work_(twin_, plan_) {}

  void run() {
    EXPECT_LE(verify(traced_, 20).error, 1e-12) << name_;
    RandomStates states(traced_.model, plan_);
    Random random(7);
    for (int trial = 0; trial < 20; ++trial) {
      const State s = states.next(random);
      Values out(traced_.function.output_size());
      evaluate<double>(traced_.function, inputs_of(traced_.function, s, traced_.parameter_values), out);
      out.resize(n_ * n_);
      const std::vector<Dual> pose = dual(states.tree_q());
      expect_rate_of_mass(s, out);
      expect_forces(s, pose, out);
    }
  }

 private:
  void expect_rate_of_mass(const State& s, const Values& C) {
    const Model<Dual> joints = over<Dual>(joints_alone(traced_.model, plan_.independent));
    std::vector<Dual> step = dual(Values(n_, 0.0));
    for (std::size_t k = 0; k < n_; ++k) step[k].d = s.qd[k];
    const std::vector<Dual> q = displaced<Dual>(joints, dual(s.q), step);
    const LoopPosition<Dual> there = loop_position<Dual>(twin_, plan_, q, dual(s.guess));
    std::vector<Dual> M(n_ * n_);
    mass_matrix<Dual>(twin_, plan_, work_, there.q, M);
    const double size = std::max(largest_of(C), 1e-3);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j)
        EXPECT_NEAR(M[j * n_ + i].d, C[j * n_ + i] + C[i * n_ + j], 1e-10 * size) << name_ << " " << i << " " << j;
    }
  }

  // Of both signs of q̇ half the sum less the rest: what is quadratic in it.
  std::vector<Dual> velocity_forces(const std::vector<Dual>& q, const std::vector<Dual>& qd) {
    const std::vector<Dual> zero = dual(Values(n_, 0.0));
    std::vector<Dual> with(n_), back(n_), without(n_), reversed;
    for (const Dual& v : qd) reversed.push_back(-v);
    generalised_forces<Dual>(twin_, plan_, work_, q, qd, zero, with);
    generalised_forces<Dual>(twin_, plan_, work_, q, reversed, zero, back);
    generalised_forces<Dual>(twin_, plan_, work_, q, zero, zero, without);
    for (std::size_t k = 0; k < n_; ++k) with[k] = Dual(0.5) * (with[k] + back[k]) - without[k];
    return with;
  }

  void expect_forces(const State& s, const std::vector<Dual>& q, const Values& C) {
    const bool own = std::none_of(traced_.model.joints.begin(), traced_.model.joints.end(), [](const JointInfo& j) {
      return j.type == JointType::spherical || j.type == JointType::floating;
    });
    const double size = std::max(largest_of(C), 1e-3) * std::max(1.0, largest_of(s.qd)) * static_cast<double>(n_);
    std::vector<Dual> qd = dual(s.qd);
    for (std::size_t k = 0; k < n_; ++k) {
      qd[k].d = 1.0;
      const std::vector<Dual> force = velocity_forces(q, qd);
      qd[k].d = 0.0;
      for (std::size_t i = 0; i < n_; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n_; ++j) sum += C[j * n_ + i] * s.qd[j];
        EXPECT_NEAR(sum, force[i].v, 1e-10 * size) << name_ << ", force " << i;
        if (own) EXPECT_NEAR(C[k * n_ + i], 0.5 * force[i].d, 1e-10 * size) << name_ << " " << i << " " << k;
      }
    }
  }

  const std::string name_;
  const Traced traced_;
  const LoopPlan& plan_;
  const std::size_t n_;
  const Model<Dual> twin_;
  PlantWorkspace<Dual> work_;
};

TEST(Coriolis, MatrixHasItsThreeProperties) {
  for (const char* name : {"puma560", "quadruped", "torso", "four-bar", "five-bar", "planar-3rrr", "stewart"})
    Checked(load(name)).run();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomMechanismOptions options;
    options.joints = 1 + static_cast<int>(seed) % 5;
    options.mimic = seed % 3 == 0 ? 0.4 : 0.0;
    options.drives = true;
    Checked(random_mechanism(seed, options)).run();
  }
}

}  // namespace coriolis_test
}  // namespace lw
