// Derivatives through events: closed motions with bounces and switches, differences of whole runs, and all methods
// against each other.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/read/read.hpp"
#include "simulate/design/design_scenario.hpp"
#include "simulate/run/run.hpp"

namespace lw {
namespace design_events_test {

constexpr double kG = 9.81;

Mechanism read(const std::string& text) { return *read_text("linkwright: 1\n" + text, "m.yaml").mechanism; }
Mechanism ball() {
  return read(
      "name: ball\nlinks: [{name: ball, parent: base, joint: {type: prismatic, axis: z}, inertia: {mass: 2}}]\n");
}
Mechanism oscillator() {
  return read(R"(name: oscillator
gravity: [0, 0, 0]
parameters: {m: 2, k: 50, reach: 0.1}
links:
  - name: mass
    parent: base
    joint: {type: prismatic, axis: x, limits: {lower: -1, upper: reach}}
    spring: {stiffness: k, rest: 0}
    inertia: {mass: m, tensor: [1, 1, 1]}
)");
}

ForwardDesignOptions options_of(const Mechanism& mechanism, const std::string& scenario) {
  const ScenarioResult read =
      read_scenario_text("scenario: 1\nintegrator: {method: dormand-prince, rtol: 1e-12, atol: 1e-13}\n" + scenario,
                         "s.yaml", mechanism, instantiate<double>(mechanism));
  for (const Diagnostic& d : read.diagnostics) ADD_FAILURE() << to_string(d);
  ForwardDesignOptions options = design_options(read.scenario.value(), mechanism);
  options.system.compiled = false;  // many small designs, each of which would be compiled
  return options;
}

std::vector<DesignFunctional> functionals(const std::vector<std::pair<std::string, double>>& list) {
  std::vector<DesignFunctional> all;
  for (const auto& [formula, time] : list) {
    DesignFunctional f{formula, {"F", formula}};
    f.kind = time == -1.0 ? DesignFunctional::Kind::integral : DesignFunctional::Kind::instant;
    if (time > 0.0) f.time = time;
    all.push_back(f);
  }
  return all;
}
constexpr double kIntegral = -1.0, kEnd = 0.0;

// Direct, adjoint and complex steps to round-off, CVODES to its tolerance; returns them.
std::vector<std::vector<double>> gradients(ForwardDesign& design) {
  const auto direct = design.gradients(DesignMethod::direct), adjoint = design.gradients(DesignMethod::adjoint),
             complex = design.by_complex_step(), cvodes = design.gradients(DesignMethod::cvodes);
  for (std::size_t f = 0; f < direct.size(); ++f) {
    for (std::size_t k = 0; k < direct[f].size(); ++k) {
      const double size = 1.0 + std::abs(direct[f][k]);
      EXPECT_NEAR(adjoint[f][k], direct[f][k], 1e-12 * size)
          << design.functionals()[f].name << ' ' << design.parameters()[k];
      EXPECT_NEAR(complex[f][k], direct[f][k], 1e-10 * size)
          << design.functionals()[f].name << ' ' << design.parameters()[k];
      EXPECT_NEAR(cvodes[f][k], direct[f][k], 1e-7 * size)
          << design.functionals()[f].name << ' ' << design.parameters()[k];
    }
  }
  return direct;
}

// By central differences of runs that find their own events.
void expect_differences(const Mechanism& mechanism, const std::vector<std::string>& parameters,
                        const std::vector<DesignFunctional>& of, const ForwardDesignOptions& options,
                        double tolerance) {
  ForwardDesign design(mechanism, parameters, of, options);
  design.values(design.start());
  const auto rows = gradients(design);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const double value = design.start()[k], h = 1e-5 * std::max(1.0, std::abs(value));
    const auto at = [&](double x) {
      ForwardDesign other(mechanism, {}, of, options, {{parameters[k], x}});
      return other.values({});
    };
    const std::vector<double> up = at(value + h), down = at(value - h);
    for (std::size_t f = 0; f < of.size(); ++f) {
      const double slope = (up[f] - down[f]) / (2 * h);
      EXPECT_NEAR(rows[f][k], slope, tolerance * (1.0 + std::abs(slope))) << of[f].name << " by " << parameters[k];
    }
  }
}

// Thrown from z with v, it comes back with half the speed from the ground: z, ż at 1 s, ∫z dt, in dual numbers.
std::vector<Dual> bounced(const Dual& z, const Dual& v) {
  const Dual root = sqrt(v * v + Dual(2 * kG) * z), t1 = (v + root) / Dual(kG), rest = Dual(1.0) - t1,
             v1 = Dual(0.5) * root;
  const Dual first = z * t1 + v * t1 * t1 / Dual(2.0) - Dual(kG / 6) * t1 * t1 * t1;
  return {v1 * rest - Dual(kG / 2) * rest * rest, v1 - Dual(kG) * rest,
          first + v1 * rest * rest / Dual(2.0) - Dual(kG / 6) * rest * rest * rest};
}

TEST(DesignEvents, ABounceMovesWithTheStart) {
  const Mechanism m = ball();
  for (const char* method :
       {"dormand-prince, rtol: 1e-12, atol: 1e-13", "verner, rtol: 1e-12, atol: 1e-13", "rk4, step: 0.01"}) {
    ForwardDesignOptions options =
        options_of(m,
                   "duration: 1\ninitial: {q: {ball: 1.5}, qd: {ball: 1}}\n"
                   "events: [{name: bounce, crossing: q.ball, direction: down, set: {qd.ball: -0.5*qd.ball}}]\n");
    options.steps.integrator = std::string(method).substr(0, std::string(method).find(','));
    options.steps.step = options.steps.integrator == "rk4" ? 0.01 : 0.0;
    ForwardDesign design(m, {"start.q.ball", "start.qd.ball"},
                         functionals({{"q1", kEnd}, {"qd1", kEnd}, {"q1", kIntegral}, {"q1", 0.3}}), options);
    const std::vector<double> values = design.values(design.start());
    ASSERT_EQ(design.run().parts().size(), 2u) << method;
    EXPECT_NEAR(design.run().parts()[0].passage->t, (1 + std::sqrt(1 + 3 * kG)) / kG, 1e-13) << method;
    const auto rows = gradients(design);
    for (std::size_t k = 0; k < 2; ++k) {
      const std::vector<Dual> exact = bounced(Dual(1.5, k == 0 ? 1.0 : 0.0), Dual(1.0, k == 1 ? 1.0 : 0.0));
      for (std::size_t f = 0; f < 3; ++f) {
        EXPECT_NEAR(values[f], exact[f].v, 1e-11) << method << f;
        EXPECT_NEAR(rows[f][k], exact[f].d, 1e-11) << method << f << k;
      }
    }
    EXPECT_NEAR(rows[3][0], 1.0, 1e-12);  // before it nothing has happened yet
    EXPECT_NEAR(rows[3][1], 0.3, 1e-12);
  }
}

// A mass on a spring from 0.2 m at rest passes the middle after a quarter of its period, T/4 = (π/2) √(m/k).
TEST(DesignEvents, TheEndOfARunMoves) {
  const Mechanism m = oscillator();
  ForwardDesignOptions options =
      options_of(m, "duration: 3\ninitial: {q: [0.2]}\nevents: [{name: middle, crossing: q.mass, stop: true}]\n");
  options.system.compiled = true;
  ForwardDesign design(m, {"m", "k", "start.q.mass"},
                       functionals({{"t", kEnd}, {"qd1", kEnd}, {"q1", kIntegral}, {"q1", kEnd}}), options);
  const std::vector<double> values = design.values(design.start());
  EXPECT_EQ(design.ending(), "middle");
  const double w = 5.0, quarter = std::numbers::pi / 2 / w;
  const std::vector<double> wanted{quarter, -0.2 * w, 0.2 / w, 0.0};
  const auto rows = gradients(design);
  // by m: dw/dm = −w/(2m); by k: dw/dk = w/(2k)
  const std::vector<std::vector<double>> slopes{{quarter / 4, -quarter / 100, 0.0},
                                                {0.2 * w / 4, -0.2 * w / 100, -w},
                                                {0.2 / w / 4, -0.2 / w / 100, 1 / w},
                                                {0.0, 0.0, 0.0}};
  for (std::size_t f = 0; f < 4; ++f) {
    EXPECT_NEAR(values[f], wanted[f], 1e-11) << f;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(rows[f][k], slopes[f][k], 1e-10) << f << k;
  }
}

// A formula of the time, and a torque that rises with it, at an end that moves.
TEST(DesignEvents, TheEndMovesWhatDependsOnTheTime) {
  const Mechanism m = oscillator();
  for (const char* input : {"{table: [[0, 1], [1, 3]]}", "1 + 2*t - 0.3*qd.mass",
                            "{table: [[0, 1], [0.2, 2], [0.6, -1]], between: cubic}"}) {
    expect_differences(m, {"m", "k"},
                       functionals({{"t*q1 + sin(t)", kEnd}, {"tau1", kEnd}, {"qdd1", kEnd}, {"tau1*qd1", kIntegral}}),
                       options_of(m, std::string("duration: 3\ninitial: {q: [0.2]}\ninputs: {mass: ") + input +
                                         "}\nevents: [{crossing: qd.mass + 0.9, direction: down, stop: true}]\n"),
                       1e-7);
  }
}

TEST(DesignEvents, InputsThatAnEventChanges) {
  const Mechanism m = oscillator();
  const auto of = functionals({{"q1", kEnd}, {"qd1", kEnd}, {"tau1*qd1", kIntegral}, {"qdd1", 0.5}});
  for (const char* events :
       {"{crossing: q.mass, inputs: {mass: 3 - 2*qd.mass}}",                                 // again and again
        "{crossing: q.mass - 0.05, once: true, inputs: {mass: {table: [[0, 0], [1, 8]]}}}",  // a table from there on
        "{crossing: q.mass + 0.1*t, direction: up, inputs: {mass: -4}}, {time: 0.7, inputs: {mass: 1}}",
        "{time: 0.3, inputs: {mass: {table: [[0, 5], [0.6, -5]], between: hold}}, set: {qd.mass: qd.mass/2 + q.mass}}",
        "{crossing: q.mass, set: {qd.mass: 0.8*qd.mass + t, q.mass: q.mass - 0.01}}, {time: 1, stop: true}"}) {
    expect_differences(
        m, {"m", "k"}, of,
        options_of(
            m, std::string("duration: 1.3\ninitial: {q: [0.2]}\ninputs: {mass: sin(3*t)}\nevents: [") + events + "]\n"),
        1e-7);
  }
}

// A top on a ball joint, thrown back where its axis is level.
TEST(DesignEvents, QuaternionsPassEvents) {
  const Mechanism m = read(R"(name: top
parameters: {m: 2, h: 0.15}
links:
  - name: top
    parent: base
    joint: {type: spherical}
    inertia: {mass: m, com: [0.02, 0.01, h], tensor: [0.03, 0.02, 0.01]}
  - name: arm
    parent: top
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0, 0.3]}}
    inertia: {mass: 0.5, com: [0.1, 0, 0], tensor: [0.001, 0.002, 0.002]}
)");
  expect_differences(m, {"m", "h"}, functionals({{"arm.z", kEnd}, {"q2", kEnd}, {"kinetic", kIntegral}, {"qd4", 0.4}}),
                     options_of(m,
                                "duration: 0.6\ninitial: {q: {top: [0.1, 0.2, 0.1, 0.9]}, qd: {top: [1, -0.5, 2]}}\n"
                                "events: [{crossing: q1 - 0.3, direction: up, set: {qd1: -0.5*qd1, q3: 0.1}}, "
                                "{crossing: qd.arm - 1, direction: up, once: true, inputs: {arm: -2*qd.arm}}]\n"),
                     2e-6);
}

