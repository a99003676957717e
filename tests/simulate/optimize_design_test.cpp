// Design optimisation: examples against closed forms and least squares over torques of rnea, and what cannot be solved.
#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Dense>

#include "base/file.hpp"
#include "base/linear.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/read/read.hpp"
#include "model/write/write_yaml.hpp"
#include "simulate/optimize/descent.hpp"
#include "simulate/optimize/design_problem.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace optimize_design_test {

using Values = std::vector<double>;

DesignProblem example(const std::string& name) {
  return load_design_problem(LW_SOURCE_DIR "/examples/optimize/" + name + ".yaml");
}

DesignOptimum solved(const DesignProblem& problem) { return optimize_design(problem, *make_run(problem)); }

// Torques of a joint along a motion, weighed by the roots of its weights: ∫τ² is their square.
Eigen::VectorXd weighed_torques(const DesignProblem& problem, const ParameterValues<double>& values,
                                const std::vector<int>& joints) {
  const Model<double> model = instantiate<double>(problem.mechanism, values);
  const WeighedMotion motion = WeighedMotion::along(*problem.motion, 40);
  Workspace<double> work(model);
  Values tau(static_cast<std::size_t>(model.nv));
  Eigen::VectorXd all(static_cast<Eigen::Index>(motion.t.size() * joints.size()));
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < motion.t.size(); ++i) {
    rnea<double>(model, work, motion.q[i], motion.qd[i], motion.qdd[i], tau);
    for (const int j : joints) all[row++] = std::sqrt(motion.weight[i]) * tau[static_cast<std::size_t>(j)];
  }
  return all;
}

TEST(OptimizeDesign, CounterMassesAreThoseOfLeastSquares) {
  const DesignProblem problem = example("balance");
  const DesignOptimum found = solved(problem);
  EXPECT_EQ(found.end, DesignOptimum::End::optimal);
  // torques are affine in the masses
  const auto torques = [&](double mc1, double mc2) {
    return weighed_torques(problem, {{"mc1", mc1}, {"mc2", mc2}}, {0, 1});
  };
  const Eigen::VectorXd zero = torques(0, 0);
  Eigen::MatrixXd A(zero.size(), 2);
  A << torques(1, 0) - zero, torques(0, 1) - zero;
  const Eigen::Vector2d best = A.householderQr().solve(-zero);
  EXPECT_NEAR(found.after.b[0], best[0], 1e-5);
  EXPECT_NEAR(found.after.b[1], best[1], 1e-5);
  EXPECT_NEAR(found.after.cost, (zero + A * best).squaredNorm(), 1e-8 * found.before.cost);
  EXPECT_LT(found.after.cost, 0.2 * found.before.cost);
}

// A search that is content too early is not called optimal: it goes on, or says that it has stalled.
TEST(OptimizeDesign, WhatIsCalledOptimalIs) {
  DesignProblem problem = example("balance");
  const DesignOptimum best = solved(problem);
  for (const double tolerance : {0.3, 0.05, 1e-3}) {
    problem.tolerance = tolerance;
    const DesignOptimum found = solved(problem);
    EXPECT_TRUE(found.end == DesignOptimum::End::optimal || found.end == DesignOptimum::End::stalled);
    EXPECT_EQ(found.end == DesignOptimum::End::optimal, found.after.cost < best.after.cost + 1e-6 * best.before.cost)
        << tolerance << ": " << found.after.cost << " of " << best.after.cost;
  }
}

// The way down that is left: by hand on a corner, beside a wall, and in the open.
TEST(OptimizeDesign, WhatIsLeftToGain) {
  const Eigen::Vector2d g(1.0, -2.0);
  Eigen::MatrixXd A(2, 2);
  A << -1.0, 0.0, 0.0, 1.0;  // x ≥ 0 and y ≤ 1 are active
  EXPECT_LT(descent_left(g, A).norm(), 1e-12);
  EXPECT_LT((descent_left(g, A.col(0)) - Eigen::Vector2d(0.0, 2.0)).norm(), 1e-12);
  EXPECT_LT((descent_left(g, -A.col(0)) - Eigen::Vector2d(-1.0, 2.0)).norm(), 1e-12);  // a wall that it leaves
  EXPECT_LT((descent_left(g, Eigen::MatrixXd(2, 0)) + g).norm(), 1e-12);
  A << 1.0, 1.0, 1.0, 1.0;  // twice the same
  EXPECT_LT((descent_left(Eigen::Vector2d(-1.0, -3.0), A) - Eigen::Vector2d(-1.0, 1.0)).norm(), 1e-12);
}

