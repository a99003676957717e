// Traced and compiled functions of mechanisms with force elements and coupled rotors, against the algorithms over
// double.
#include <gtest/gtest.h>

#include <cmath>

#include "base/worse.hpp"
#include "codegen/compile.hpp"
#include "codegen/trace/verification.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/tree/elements.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace elements_methods_test {

// Every kind of element: across branches, along a chain, to the base; parameters in them, time among those.
constexpr const char* kText = R"(
linkwright: 1
name: elements
parameters: {k: 300, t: 0.25}
links:
  - name: column
    parent: base
    joint: {type: revolute, axis: z, limits: {lower: -1, upper: 2, stiffness: 2*k, damping: 20}}
    inertia: {mass: 5, com: [0.1, 0, 0.2], tensor: [0.2, 0.2, 0.1]}
    friction: {viscous: 0.4, coulomb: 1, bearing: {type: journal, mu: 0.05, radius: 0.04, spacing: 0.2}}
  - name: arm
    parent: column
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0, 0.5]}}
    inertia: {mass: 3, com: [0.3, 0, 0], tensor: [0.01, 0.1, 0.1]}
    drive: {ratio: 80, rotor_inertia: 1e-4ROTOR}
    spring: {position: [-1, 0, 1], torque: [-30, 0, 20], interpolation: cubic}
  - name: pitch
    parent: arm
    joint: {type: revolute, axis: y, origin: {xyz: [0.6, 0, 0]}}
    inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.01, 0.01]}
  - name: roll
    parent: pitch
    joint: {type: revolute, axis: x}
    inertia: {mass: 0.5, com: [0.1, 0.01, 0], tensor: [0.002, 0.003, 0.003]}
  - name: slide
    parent: base
    joint: {type: prismatic, axis: [0, 1, 1], origin: {xyz: [1, 0, 0]}}
    inertia: {mass: 2, com: [0, 0, 0.1]}
  - name: wheel
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 1, tensor: [0.1, 0.1, 0.2]}
couplings:
  - name: wrist
    joints: [pitch, roll]
    matrix: [[0, 1], [1, k/300]]
    motors: [{name: left, ratio: 50, rotor_inertia: 1e-5}, {name: right, ratio: 60, rotor_inertia: 2e-5}]
springs:
  - {name: balance, between: [column, arm], at: {column: [0, 0, 0.9], arm: [0.2, 0, 0]}, stiffness: k, rest: 0.1, damping: 4}
  - {name: gas, between: [slide, arm], at: {arm: [0.1, 0, 0]}, length: [0.2, 0.5, 0.9], tension: [-50, -40, -30]}
forces:
  - {link: roll, at: [0.1, 0, 0], force: [10*sin(2*t), 0, -5], moment: [0, 0, t]}
  - {link: arm, in: link, time: [0, 0.2, 0.4], values: [[0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6], [0, 0, k, 0, 0, 0]]}
shafts:
  - {name: belt, between: [column, wheel], stiffness: 500, damping: 0.1, backlash: 0.5}
)";

// With the arm's rotor felt by its joint alone, or turning across the column.
Mechanism mechanism(bool gyroscopic) {
  std::string text = kText;
  text.replace(text.find("ROTOR"), 5, gyroscopic ? ", rotor_axis: [0, 1, 1]" : "");
  ReadResult result = read_text(text, "elements.yaml");
  EXPECT_TRUE(result.mechanism.has_value()) << (result.diagnostics.empty() ? "" : show(result.diagnostics[0], result));
  return *result.mechanism;
}

TEST(ElementsMethods, ReadWhatTheyMustTrace) {
  const Model<double> model = instantiate<double>(mechanism(false));
  EXPECT_EQ(model.joint_elements.size(), 2u);
  EXPECT_EQ(model.springs.size(), 2u);
  EXPECT_EQ(model.forces.size(), 2u);
  EXPECT_EQ(model.shafts.size(), 1u);
  EXPECT_EQ(model.rotor_ties.size(), 1u);
  EXPECT_EQ(model.bodies.size() + 1, instantiate<double>(mechanism(true)).bodies.size());
}