// What sensitivity and simulate mean by a scenario is the same.
TEST(DesignEvents, HappenWhereSimulateSeesThem) {
  const Mechanism m = oscillator();
  const std::string text =
      "duration: 2\ninitial: {q: [0.2]}\ninputs: {mass: 1}\nevents: [{name: a, crossing: q.mass, set: {qd.mass: "
      "0.9*qd.mass}}, "
      "{name: b, crossing: q.mass, direction: up, inputs: {mass: -2}}, {name: c, time: 0.4, set: {q.mass: q.mass + "
      "0.03}}, "
      "{name: d, crossing: qd.mass - 0.5, once: true, inputs: {mass: 0}}]\n";
  ForwardDesign design(m, {"m"}, functionals({{"q1", kEnd}}), options_of(m, text));
  const double end = design.values(design.start())[0];
  const ScenarioResult read = read_scenario_text("scenario: 1\n" + text, "s.yaml", m, instantiate<double>(m));
  const Scenario& s = read.scenario.value();
  ScenarioDriven scene(m, s, DrivenOptions::Way::reference);
  const RunResult r = run(scene, *make_integrator(s.integrator, s.options), s, {2.0, 0.1, {}, {}});
  EXPECT_EQ(r.end, RunResult::End::duration) << r.ended_by;
  std::vector<std::pair<std::string, double>> seen;
  for (const EventfulRun::Part& part : design.run().parts()) {
    if (!part.passage) continue;
    for (const std::size_t k : part.passage->events) seen.emplace_back(design.run().events()[k].name, part.passage->t);
  }
  ASSERT_EQ(seen.size(), r.events.size());
  EXPECT_GE(seen.size(), 6u);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].first, r.events[k].name) << k;
    EXPECT_NEAR(seen[k].second, r.events[k].t, 1e-9) << k;
  }
  EXPECT_NEAR(r.final.q[0], end, 1e-9);
}