TEST(OptimizeDesign, SlowlyMovedTheArmIsBalanced) {
  DesignProblem problem = example("balance");
  Values times;
  std::vector<Values> points;
  for (const double t : problem.motion->times()) {
    times.push_back(1000 * t);
    points.push_back(problem.motion->at(t).q);
  }
  problem.motion = Trajectory::rest_to_rest(times, points);
  const DesignOptimum found = solved(problem);
  const ParameterValues<double> p{{"l1", 0.6}, {"l2", 0.5},  {"m1", 6},  {"m2", 4},
                                  {"load", 2}, {"r1", 0.25}, {"r2", 0.2}};
  const double mc2 = (p.at("m2") / 2 + p.at("load")) * p.at("l2") / p.at("r2");
  const double mc1 = (p.at("m1") / 2 + p.at("m2") + p.at("load") + mc2) * p.at("l1") / p.at("r1");
  EXPECT_NEAR(found.after.b[0], mc1, 1e-4);
  EXPECT_NEAR(found.after.b[1], mc2, 1e-4);
}

TEST(OptimizeDesign, TheSpringIsALineThroughTheTorques) {
  const DesignProblem problem = example("spring");
  const DesignOptimum found = solved(problem);
  EXPECT_EQ(found.end, DesignOptimum::End::optimal);
  // τ = τ₀ + k q − k rest
  const Eigen::VectorXd bare = weighed_torques(problem, {{"k", 0.0}}, {0});
  const WeighedMotion motion = WeighedMotion::along(*problem.motion, 40);
  Eigen::MatrixXd A(bare.size(), 2);
  for (Eigen::Index i = 0; i < bare.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    A.row(i) << std::sqrt(motion.weight[k]) * motion.q[k][0], std::sqrt(motion.weight[k]);
  }
  const Eigen::Vector2d line = A.householderQr().solve(-bare);
  EXPECT_NEAR(found.after.b[0], line[0], 1e-4 * line[0]);
  EXPECT_NEAR(found.after.b[1], -line[1] / line[0], 1e-4);
  EXPECT_NEAR(found.after.cost, (bare + A * line).squaredNorm(), 1e-7 * found.before.cost);
}

TEST(OptimizeDesign, LengthsForAPointAreTheBestOfThoseThatReachIt) {
  const DesignProblem problem = example("reach");
  const DesignOptimum found = solved(problem);
  ASSERT_EQ(found.end, DesignOptimum::End::optimal);
  const Values q = problem.motion->at(10.0).q;
  const double a = q[0], b = q[0] + q[1], c = q[0] + q[1] + q[2];
  // l1 and l2 for a given l3, from the point
  const auto lengths = [&](double l3) {
    Eigen::Matrix2d A;
    A << std::cos(a), std::cos(b), std::sin(a), std::sin(b);
    const Eigen::Vector2d l =
        A.inverse() * (Eigen::Vector2d(0.85, 0.35) - l3 * Eigen::Vector2d(std::cos(c), std::sin(c)));
    return ParameterValues<double>{{"l1", l[0]}, {"l2", l[1]}, {"l3", l3}};
  };
  double best = HUGE_VAL, best_l3 = 0.0;
  for (int i = 0; i <= 800; ++i) {
    const ParameterValues<double> l = lengths(0.10 + 0.001 * i);
    if (l.at("l1") < 0.15 || l.at("l2") < 0.15 || l.at("l1") > 0.9 || l.at("l2") > 0.9) continue;
    const Model<double> model = instantiate<double>(problem.mechanism, l);
    Workspace<double> work(model);
    Values tau(3);
    double most = 0.0;
    for (int k = 0; k <= 40; ++k) {
      const JointMotion<double> m = problem.motion->at(0.8 * k / 40);
      rnea<double>(model, work, m.q, m.qd, m.qdd, tau);
      most = std::max(most, std::abs(tau[1]));
    }
    if (most > 38.0) continue;
    const double cost = weighed_torques(problem, l, {0, 1, 2}).squaredNorm();
    if (cost < best) best = cost, best_l3 = l.at("l3");
  }
  ASSERT_LT(best, HUGE_VAL);
  EXPECT_NEAR(found.after.b[2], best_l3, 1.1e-3);
  EXPECT_LE(found.after.cost, best * (1 + 1e-7));
  EXPECT_NEAR(found.after.cost, best, 0.01 * best);
  // the limit of the elbow decides
  EXPECT_TRUE(found.constraints[2].active);
  EXPECT_NEAR(std::abs(found.constraints[2].after), 38.0, 1e-5);
  // and where the hand is by kinematics
  const Mechanism better = with_values(problem.mechanism, problem.variables, found.after.b);
  const Model<double> model = instantiate<double>(better);
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  const Transform<double> hand = frame_pose<double>(model, work, model.frame_index("hand"));
  EXPECT_NEAR(hand.p[0], 0.85, 1e-7);
  EXPECT_NEAR(hand.p[2], 0.35, 1e-7);
}

