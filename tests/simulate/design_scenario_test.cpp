// Scenarios as runs of a design: what drives them means the same there as where it is written as a formula.
#include <gtest/gtest.h>

#include <cmath>

#include "model/read/read.hpp"
#include "simulate/design/design_scenario.hpp"

namespace lw {
namespace design_scenario_test {

const char* kOscillator = R"(
linkwright: 1
name: oscillator
gravity: [0, 0, 0]
parameters: {m: 2, k: 50}
links:
  - name: mass
    parent: base
    joint: {type: prismatic, axis: x}
    spring: {stiffness: k, rest: 0}
    inertia: {mass: m, com: [0, 0, 0], tensor: [1, 1, 1]}
)";

const std::string kSteps = "integrator: {method: dormand-prince, rtol: 1e-12, atol: 1e-13}\n";

struct Oscillator {
  Mechanism mechanism = *read_text(kOscillator, "oscillator.yaml").mechanism;
  Model<double> model = instantiate<double>(mechanism);

  ForwardDesign of(ForwardDesignOptions options) const {
    return ForwardDesign(mechanism, {"m", "k", "start.q.mass"},
                         {{"end", {"F", "q1"}, DesignFunctional::Kind::instant},
                          {"work", {"F", "tau1*qd1"}, DesignFunctional::Kind::integral}},
                         std::move(options));
  }
  ForwardDesignOptions read(const std::string& rest) const {
    const ScenarioResult read = read_scenario_text(
        "scenario: 1\nduration: 1\ninitial: {q: [0.2]}\n" + (rest.starts_with("integrator") ? "" : kSteps) + rest,
        "test.yaml", mechanism, model);
    EXPECT_TRUE(read.scenario) << (read.diagnostics.empty() ? "" : to_string(read.diagnostics.front()));
    return design_options(*read.scenario, mechanism);
  }
  ForwardDesignOptions written(const std::string& torque) const {
    ForwardDesignOptions options;
    options.q = {0.2};
    options.qd = {0.0};
    options.drive.torques = {{"torque", torque}};
    options.steps.rtol = 1e-12;
    options.steps.atol = 1e-13;
    return options;
  }
};

void expect_same(ForwardDesign a, ForwardDesign b) {
  const std::vector<double> Fa = a.values(a.start()), Fb = b.values(b.start());
  const auto da = a.gradients(DesignMethod::adjoint), db = b.gradients(DesignMethod::direct),
             step = a.by_complex_step();
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_NEAR(Fa[f], Fb[f], 1e-10);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(da[f][k], db[f][k], 1e-8) << f << k;
      EXPECT_NEAR(da[f][k], step[f][k], 1e-10 * (1.0 + std::abs(step[f][k]))) << f << k;
    }
  }
}

TEST(DesignScenario, FormulasTablesAndControllersAreWhatTheySay) {
  const Oscillator o;
  expect_same(o.of(o.read("parameters: {rate: 3}\ninputs: {mass: sin(rate*t) - 0.5*qd.mass}\n")),
              o.of(o.written("sin(3*t) - 0.5*qd1")));
  expect_same(o.of(o.read("inputs: {mass: {table: [[0, 1], [1, 3]], between: straight}}\n")),
              o.of(o.written("1 + 2*t")));
  expect_same(o.of(o.read("controllers: [{law: pd, joints: [mass], kp: 30, kd: 2, trajectory: {times: [0, 1], points: "
                          "[[0.4], [0.4]]}}]\n")),
              o.of(o.written("30*(0.4 - q1) - 2*qd1")));
  // the controller's own model stays that of the file
  expect_same(o.of(o.read("controllers: [{law: computed-torque, joints: [mass], kp: 30, kd: 2, trajectory: {times: [0, "
                          "1], points: [[0.4], [0.4]]}}]\n")),
              o.of(o.written("2*(30*(0.4 - q1) - 2*qd1) + 50*q1")));
}

TEST(DesignScenario, HeldValuesJumpWhereTheyAreSaidTo) {
  const Oscillator o;
  ForwardDesign design = o.of(o.read("inputs: {mass: {table: [[0, 3], [0.4, -1]], between: hold}}\n"));
  const auto end = [](double m, double k) {
    const double w = std::sqrt(k / m);
    return 0.2 * std::cos(w) + 3 / k * (1 - std::cos(w)) - 4 / k * (1 - std::cos(0.6 * w));
  };
  EXPECT_NEAR(design.values(design.start())[0], end(2, 50), 1e-10);
  const double h = 1e-5;
  EXPECT_NEAR(design.gradients(DesignMethod::adjoint)[0][1], (end(2, 50 + h) - end(2, 50 - h)) / (2 * h), 1e-9);
}

TEST(DesignScenario, WhatHasNoDerivativesIsRefused) {
  const Oscillator o;
  const auto said = [&](const std::string& rest) {
    try {
      o.read(rest);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(said("events: [{name: half, time: 0.5, message: half-way}, {time: 0.7, stop: true}]\n"), "");
  EXPECT_NE(said("integrator: cvode\n").find("cvode"), std::string::npos);
  EXPECT_NE(said("controllers: [{law: pid, joints: [mass], kp: 1, kd: 1, ki: 1, trajectory: {times: [0, 1], points: "
                 "[[0], [1]]}}]\n")
                .find("integral"),
            std::string::npos);
}

}  // namespace design_scenario_test
}  // namespace lw
