// Derivatives of functions of the contract against duals and complex steps over the algorithms they were traced from.
#include "codegen/trace/function_derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "codegen/compile.hpp"
#include "codegen/trace/verification.hpp"
#include "dynamics/derivatives/inverse_derivatives.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/motion.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace function_derivatives_test {

using Values = std::vector<double>;

// f's derivative along a direction of the velocities' space, by the complex step over its own graph.
Values by_complex_step(const Model<double>& model, const Function& f, const State& s, const Values& direction) {
  std::vector<ComplexStep> in, out(f.output_size());
  std::size_t first = 0;
  for (const Group& g : f.inputs()) {
    const Values& from = g.name == "q" ? s.q : g.name == "qd" ? s.qd : g.name == "qdd" ? s.qdd : s.tau;
    const std::size_t n = g.name == "q" ? static_cast<std::size_t>(model.nv) : g.size;
    const Values own(direction.begin() + static_cast<std::ptrdiff_t>(first),
                     direction.begin() + static_cast<std::ptrdiff_t>(first + n));
    const std::vector<ComplexStep> part = g.name == "q" ? moving(model, from, own) : moving(from, own);
    in.insert(in.end(), part.begin(), part.end());
    first += n;
  }
  evaluate<ComplexStep>(f, in, out);
  Values d;
  for (const ComplexStep& x : out) d.push_back(derivative_of(x));
  return d;
}

double largest(const Values& x) {
  double most = 0.0;
  for (const double e : x) most = std::max(most, std::abs(e));
  return most;
}

void expect_near(const Values& got, const Values& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  const double limit = tolerance * std::max(1e-3, largest(expected));
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], limit) << what << " " << k;
}

TEST(FunctionDerivatives, OfEveryFunctionOfTheTable) {
  for (const char* name : {"double-pendulum", "torso", "stanford", "quadruped"}) {
    const Mechanism mechanism = load(name);
    TraceOptions how;
    how.optimize = false;
    for (const char* function : {"inverse", "forward", "mass-matrix", "bias", "kinematics", "jacobian", "energy"}) {
      const Traced traced = trace_function(mechanism, function, how);
      const Function& f = traced.function;
      const Model<double>& model = traced.model;
      const Function d = directional(model, f), t = transposed(model, f), all = derivatives(model, f);
      Random random(3);
      for (int k = 0; k < 3; ++k) {
        const State s = random_state(model, random);
        const Values x = inputs_of(f, s);
        Values direction(d.input_size() - x.size());
        for (double& e : direction) e = random.between(-1.0, 1.0);
        const Values expected = by_complex_step(model, f, s, direction);
        const std::string what = std::string(name) + " " + function;

        Values in = x, got(f.output_size());
        in.insert(in.end(), direction.begin(), direction.end());
        evaluate<double>(d, in, got);
        expect_near(got, expected, 1e-10, what + " directional");

        // all columns times the direction
        Values J(all.output_size()), product(f.output_size(), 0.0);
        evaluate<double>(all, x, J);
        for (std::size_t c = 0; c < direction.size(); ++c) {
          for (std::size_t r = 0; r < product.size(); ++r) product[r] += J[c * product.size() + r] * direction[c];
        }
        expect_near(product, expected, 1e-10, what + " derivatives");

        // w·(J d) = (Jᵀ w)·d
        Values weights(f.output_size()), back(direction.size());
        double left = 0.0, right = 0.0, terms = 0.0;
        for (std::size_t r = 0; r < weights.size(); ++r) {
          weights[r] = random.between(-1.0, 1.0);
          left += weights[r] * expected[r];
          terms += std::abs(weights[r] * expected[r]);
        }
        in = x;
        in.insert(in.end(), weights.begin(), weights.end());
        evaluate<double>(t, in, back);
        for (std::size_t c = 0; c < back.size(); ++c) right += back[c] * direction[c];
        EXPECT_NEAR(left, right, 1e-10 * std::max(1e-3, terms)) << what << " transposed";
      }
    }
  }
}

