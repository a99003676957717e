// Steps across stops, backlash and reversals: refused by name and time, where the limits are then, and nowhere else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "model/read/read.hpp"
#include "simulate/design/design_run.hpp"

namespace lw {
namespace force_jumps_test {

using Values = std::vector<double>;

Mechanism mechanism_of(const std::string& text) {
  ReadResult read = read_text(text, "test.yaml");
  EXPECT_TRUE(read.mechanism) << (read.diagnostics.empty() ? "" : to_string(read.diagnostics.front()));
  return *read.mechanism;
}

DesignFunctional at_end(const std::string& formula) {
  return {formula, {"F", formula}, DesignFunctional::Kind::instant};
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::data);
    return e.what();
  }
  return "";
}

// The time behind "at t = "; the step that goes across begins there.
double told_time(const std::string& text) {
  const std::size_t place = text.find("at t = ");
  return place == std::string::npos ? -1.0 : std::stod(text.substr(place + 7));
}

ForwardDesignOptions run_of(Values q, Values qd, double duration, std::vector<WrittenFormula> torques) {
  ForwardDesignOptions options;
  options.q = std::move(q);
  options.qd = std::move(qd);
  options.duration = duration;
  options.drive.torques = std::move(torques);
  options.system.friction = true;
  options.system.fixed = false;
  options.system.compiled = false;
  return options;
}

// x = t + t²/2 under 2 N: the stop at 0.3 is reached at √1.6 − 1 = 0.265 s.
const char* kStop = R"(
linkwright: 1
name: stop
gravity: [0, 0, 0]
parameters: {u: 0.3, low: -1, kk: 400, cc: 30, m: 2}
links:
  - name: s
    parent: base
    joint: {type: prismatic, axis: x, limits: {lower: low, upper: u, stiffness: kk, damping: cc}}
    inertia: {mass: m}
)";

TEST(ForceJumps, AStopIsRefusedWhereTheParametersPutIt) {
  const Mechanism mechanism = mechanism_of(kStop);
  ForwardDesignOptions options = run_of({0.0}, {1.0}, 0.5, {{"torque", "2"}});
  options.steps.integrator = "rk4";
  options.steps.step = 0.001;
  ForwardDesign design(mechanism, {"u", "low", "m"}, {at_end("qd1")}, options);
  std::string what = refusal([&] { design.values(design.start()); });
  EXPECT_NE(what.find("`s` reaches or leaves its upper stop"), std::string::npos) << what;
  EXPECT_NEAR(told_time(what), std::sqrt(1.6) - 1.0, 0.001) << what;
  what = refusal([&] { design.values(Values{0.5, -1.0, 2.0}); });  // √2 − 1
  EXPECT_NEAR(told_time(what), std::sqrt(2.0) - 1.0, 0.001) << what;
  // beyond its reach: v = 1 + F t/m
  EXPECT_NEAR(design.values(Values{0.7, -1.0, 2.0})[0], 1.5, 1e-12);
  const Values gradient = design.gradients()[0];
  EXPECT_EQ(gradient[0], 0.0);
  EXPECT_NEAR(gradient[2], -2.0 * 0.5 / 4.0, 1e-12);
  // by friction or without: the spring is there
  options.system.friction = false;
  options.qd = {-3.0};
  ForwardDesign without(mechanism, {"m"}, {at_end("qd1")}, options);
  what = refusal([&] { without.values(without.start()); });  // 3 t − t²/2 = 1
  EXPECT_NE(what.find("its lower stop"), std::string::npos) << what;
  EXPECT_NEAR(told_time(what), 3.0 - std::sqrt(7.0), 0.001) << what;
}

// Pressed in all the time it is an oscillator with damping: x'' = −(kk (x − u) + cc x')/m.
TEST(ForceJumps, WithinAStopDerivativesAreThoseOfItsSolution) {
  const double m = 2.0, k = 400.0, c = 30.0, u = 0.3, x0 = 0.35, T = 0.03;
  ForwardDesign design(mechanism_of(kStop), {"u", "cc"}, {at_end("q1")}, run_of({x0}, {0.0}, T, {{"torque", "0"}}));
  const double a = c / (2.0 * m);
  const auto solution = [&](double upper, double damping) {
    const double decay = damping / (2.0 * m), w = std::sqrt(k / m - decay * decay);
    return upper + (x0 - upper) * std::exp(-decay * T) * (std::cos(w * T) + decay / w * std::sin(w * T));
  };
  EXPECT_NEAR(design.values(design.start())[0], solution(u, c), 1e-10);
  const Values gradient = design.gradients()[0];
  const double w = std::sqrt(k / m - a * a);
  EXPECT_NEAR(gradient[0], 1.0 - std::exp(-a * T) * (std::cos(w * T) + a / w * std::sin(w * T)), 1e-9);
  EXPECT_NEAR(gradient[1], (solution(u, c + 1e-3) - solution(u, c - 1e-3)) / 2e-3, 1e-9);
}