TEST(DesignEvents, WhatHasNoDerivativeIsNamed) {
  const Mechanism m = oscillator();
  const auto said = [&](const std::string& events, const std::vector<DesignFunctional>& of) {
    try {
      ForwardDesign design(m, {"m"}, of, options_of(m, "duration: 2\ninitial: {q: [0.2]}\nevents: [" + events + "]\n"));
      design.values(design.start());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto end = functionals({{"q1", kEnd}});
  EXPECT_NE(said("{name: far, limit: mass, stop: true}", end).find("`far` at a limit that depends on parameters"),
            std::string::npos);
  EXPECT_NE(
      said("{name: again, crossing: q.mass, set: {q.mass: 1e-9, qd.mass: -1}}", end).find("`again` recurs endlessly"),
      std::string::npos);
  EXPECT_NE(said("{name: middle, crossing: q.mass, stop: true}", functionals({{"q1", 1.5}}))
                .find("the event `middle` has ended the run at t = 0.314159265 s"),
            std::string::npos);
  // at rest at its crossing: it passes with no speed
  ForwardDesign still(m, {}, end,
                      options_of(m, "duration: 2\nevents: [{name: touch, crossing: q.mass, inputs: {mass: 1}}]\n"));
  const std::vector<double> y(2, 0.0), f(2, 0.0);
  try {
    passage(options_of(m, "duration: 2\nevents: [{name: touch, crossing: q.mass, inputs: {mass: 1}}]\n").events, {0},
            0.5, y, f, f, still.system());
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("`touch` only touches zero at t = 0.5 s"), std::string::npos) << e.what();
  }
}

// A cube passes zero where its side does, with no slope there; the instant moves all the same.
TEST(DesignEvents, ACrossingWithoutSlope) {
  const Mechanism m = oscillator();
  const std::string text = "duration: 3\ninitial: {q: [0.2]}\nevents: [{crossing: q.mass";
  for (const char* power : {"", "^3"}) {
    ForwardDesign design(m, {"m"}, functionals({{"t", kEnd}}), options_of(m, text + power + ", stop: true}]\n"));
    design.values(design.start());
    EXPECT_NEAR(design.gradients(DesignMethod::direct)[0][0], std::numbers::pi / 40, 1e-6) << power;
  }
}

}  // namespace design_events_test
}  // namespace lw