void check_second_order(const Mechanism& mechanism, int states, std::uint64_t seed) {
  TraceOptions how;
  how.optimize = seed % 2 == 0;
  const Traced traced = trace_function(mechanism, "inverse-derivatives", how);
  const Model<double>& model = traced.model;
  const Function second = second_derivatives(model, traced.function);
  const Model<ComplexStep> twin = instantiate<ComplexStep>(mechanism);
  const auto nv = static_cast<std::size_t>(model.nv), square = nv * nv;
  Random random(seed);
  for (int k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    Values got(second.output_size()), expected(got.size());
    evaluate<double>(second, inputs_of(second, s), got);
    DerivativeWorkspace<ComplexStep> work(twin);
    std::vector<ComplexStep> d_q(square), d_qd(square), d_qdd(square);
    for (std::size_t c = 0; c < nv; ++c) {
      Values e(nv, 0.0);
      e[c] = 1.0;
      inverse_derivatives<ComplexStep>(twin, work, moving(model, s.q, e), still(s.qd), still(s.qdd), d_q, d_qd, d_qdd);
      for (std::size_t r = 0; r < square; ++r) {
        expected[c * square + r] = derivative_of(d_q[r]);
        expected[(nv + c) * square + r] = derivative_of(d_qd[r]);
        expected[(2 * nv + c) * square + r] = derivative_of(d_qdd[r]);
      }
      inverse_derivatives<ComplexStep>(twin, work, still(s.q), moving(s.qd, e), still(s.qdd), d_q, d_qd, d_qdd);
      for (std::size_t r = 0; r < square; ++r) expected[(3 * nv + c) * square + r] = derivative_of(d_qd[r]);
    }
    expect_near(got, expected, 1e-10, mechanism.name);
  }
}

TEST(FunctionDerivatives, SecondDerivativesOfInverseDynamics) {
  for (const char* name : {"double-pendulum", "twu-rrrp", "torso", "stanford", "ur5"})
    check_second_order(load(name), 2, 1);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomMechanismOptions options;
    options.joints = 1 + static_cast<int>(seed % 3);
    options.drives = options.springs = true;
    check_second_order(seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options), 2, seed);
  }
}

// ∂M/∂q along a motion is Ṁ, and Ṁ − 2 C is skew for C = ½ ∂(c)/∂q̇: q̇ᵀ (Ṁ − ∂c/∂q̇) q̇ = 0.
TEST(FunctionDerivatives, SecondDerivativesSatisfyPassivity) {
  const Mechanism mechanism = load("stanford");
  const Traced traced = trace_function(mechanism, "inverse-derivatives");
  const Function second = second_derivatives(traced.model, traced.function);
  const auto nv = static_cast<std::size_t>(traced.model.nv);
  Random random(5);
  for (int k = 0; k < 10; ++k) {
    const State s = random_state(traced.model, random);
    Values tensor(second.output_size()), first(traced.function.output_size());
    evaluate<double>(second, inputs_of(second, s), tensor);
    evaluate<double>(traced.function, inputs_of(traced.function, s), first);
    double power = 0.0, terms = 0.0;
    for (std::size_t i = 0; i < nv; ++i) {
      for (std::size_t j = 0; j < nv; ++j) {
        double rate = 0.0;
        for (std::size_t l = 0; l < nv; ++l) rate += tensor[(2 * nv + l) * nv * nv + j * nv + i] * s.qd[l];
        power += s.qd[i] * (rate - first[nv * nv + j * nv + i]) * s.qd[j];
        terms += std::abs(s.qd[i] * rate * s.qd[j]);
      }
    }
    EXPECT_NEAR(power, 0.0, 1e-12 * terms);
  }
}

TEST(FunctionDerivatives, AProgramTakesThem) {
  const Traced traced = trace_function(load("double-pendulum"), "energy");
  Program program;
  program.name = program.robot = "pendulum";
  program.functions = {optimize(transposed(traced.model, traced.function), Objective::operations)};
  Compiled compiled = jit(program);
  const Values in{0.3, -0.7, 0.5, 1.1, 1.0, 1.0};  // q, qd, and both energies' weights
  Values a(4), b(4);
  compiled("energy-transposed", in, a);
  evaluate<double>(program.functions[0], in, b);
  EXPECT_EQ(a, b);
}

}  // namespace function_derivatives_test
}  // namespace lw