// Of x = 0.1505 + t − t²/0.6 one step of 0.6 s begins and ends at 0.1505, with its first trial at 0.45 beyond the stop.
// Without damping and with a spring that is next to none it would end there.
TEST(ForceJumps, AStepThatTouchesAStopOnItsWayIsRefusedToo) {
  ForwardDesignOptions options = run_of({0.1505}, {1.0}, 0.6, {{"torque", "-2/0.3"}});
  options.steps.integrator = "rk4";
  options.steps.step = 0.6;
  options.system.friction = false;
  ForwardDesign design(mechanism_of(kStop), {"kk", "u"}, {at_end("q1")}, options);
  const std::string what = refusal([&] { design.values(Values{1e-6, 0.3}); });
  EXPECT_NE(what.find("`s` reaches or leaves its upper stop at t = 0 s"), std::string::npos) << what;
  EXPECT_NEAR(design.values(Values{1e-6, 0.5})[0], 0.1505, 1e-9);
}

// Half of 0.04 rad are gone after 0.02 s at 1 rad/s.
TEST(ForceJumps, BacklashIsRefusedAtItsEnds) {
  const Mechanism mechanism = mechanism_of(R"(
linkwright: 1
name: play
gravity: [0, 0, 0]
parameters: {b: 0.04, k: 500, c: 3, J: 0.05}
links:
  - name: a
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 1, tensor: [J, J, J]}
  - name: w
    parent: base
    joint: {type: revolute, axis: z, origin: {xyz: [1, 0, 0]}}
    inertia: {mass: 1, tensor: [0.08, 0.08, 0.08]}
shafts:
  - {name: belt, between: [a, w], stiffness: k, damping: c, backlash: b}
)");
  ForwardDesignOptions options = run_of({0.0, 0.0}, {1.0, 0.0}, 0.3, {{"torque", "0"}, {"torque", "0"}});
  options.steps.integrator = "rk4";
  options.steps.step = 0.0005;
  for (const double direction : {1.0, -1.0}) {
    options.qd[0] = direction;
    ForwardDesign design(mechanism, {"b"}, {at_end("qd1")}, options);
    const std::string what = refusal([&] { design.values(design.start()); });
    EXPECT_NE(what.find("the shaft `belt` passes an end of its backlash"), std::string::npos) << what;
    EXPECT_NEAR(told_time(what), 0.02, 0.001) << what;
    EXPECT_NEAR(design.values(Values{0.8})[0], direction, 1e-12);  // wide enough
  }
}

const char* kCoupled = R"(
linkwright: 1
name: coupled
gravity: [0, 0, 0]
parameters: {bk: 0.4, J: 0.05}
links:
  - name: p
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 1, tensor: [J, J, J]}
  - name: r
    parent: base
    joint: {type: revolute, axis: z, origin: {xyz: [1, 0, 0]}}
    inertia: {mass: 1, tensor: [0.05, 0.05, 0.05]}
couplings:
  - name: d
    joints: [p, r]
    matrix: [[1, 1], [1, -1]]
    motors:
      - {name: sum, ratio: 10, rotor_inertia: 0, breakaway: bk}
      - {name: difference, ratio: 10, rotor_inertia: 0, breakaway: bk}
)";

// Both drives oppose with 0.4: p with 0.8, r with (0.4 − 0.4) = 0. p'' = −16, so p − r = 0.2 − 16 t turns at 0.0125 s.
TEST(ForceJumps, CoupledDrivesAreRefusedWhereADriveTurnsNotWhereAJointDoes) {
  const Mechanism mechanism = mechanism_of(kCoupled);
  ForwardDesignOptions options = run_of({0.0, 0.0}, {1.5, 1.3}, 0.1, {{"torque", "0"}, {"torque", "0"}});
  options.steps.integrator = "rk4";
  options.steps.step = 0.0005;
  ForwardDesign turning(mechanism, {"bk"}, {at_end("qd1")}, options);
  const std::string what = refusal([&] { turning.values(turning.start()); });
  EXPECT_NE(what.find("`difference` is at rest or turns round"), std::string::npos) << what;
  EXPECT_NEAR(told_time(what), 0.0125, 0.001) << what;
  // r passes rest while both drives keep their direction: p + r > 0, p − r > 0
  options.qd = {1.5, -0.05};
  options.duration = 0.02;
  options.drive.torques = {{"torque", "0.8"}, {"torque", "0.5"}};  // p'' = 0, r'' = 10
  ForwardDesign through(mechanism, {"bk", "J"}, {at_end("qd1"), at_end("qd2")}, options);
  const Values values = through.values(through.start());
  EXPECT_NEAR(values[0], 1.5, 1e-12);
  EXPECT_NEAR(values[1], -0.05 + 10.0 * 0.02, 1e-12);
  const auto rows = through.gradients();
  EXPECT_NEAR(rows[0][0], -2.0 * 0.02 / 0.05, 1e-12);  // J p'' = 0.8 − 2 bk
  EXPECT_NEAR(rows[1][0], 0.0, 1e-12);
}

}  // namespace force_jumps_test
}  // namespace lw