const char* kOscillator = R"(
linkwright: 1
name: oscillator
gravity: [0, 0, 0]
parameters: {m: 2, k: 50, heavy: 3*m}
links:
  - name: mass
    parent: base
    joint: {type: prismatic, axis: x}
    spring: {stiffness: k, rest: 0}
    inertia: {mass: m, com: [0, 0, 0], tensor: [1, 1, 1]}
)";

DesignProblem problem_of(const std::string& rest) {
  const Scratch scratch;  // of its own: tests run side by side
  const std::string path = (scratch.path / "oscillator.yaml").string();
  write_file(path, kOscillator);
  return read_design_problem("optimize: 1\nmodel: " + path + "\n" + rest, "problem.yaml");
}

// x = a cos ωt is at 0 after a quarter of a period
TEST(OptimizeDesign, OfADrivenRunAndItsInitialState) {
  DesignProblem problem = problem_of(R"(
parameters:
  k: {lower: 5, upper: 60}
  start.q.mass: {lower: 0.1, upper: 1, start: 0.5}
scenario: {initial: {q: {mass: 0.2}}, duration: 0.5}
cost: [{end: q1^2, weight: 10}, {integral: (qd1 - qd1)^2}]
constraints:
  - {instant: qd1, time: 0.5, equals: -1, name: speed}
)");
  const DesignOptimum found = solved(problem);
  EXPECT_EQ(found.end, DesignOptimum::End::optimal);
  const double w = M_PI / 2 / 0.5;
  EXPECT_NEAR(found.after.b[0], 2 * w * w, 1e-3);
  EXPECT_NEAR(found.after.b[1], 1 / w, 1e-5);
  EXPECT_NEAR(found.constraints[0].after, -1.0, 1e-7);
  // the file keeps its formulas
  const Mechanism better = with_values(problem.mechanism, problem.variables, found.after.b);
  const std::string text = write_yaml(better);
  EXPECT_NE(text.find("heavy: 3*m"), std::string::npos) << text;
  EXPECT_EQ(instantiate<double>(*read_text(text, "better.yaml").mechanism).bodies[0].stiffness, found.after.b[0]);
}

