// The initial state of a design's run: home, which parameters may move, and quaternions of any length.
#include <gtest/gtest.h>

#include <cmath>

#include "model/read/read.hpp"
#include "simulate/design/design_scenario.hpp"
#include "simulate/optimize/optimize_design.hpp"

namespace lw {
namespace design_start_test {

using Values = std::vector<double>;

Mechanism mechanism_of(const std::string& text) {
  ReadResult read = read_text(text, "test.yaml");
  EXPECT_TRUE(read.mechanism) << (read.diagnostics.empty() ? "" : to_string(read.diagnostics.front()));
  return *read.mechanism;
}

DesignFunctional at_end(const std::string& formula) {
  return {formula, {"F", formula}, DesignFunctional::Kind::instant};
}

// x = h cos ωt, h = 2 th; y = 0.3 cos ωt.
const char* kHome = R"(
linkwright: 1
name: home
gravity: [0, 0, 0]
parameters: {m: 2, k: 50, th: 0.1}
links:
  - name: x
    parent: base
    joint: {type: prismatic, axis: x}
    spring: {stiffness: k}
    inertia: {mass: m}
  - name: y
    parent: base
    joint: {type: prismatic, axis: y}
    spring: {stiffness: k}
    inertia: {mass: m}
home: {x: 2*th, y: 0.3}
)";
constexpr double kT = 0.7;
const double kCosine = std::cos(5.0 * kT);

ForwardDesignOptions from_home(const Mechanism& mechanism) {
  ForwardDesignOptions options;
  options.q = instantiate<double>(mechanism).home;
  options.qd = {0.0, 0.0};
  options.at_home = {true, true};
  options.duration = kT;
  options.drive.torques = {{"torque", "0"}, {"torque", "0"}};
  options.system.fixed = false;
  options.system.compiled = false;
  return options;
}

TEST(DesignStart, HomeGoesWithItsParameters) {
  const Mechanism mechanism = mechanism_of(kHome);
  ForwardDesign design(mechanism, {"th", "m", "start.q.x"}, {at_end("q1"), at_end("q2")}, from_home(mechanism));
  EXPECT_NEAR(design.values(design.start())[0], 0.2 * kCosine, 1e-9);
  for (const DesignMethod method : {DesignMethod::direct, DesignMethod::adjoint, DesignMethod::cvodes}) {
    const auto rows = design.gradients(method);
    const double tolerance = method == DesignMethod::cvodes ? 1e-6 : 1e-8;
    EXPECT_NEAR(rows[0][0], 2.0 * kCosine, tolerance) << to_string(method);
    EXPECT_NEAR(rows[0][1], 0.2 * std::sin(5.0 * kT) * 5.0 * kT / (2.0 * 2.0), tolerance)
        << to_string(method);  // dω/dm = −ω/2m
    EXPECT_NEAR(rows[0][2], kCosine, tolerance) << to_string(method);
    EXPECT_EQ(rows[1][0], 0.0) << to_string(method);
  }
  EXPECT_NEAR(design.by_complex_step()[0][0], 2.0 * kCosine, 1e-8);
  EXPECT_NEAR(design.values(Values{0.25, 2.0, 0.2})[0], 0.5 * kCosine, 1e-9);
  EXPECT_NEAR(design.values(Values{0.25, 2.0, 0.3})[0], 0.6 * kCosine, 1e-9);  // moved from there
}

TEST(DesignStart, WhatIsGivenStays) {
  const Mechanism mechanism = mechanism_of(kHome);
  ForwardDesignOptions options = from_home(mechanism);
  options.at_home = {false, true};
  ForwardDesign design(mechanism, {"th"}, {at_end("q1")}, options);
  EXPECT_NEAR(design.values(Values{0.25})[0], 0.2 * kCosine, 1e-9);
  EXPECT_EQ(design.gradients()[0][0], 0.0);
}

TEST(DesignStart, AScenarioGivesWhatItNames) {
  const Mechanism mechanism = mechanism_of(kHome);
  const Model<double> model = instantiate<double>(mechanism);
  const auto options = [&](const std::string& initial) {
    const ScenarioResult read = read_scenario_text(
        "scenario: 1\nduration: 1\n" + initial + "integrator: {rtol: 1e-8, longest: 0.25, shortest: 1e-7}\n", "s.yaml",
        mechanism, model);
    EXPECT_TRUE(read.scenario) << to_string(read.diagnostics.front());
    return design_options(*read.scenario, mechanism);
  };
  EXPECT_EQ(options("").at_home, (std::vector<bool>{true, true}));
  EXPECT_EQ(options("initial: {q: {y: 0.3}}\n").at_home, (std::vector<bool>{true, false}));
  EXPECT_EQ(options("initial: {q: {y: 0.3}}\n").q, (Values{0.2, 0.3}));
  EXPECT_EQ(options("initial: {q: [1, 2]}\n").at_home, (std::vector<bool>{false, false}));
  EXPECT_EQ(options("").steps.longest, 0.25);
  EXPECT_EQ(options("").steps.shortest, 1e-7);
}

TEST(DesignStart, StepsStayWithinTheirBounds) {
  const Mechanism mechanism = mechanism_of(kHome);
  ForwardDesignOptions options = from_home(mechanism);
  options.steps.rtol = 1e-3;
  options.steps.atol = 1e-3;
  ForwardDesign free(mechanism, {"m"}, {at_end("q1")}, options);
  free.values(free.start());
  options.steps.longest = 0.01;
  ForwardDesign bounded(mechanism, {"m"}, {at_end("q1")}, options);
  EXPECT_NEAR(bounded.values(bounded.start())[0], 0.2 * kCosine, 1e-9);
  EXPECT_LT(free.run().steps(), 30U);
  EXPECT_GE(bounded.run().steps(), 70U);
  options.steps = {.rtol = 1e-12, .atol = 1e-14, .shortest = 0.1};
  ForwardDesign crude(mechanism, {"m"}, {at_end("q1")}, options);
  EXPECT_THROW(crude.values(crude.start()), Error);
}

// The least of (x(T) − x*)² is at th = x*/(2 cos ωT); with a beginning of its own, th moves nothing.
TEST(DesignStart, OptimisationMovesHome) {
  DesignProblem problem;
  problem.mechanism = mechanism_of(kHome);
  problem.variables = {{"th", -1.0, 1.0}};
  problem.cost = {{at_end("(q1 - 0.6)^2")}};
  problem.forward = from_home(problem.mechanism);
  std::unique_ptr<DesignRun> run = make_run(problem);
  EXPECT_NEAR(optimize_design(problem, *run).after.b[0], 0.6 / (2.0 * kCosine), 1e-6);
  problem.variables.push_back({"start.q.x", -1.0, 1.0});
  run = make_run(problem);
  EXPECT_NEAR(run->values(Values{0.9, 0.5})[0], std::pow(0.5 * kCosine - 0.6, 2), 1e-9);
}

TEST(DesignStart, AQuaternionOfAnyLengthIsThatOfLengthOne) {
  const Mechanism mechanism = mechanism_of(R"(
linkwright: 1
name: body
parameters: {l: 0.4}
links:
  - name: body
    parent: base
    joint: {type: spherical}
    inertia: {mass: 3, com: [l, 0, 0.02], tensor: [0.01, 0.05, 0.06]}
)");
  const std::vector<std::string> names{"l", "start.q.body.wx", "start.q.body.wy", "start.q.body.wz"};
  const auto rows = [&](double length) {
    ForwardDesignOptions options;
    options.q = {0.1 * length, 0.7 * length, 0.1 * length, 0.7 * length};  // 1
    options.qd = {1.0, 0.5, -0.3};
    options.duration = 0.3;
    options.drive.torques.assign(3, {"torque", "0"});
    options.system.compiled = false;
    ForwardDesign design(mechanism, names, {at_end("q1"), at_end("qd2")}, options);
    std::vector<Values> all{design.values(design.start())};
    for (const Values& row : design.gradients(DesignMethod::direct)) all.push_back(row);
    for (const Values& row : design.gradients(DesignMethod::adjoint)) all.push_back(row);
    return all;
  };
  const std::vector<Values> unit = rows(1.0), longer = rows(1.7);
  for (std::size_t f = 0; f < unit.size(); ++f) {
    for (std::size_t k = 0; k < unit[f].size(); ++k) EXPECT_NEAR(unit[f][k], longer[f][k], 1e-9) << f << " " << k;
  }
  EXPECT_GT(std::abs(unit[2][2]), 1e-3);
}

TEST(DesignStart, TheTimeOfForcesIsNoParameter) {
  const Mechanism mechanism = mechanism_of(R"(
linkwright: 1
name: pushed
parameters: {f: 2}
links:
  - name: x
    parent: base
    joint: {type: prismatic, axis: x}
    inertia: {mass: 2}
forces:
  - {link: x, force: [f*sin(3*t), 0, 0]}
)");
  EXPECT_NO_THROW(DesignParameters(mechanism, {"f"}));
  EXPECT_THROW(DesignParameters(mechanism, {"f", "t"}), Error);
}

}  // namespace design_start_test
}  // namespace lw
