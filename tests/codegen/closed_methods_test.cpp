// Functions of closed mechanisms: traced, differentiated, compiled; against the algorithms over numbers and complex
// steps.
#include <gtest/gtest.h>

#include <cmath>

#include "codegen/compile.hpp"
#include "codegen/trace/verification.hpp"
#include "dynamics/loops/projection.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "model/read/read.hpp"
#include "support/closed_chains.hpp"

namespace lw {
namespace closed_methods_test {

using Values = std::vector<double>;

TraceOptions quick(std::vector<std::string> keep = {}) {
  TraceOptions options;
  options.keep = std::move(keep);
  return options;
}

void expect_agreement(const Mechanism& mechanism, const std::string& function, const TraceOptions& options = quick()) {
  const Traced traced = trace_function(mechanism, function, options);
  const Verification v = verify(traced, 50);
  EXPECT_TRUE(v.passed()) << mechanism.name << " " << function << ": " << v.error;
  EXPECT_GT(v.error, 0.0) << "nothing was compared";
}

TEST(ClosedMethods, FourBarHasAllFunctions) {
  const Mechanism mechanism = load("four-bar");
  for (const char* f : {"inverse", "forward", "mass-matrix", "bias", "kinematics", "jacobian", "energy",
                        "inverse-derivatives", "forward-derivatives"}) {
    expect_agreement(mechanism, f);
  }
}

// A parallelogram of equal bars: no force depends on a velocity, and with τ in balance what is left are terms that
// cancel. The derivatives that are zero must be found right, and a wrong one wrong.
TEST(ClosedMethods, DerivativesThatAreZero) {
  const Mechanism parallelogram = *read_text(R"(linkwright: 1
name: parallelogram
gravity: [0, -9.81, 0]
links:
  - {name: v0, parent: base, joint: {name: A0, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, com: [0, 0.5, 0], tensor: [1/12, 0, 1/12], about: com}}
  - {name: h1, parent: v0, joint: {name: H1, type: revolute, axis: z, origin: {xyz: [0, 1, 0]}}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0, 1/12, 1/12], about: com}}
  - {name: v1, parent: h1, joint: {name: B1, type: revolute, axis: z, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, com: [0, -0.5, 0], tensor: [1/12, 0, 1/12], about: com}}
loops:
  - {name: L1, joint: {type: revolute, axis: z}, between: [base, v1], at: {base: {xyz: [1, 0, 0]}, v1: {xyz: [0, -1, 0]}}}
)",
                                             "parallelogram.yaml")
                                       .mechanism;
  for (const char* f : {"inverse-derivatives", "forward-derivatives"}) {
    const bool forward = f[0] == 'f';
    Traced traced = trace_function(parallelogram, f, quick());
    const Verification v = verify(traced, 200);
    EXPECT_TRUE(v.passed()) << f << ": " << v.error;
    // τ = 5/3 q̈ − 2 g sin q: two bars of 1/3 about their ends, the third at distance 1 and parallel to itself
    Interpreter<double> run(traced.function);
    const double q = 0.4, g = 9.81;
    Values out(traced.function.output_size());
    run(Values{q, 1.3, 0.7, -q, q}, out);
    EXPECT_NEAR(out[0], forward ? 2.0 * g * std::cos(q) * 3.0 / 5.0 : -2.0 * g * std::cos(q), 1e-12);
    EXPECT_NEAR(out[1], 0.0, 1e-13);
    EXPECT_NEAR(out[2], forward ? 3.0 / 5.0 : 5.0 / 3.0, 1e-13);
    // a damper that is none is found out
    const Function right = traced.function;
    traced.function = trace(right.name(), right.inputs(), right.outputs(), [&](const Arguments& in, lw::Results& y) {
                        std::vector<Expr> x, all(right.output_size());
                        for (const auto& group : in) x.insert(x.end(), group.begin(), group.end());
                        evaluate<Expr>(right, x, all);
                        std::size_t next = 0;
                        for (auto& group : y) {
                          for (Expr& e : group) e = all[next++];
                        }
                        y[1][0] += Expr(1e-8);
                      }).with(right.arithmetic());
    EXPECT_FALSE(verify(traced, 20).passed()) << f;
  }
}

TEST(ClosedMethods, KeptLengthsStaySymbols) {
  const TraceOptions keep = quick({"l_coupler", "l_rocker", "rho"});
  for (const char* f : {"inverse", "inverse-derivatives", "forward-derivatives"})
    expect_agreement(load("four-bar"), f, keep);
}