TEST(OptimizeDesign, WhatCannotBeMetIsSaidSo) {
  // no stiffness within bounds brings it to 3 m
  const DesignOptimum found = solved(problem_of(R"(
parameters: {k: {lower: 5, upper: 60}}
scenario: {initial: {q: [0.2]}, duration: 0.5}
cost: {integral: qd1^2}
constraints:
  - {end: q1, at_least: 3}
)"));
  EXPECT_EQ(found.end, DesignOptimum::End::infeasible);
  EXPECT_FALSE(found.constraints[0].met);
  EXPECT_NEAR(found.after.b[0], 5.0, 1e-4);  // the softest comes nearest: cos falls from 1
}

// Nothing to choose is not the same as the best: of a cost that knows no parameter, and of one whose search begins
// where it is least.
TEST(OptimizeDesign, ACostWithoutParametersIsIndifferent) {
  const auto end_of = [](const std::string& cost, const std::string& more = "") {
    return solved(problem_of("parameters: {k: {lower: 5, upper: 60, start: 30}, m: {lower: 1, upper: 3, start: 2}}\n"
                             "scenario: {initial: {q: [0.2]}, duration: 0.5}\ncost: " +
                             cost + "\n" + more))
        .end;
  };
  for (const char* cost :
       {"{integral: 1}", "{integral: t}", "{end: t^2}", "{integral: 0}", "[{integral: 3}, {end: q1 - q1}]"}) {
    EXPECT_EQ(end_of(cost), DesignOptimum::End::indifferent) << cost;
  }
  EXPECT_EQ(end_of("{integral: 1}", "constraints: [{end: k - 10*m, equals: 12}]\n"), DesignOptimum::End::indifferent);
  EXPECT_EQ(end_of("{integral: 1}", "constraints: [{end: k, at_least: 100}]\n"), DesignOptimum::End::infeasible);
  EXPECT_EQ(end_of("{end: (k - 30)^2}"), DesignOptimum::End::optimal);
  EXPECT_EQ(end_of("{end: (k - 15*m)^2}"), DesignOptimum::End::optimal);
  EXPECT_EQ(end_of("{end: 1e3 + (k - 30)^4}"), DesignOptimum::End::optimal);
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(OptimizeDesign, BadProblemsAreRefused) {
  const std::string rest = "scenario: {duration: 0.5}\ncost: {integral: qd1^2}\n";
  const auto said = [&](const std::string& text) { return refusal([&] { solved(problem_of(text)); }); };
  const auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(said(text).find(part), std::string::npos) << text << "\n" << said(text);
  };
  expect("parameters: {haevy: {lower: 1, upper: 2}}\n" + rest, "did you mean `heavy`?");
  expect("parameters: {k: {lower: 60, upper: 5}}\n" + rest, "wrong way round");
  expect("parameters: {k: {lower: 5}}\n" + rest, "upper");
  expect("parameters: {k: {lower: 5, upper: 10}}\n" + rest, "outside its bounds");
  expect("parameters: {mass.m: {lower: 1, upper: 3}}\n" + rest, "name of its own");
  expect("parameters: {k: {lower: 5, upper: 60}}\nscenario: {duration: 0.5}\ncost: {integral: qd2^2}\n",
         "unknown name `qd2`");
  expect("parameters: {k: {lower: 5, upper: 60}}\nscenario: {duration: 0.5}\ncost: {integral: sqrt(q1 - 1)}\n",
         "with k = 50: the rates at t = 0 s are not finite");
  expect("parameters: {k: {lower: 5, upper: 60}}\nscenario: {duration: 0.5}\ncost: {end: sqrt(0 - 1 - q1)}\n",
         "is not a number with k = 50");
  expect("parameters: {k: {lower: 5, upper: 60}}\ncost: {integral: qd1^2}\n", "either a `motion`");
  expect("parameters: {k: {lower: 5, upper: 60}}\nscenario: {duration: 0.5}\ncost: {always: q1}\n",
         "`always` is for constraints");
  const std::string driven = "parameters: {k: {lower: 5, upper: 60}}\nscenario: {duration: 0.5}\n";
  expect(driven + "cost: []\n", "no cost to minimise");
  expect(driven + "cost: {}\n", "none of `integral`");
  expect(driven + "cost:\n", "`cost`");
  expect(driven, "`cost`");
  expect("parameters: {k: {lower: 5, upper: 60}}\n" + rest + "constraints: [{end: q1}]\n", "must state its condition");
  expect("parameters: {k: {lower: 5, upper: 60}}\n" + rest + "constraints: [{end: q1, at_least: 2, at_most: 1}]\n",
         "nothing is at least 2");
}

}  // namespace optimize_design_test
}  // namespace lw