TEST(ElementsMethods, AgreeWithTheReference) {
  for (const bool gyroscopic : {false, true}) {
    const Mechanism m = mechanism(gyroscopic);
    for (const std::string& function : function_names()) {
      for (const bool keep : {false, true}) {
        TraceOptions options;
        if (keep) options.keep = {"k", "t"};
        options.optimize = false;
        const Traced traced = trace_function(m, function, options);
        const Verification v = verify(traced, 30);
        EXPECT_LE(v.error, v.limit) << function << (keep ? ", kept" : "") << (gyroscopic ? ", gyroscopic" : "");
      }
    }
  }
}

// With what joints, drives and dampings lose: bearings feel springs, forces and dampers.
TEST(ElementsMethods, AgreeWithTheReferenceOfLosses) {
  for (const char* function : {"inverse", "friction", "forward"}) {
    TraceOptions options;
    options.friction = true;
    options.optimize = false;
    const Verification v = verify(trace_function(mechanism(false), function, options), 30);
    EXPECT_LE(v.error, v.limit) << function;
  }
}

// By the machine's own code, at other times than the file's.
TEST(ElementsMethods, Compile) {
  const Mechanism m = mechanism(false);
  CompileOptions options;
  options.program.trace.keep = {"t"};
  Compiled code = compile(m, {"inverse", "forward"}, options);
  Random random(2);
  for (const double t : {0.0, 0.25, 0.35, 2.0}) {
    const Model<double> model = instantiate<double>(m, {{"t", t}});
    Workspace<double> work(model);
    const State s = random_state(model, random);
    std::vector<double> tau(s.qd.size()), got(tau.size()), qdd(tau.size()), in = s.q;
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    std::vector<double> back = in;
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    in.push_back(t);
    rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
    code("inverse", in, got);
    EXPECT_LT(largest_difference(got, tau), 1e-10);
    back.insert(back.end(), tau.begin(), tau.end());
    back.push_back(t);
    code("forward", back, qdd);
    EXPECT_LT(largest_difference(qdd, s.qdd), 1e-8);
  }
}

// Play with damping: conditions that are products of comparisons, in code.
TEST(ElementsMethods, CompileWithLosses) {
  const ReadResult read = read_text(R"(linkwright: 1
name: wheels
gravity: [0, 0, 0]
links:
  - {name: a, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, tensor: [1, 1, 0.5]}}
  - {name: b, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, tensor: [1, 1, 0.2]}, friction: {coulomb: 2}}
shafts: [{name: shaft, between: [a, b], stiffness: 500, damping: 0.5, backlash: 0.01}]
)",
                                    "wheels.yaml");
  ASSERT_TRUE(read.mechanism);
  const Model<double> model = instantiate<double>(*read.mechanism);
  CompileOptions options;
  options.program.trace.friction = true;
  Compiled code = compile(*read.mechanism, {"inverse", "forward"}, options);
  Workspace<double> work(model);
  Losses<double> losses(model);
  std::vector<double> got(2);
  for (const double twist : {-0.3, -0.004, 0.0, 0.003, 0.2}) {
    for (const double rate : {-1.0, 2.0}) {
      const std::vector<double> q{twist, 0.0}, qd{rate, 0.5}, qdd{0.3, -0.7};
      inverse_with_losses<double>(model, work, q, qd, qdd, losses);
      code("inverse", std::vector<double>{twist, 0.0, rate, 0.5, 0.3, -0.7}, got);
      EXPECT_LT(largest_difference(got, losses.total), 1e-12) << twist << " " << rate;
      code("forward", std::vector<double>{twist, 0.0, rate, 0.5, losses.total[0], losses.total[1]}, got);
      EXPECT_LT(largest_difference(got, qdd), 1e-11) << twist << " " << rate;
    }
  }
  // runs out: no torque and no bias, and friction all the same
  code("forward", std::vector<double>{0.0, 0.0, 0.0, 1.0, 0.0, 0.0}, got);
  EXPECT_NEAR(got[1], -2.0 / 0.2, 1e-11);
}

}  // namespace elements_methods_test
}  // namespace lw