TEST(ClosedMethods, Planar3RrrCostsLessThanHelmysAlgorithm) {
  const Traced traced = trace_function(load("planar-3rrr"), "inverse", quick());
  EXPECT_TRUE(verify(traced, 100).passed());
  const OperationCount c = cost(traced.function).operations;
  EXPECT_LT(c.additions, 504);
  EXPECT_LT(c.multiplications, 708);
  EXPECT_LT(c.trigonometric, 18);
}

// From zero a step has no half turns: of its three divisions that by the determinant is left. One step alone is made as
// any other.
TEST(ClosedMethods, TheFirstOfSeveralStepsIsShorter) {
  const auto operations = [&](int steps) {
    TraceOptions options = quick();
    options.newton_steps = steps;
    return cost(trace_function(load("planar-3rrr"), "inverse", options).function).operations;
  };
  const OperationCount one = operations(1), two = operations(2), three = operations(3);
  EXPECT_EQ(three.divisions - two.divisions, 3);
  EXPECT_EQ(two.divisions - one.divisions, 1);
  EXPECT_LT(two.multiplications - one.multiplications, three.multiplications - two.multiplications);
  EXPECT_LT(two.additions - one.additions, three.additions - two.additions);
}

TEST(ClosedMethods, LoopsThatNeedPivotingAreSolved) {
  // no lever is a number: the core is larger than what is inverted
  const Mechanism chain = closed_chain(JointType::fixed, 5);
  expect_agreement(chain, "inverse");
  expect_agreement(chain, "forward");
}

// Six legs, fifteen joints that follow: each leg's own two are pivots that nothing else has, and five equations are
// left.
TEST(ClosedMethods, PlatformsOnManyLegsAreSolvedLegByLeg) {
  for (const char* name : {"stewart", "delta"}) {
    const Mechanism mechanism = load(name);
    const LoopPlan plan = plan_loops(instantiate<double>(mechanism));
    EXPECT_GE(plan.dependent.size(), 15u);
    EXPECT_LE(plan.velocity.rows.size(), 5u) << name;
    EXPECT_LE(plan.position.rows.size(), 5u) << name;
    expect_agreement(mechanism, "inverse");
    expect_agreement(mechanism, "forward");
  }
}

// τ at (q, q̇, q̈, guess) with one number moved by a complex step: an independent variable, or a parameter of the file.
Values by_complex_step(const Mechanism& mechanism, const Traced& traced, const State& s, int variable,
                       const std::string& parameter) {
  ParameterValues<ComplexStep> moved;
  if (!parameter.empty()) moved[parameter] = {traced.parameter_values.front(), kComplexStep};
  const Model<ComplexStep> model = instantiate<ComplexStep>(mechanism, moved);
  const auto complex = [](const Values& x) { return std::vector<ComplexStep>(x.begin(), x.end()); };
  std::vector<ComplexStep> q = complex(s.q), qd = complex(s.qd), qdd = complex(s.qdd);
  const auto n = static_cast<int>(q.size());
  if (variable >= 0)
    (variable < n ? q : variable < 2 * n ? qd : qdd)[static_cast<std::size_t>(variable % n)].im = kComplexStep;
  const LoopPosition<ComplexStep> pose = loop_position<ComplexStep>(model, *traced.plan, q, complex(s.guess));
  PlantWorkspace<ComplexStep> work(model, *traced.plan);
  std::vector<ComplexStep> tau(traced.plan->actuated.size());
  inverse_dynamics<ComplexStep>(model, *traced.plan, work, pose.q, qd, qdd, tau);
  Values d;
  for (const ComplexStep& t : tau) d.push_back(derivative_of(t));
  return d;
}

TEST(ClosedMethods, DerivativesAgreeWithComplexSteps) {
  struct Case {
    const char *model, *length;
  };
  for (const Case& c : {Case{"four-bar", "l_coupler"}, Case{"planar-3rrr", "l2"}}) {
    const Mechanism mechanism = load(c.model);
    const Traced made = trace_function(mechanism, "inverse-derivatives", quick({c.length})),
                 torques = trace_function(mechanism, "inverse", quick({c.length}));
    const Function by_graph = jacobian(torques.function);  // through the Solve node
    StatesFor states(made, made.model);
    Random random(3);
    const State s = states.next(random);
    const Values in = inputs_of(made.function, s, made.parameter_values);
    Values by_method(made.function.output_size()), whole(by_graph.output_size());
    evaluate<double>(made.function, in, by_method);
    evaluate<double>(by_graph, in, whole);
    const std::size_t n = s.q.size(), rows = n, all = torques.function.output_size();
    for (std::size_t k = 0; k <= 3 * n; ++k) {
      const bool parameter = k == 3 * n;
      const Values expected =
          by_complex_step(mechanism, made, s, parameter ? -1 : static_cast<int>(k), parameter ? c.length : "");
      double size = 1.0;
      for (const double x : expected) size = std::max(size, std::abs(x));
      const std::size_t column = parameter ? 3 * n + s.guess.size() : k;  // of the function's inputs
      for (std::size_t r = 0; r < rows; ++r) {
        EXPECT_NEAR(by_method[k * rows + r], expected[r], 1e-9 * size) << c.model << " " << k;
        EXPECT_NEAR(whole[column * all + r], expected[r], 1e-9 * size) << c.model << " " << k << " by the graph";
      }
    }
  }
}

TEST(ClosedMethods, CompiledCodeGivesTheBitsOfTheInterpreter) {
  const Mechanism mechanism = load("planar-3rrr");
  ProgramOptions options;
  options.trace = native(quick());
  std::vector<Traced> traced;
  const Program program = make_program(mechanism, {"inverse"}, options, &traced);
  JitOptions how;
  how.batch = true;
  Compiled compiled = jit(program, how);
  if (!compiled.is_native()) GTEST_SKIP() << "no compiler";
  Interpreter<double> interpret(program.functions.front());
  const Reference exact = reference(traced.front());
  StatesFor states(traced.front(), traced.front().model);
  Random random(1);
  const std::size_t outputs = program.functions.front().output_size();
  Values got(outputs), same(outputs), expected(outputs);
  constexpr std::size_t kStates = 13;
  std::vector<Values> tables(program.functions.front().inputs().size()), results;
  Values all;
  for (std::size_t k = 0; k < kStates; ++k) {
    const State s = states.next(random);
    const Values in = inputs_of(program.functions.front(), s);
    compiled("inverse", in, got);
    interpret(in, same);
    exact(in, expected);
    for (std::size_t i = 0; i < outputs; ++i) EXPECT_EQ(got[i], same[i]) << i;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], expected[i], 1e-11 * (1.0 + std::abs(expected[i])));
    std::size_t first = 0;
    for (std::size_t g = 0; g < tables.size(); ++g) {
      const std::size_t width = program.functions.front().inputs()[g].size;
      tables[g].insert(tables[g].end(), in.begin() + static_cast<std::ptrdiff_t>(first),
                       in.begin() + static_cast<std::ptrdiff_t>(first + width));
      first += width;
    }
    all.insert(all.end(), got.begin(), got.end());
  }
  for (const Group& g : program.functions.front().outputs()) results.emplace_back(g.size * kStates);
  const std::vector<std::span<const double>> in(tables.begin(), tables.end());
  const std::vector<std::span<double>> out(results.begin(), results.end());
  compiled.batch("inverse", kStates, in, out);
  for (std::size_t k = 0; k < kStates; ++k) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(results[0][3 * k + i], all[k * outputs + i]);
  }
}

// A controller's cycle: from one instant to the next, the dependent coordinates handed on.
TEST(ClosedMethods, FollowsAMotionByItsOwnGuesses) {
  const Mechanism mechanism = load("planar-3rrr");
  TraceOptions options = quick();
  const Traced traced = trace_function(mechanism, "inverse", options);
  Interpreter<double> run(traced.function);
  const LoopPlan& plan = *traced.plan;
  Values guess, out(traced.function.output_size());
  for (const int k : plan.dependent_q) guess.push_back(traced.model.home[static_cast<std::size_t>(k)]);
  Values q;
  for (const int k : plan.independent_q) q.push_back(traced.model.home[static_cast<std::size_t>(k)]);
  const Values rate{0.3, 0.6, -1.2};
  PlantWorkspace<double> work(traced.model, plan);
  for (int step = 0; step < 100; ++step) {
    for (std::size_t k = 0; k < 3; ++k) q[k] += 0.01 * rate[k];
    Values in = q;
    in.insert(in.end(), rate.begin(), rate.end());
    in.insert(in.end(), {0.0, 0.0, 0.0});
    in.insert(in.end(), guess.begin(), guess.end());
    run(in, out);
    const LoopPosition<double> exact = loop_position<double>(traced.model, plan, q, guess);
    Values tau(3);
    inverse_dynamics<double>(traced.model, plan, work, exact.q, rate, Values(3, 0.0), tau);
    for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(out[k], tau[k], 1e-9) << step;
    for (std::size_t k = 0; k < guess.size(); ++k) {
      guess[k] = out[3 + k];
      ASSERT_NEAR(std::remainder(guess[k] - exact.q[static_cast<std::size_t>(plan.dependent_q[k])], 2.0 * M_PI), 0.0,
                  1e-11)
          << step;
    }
    for (std::size_t k = 3 + guess.size(); k < out.size(); ++k) ASSERT_LT(std::abs(out[k]), 1e-12);
  }
}

}  // namespace closed_methods_test
}  // namespace lw
