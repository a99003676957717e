// Design derivatives of runs: closed forms, Twu's examples, a complex step through the whole integration on the
// reference path, and direct against adjoint against CVODES.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "base/worse.hpp"
#include "dynamics/loops/forward_losses.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/coordinate_rates.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "reproduce/twu.hpp"
#include "simulate/design/design_run.hpp"

namespace lw {
namespace design_sensitivity_test {

using Values = std::vector<double>;
using Rows = std::vector<Values>;
using Kind = DesignFunctional::Kind;

Mechanism mechanism_of(const std::string& text) {
  ReadResult read = read_text(text, "test.yaml");
  EXPECT_TRUE(read.mechanism) << (read.diagnostics.empty() ? "" : to_string(read.diagnostics.front()));
  return *read.mechanism;
}

DesignFunctional integral(const std::string& formula) { return {formula, {"F", formula}, Kind::integral}; }
DesignFunctional at_end(const std::string& formula) { return {formula, {"F", formula}, Kind::instant}; }
DesignFunctional at(double t, const std::string& formula) { return {formula, {"F", formula}, Kind::instant, t}; }

// The largest difference, each row relative to its largest entry.
double difference(const Rows& a, const Rows& b) {
  double most = 0.0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    double size = 0.0, off = 0.0;
    for (std::size_t k = 0; k < a[f].size(); ++k) {
      size = worse(size, std::abs(b[f][k]));
      off = worse(off, std::abs(a[f][k] - b[f][k]));
    }
    if (off != 0.0) most = worse(most, off / size);
  }
  return most;
}

ForwardDesignOptions from_rest(const Mechanism& mechanism, double duration) {
  const Model<double> model = instantiate<double>(mechanism);
  ForwardDesignOptions options;
  options.q = model.home;
  options.qd.assign(static_cast<std::size_t>(model.nv), 0.0);
  options.duration = duration;
  return options;
}

const char* kOscillator = R"(
linkwright: 1
name: oscillator
gravity: [0, 0, 0]
parameters: {m: 2, k: 50, x0: 0.1}
links:
  - name: mass
    parent: base
    joint: {type: prismatic, axis: x}
    spring: {stiffness: k, rest: x0}
    inertia: {mass: m, com: [0, 0, 0], tensor: [1, 1, 1]}
)";

// x = x0 + (a − x0) cos ωt from rest at a, ω² = k/m
TEST(DesignSensitivity, OfAnOscillatorAreThoseOfItsSolution) {
  const Mechanism mechanism = mechanism_of(kOscillator);
  const double m = 2, k = 50, x0 = 0.1, a = 0.3, T = 1.3, w = std::sqrt(k / m), A = a - x0;
  ForwardDesignOptions options = from_rest(mechanism, T);
  options.q = {a};
  ForwardDesign design(
      mechanism, {"k", "m", "x0", "start.q.mass", "start.qd.mass"},
      {at_end("q1"), at_end("qd1"), at_end("qdd1"), integral("q1"), integral("(q1 - x0)^2"), at(0.5, "q1")}, options);
  const Values F = design.values(design.start());
  const auto x = [&](double t) { return x0 + A * std::cos(w * t); };
  EXPECT_NEAR(F[0], x(T), 1e-10);
  EXPECT_NEAR(F[3], x0 * T + A * std::sin(w * T) / w, 1e-10);
  EXPECT_NEAR(F[4], A * A * (T / 2 + std::sin(2 * w * T) / (4 * w)), 1e-10);
  // by ω first
  const auto row = [&](double by_w, double by_x0, double by_start, double by_speed) {
    return Values{by_w * w / (2 * k), -by_w * w / (2 * m), by_x0, by_start, by_speed};
  };
  const double s = std::sin(w * T), c = std::cos(w * T), s2 = std::sin(2 * w * T), c2 = std::cos(2 * w * T);
  const Rows expected{
      row(-A * T * s, 1 - c, c, s / w),
      row(-A * s - A * w * T * c, w * s, -w * s, c),
      row(-2 * A * w * c + A * w * w * T * s, w * w * c, -w * w * c, -w * s),
      row(A * (T * c / w - s / (w * w)), T - s / w, s / w, (1 - c) / (w * w)),
      row(A * A * (2 * T * c2 / (4 * w) - s2 / (4 * w * w)), -2 * A * (T / 2 + s2 / (4 * w)),
          2 * A * (T / 2 + s2 / (4 * w)), 2 * A * (1 - c2) / (4 * w * w)),
      row(-A * 0.5 * std::sin(w * 0.5), 1 - std::cos(w * 0.5), std::cos(w * 0.5), std::sin(w * 0.5) / w)};
  EXPECT_LT(difference(design.gradients(DesignMethod::direct), expected), 1e-8);
  EXPECT_LT(difference(design.gradients(DesignMethod::adjoint), expected), 1e-8);
  EXPECT_LT(difference(design.gradients(DesignMethod::cvodes), expected), 1e-7);
}

// He gives equations for them and no numbers; these come from a program of its own (reproduce/twu.hpp).
class Twu : public testing::TestWithParam<int> {
 protected:
  const reproduce::TwuExample& example =
      GetParam() == 0 ? reproduce::twu_planar_example() : reproduce::twu_spatial_example();
  const std::vector<reproduce::TwuSensitivity>& expected = example.sensitivities;
  const Mechanism mechanism = load(example.model);
  std::vector<std::string> names;
  ForwardDesignOptions options = from_rest(mechanism, 0.18);

  void SetUp() override {
    for (const reproduce::TwuSensitivity& s : expected) names.push_back(s.parameter);
    const char* torques[] = {"10*sqrt(t) + 6", "8*sqrt(t) + 5", "6*sqrt(t) + 4", "4*sqrt(t) + 3"};
    for (std::size_t k = 0; k < example.joints(); ++k) options.drive.torques.push_back({"torque", torques[k]});
    options.qd = example.start();
    options.steps.rtol = options.steps.atol = 1e-13;
  }
  // Each vector relative to its largest entry.
  static void expect_same(const Values& got, const Values& wanted, const std::string& what) {
    double size = 0.0;
    for (const double x : wanted) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_NEAR(got[k], wanted[k], 1e-8 * size + 1e-15) << what << " " << k;
  }
};

TEST_P(Twu, DirectSensitivitiesAreThoseOfAnotherProgram) {
  options.instants = {0.18};
  ForwardDesign design(mechanism, names, {}, options, {{"g", 0.0}});
  design.values(design.start());
  const ForwardDesign::Instant end = design.trajectory().front();
  for (std::size_t k = 0; k < names.size(); ++k) {
    expect_same(end.by[k].q, expected[k].q, names[k] + ", q");
    expect_same(end.by[k].qd, expected[k].qd, names[k] + ", qd");
    expect_same(end.by[k].qdd, expected[k].qdd, names[k] + ", qdd");
    expect_same(end.by[k].tau, Values(end.tau.size(), 0.0), names[k] + ", tau");
  }
}

TEST_P(Twu, AdjointSensitivitiesTooAndByAComplexStep) {
  const std::size_t n = example.joints();
  std::vector<DesignFunctional> functionals;
  for (const char* letter : {"q", "qd", "qdd"}) {
    for (std::size_t k = 1; k <= n; ++k) functionals.push_back(at_end(letter + std::to_string(k)));
  }
  ForwardDesign design(mechanism, names, functionals, options, {{"g", 0.0}});
  design.values(design.start());
  const Rows rows = design.gradients(DesignMethod::adjoint);
  EXPECT_LT(difference(rows, design.by_complex_step()), 1e-10);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto column = [&](std::size_t first) {
      Values c;
      for (std::size_t i = 0; i < n; ++i) c.push_back(rows[first + i][k]);
      return c;
    };
    expect_same(column(0), expected[k].q, names[k] + ", q");
    expect_same(column(n), expected[k].qd, names[k] + ", qd");
    expect_same(column(2 * n), expected[k].qdd, names[k] + ", qdd");
  }
}

TEST_P(Twu, TorquesOfTheMotionChangeAsInAnotherProgram) {
  options.instants = {0.18};
  ForwardDesign forward(mechanism, {}, {}, options, {{"g", 0.0}});
  forward.values({});
  const ForwardDesign::Instant end = forward.trajectory().front();
  InverseDesignOptions held;
  held.motion = WeighedMotion::of_samples({0.18}, {end.q}, {end.qd}, {end.qdd});
  InverseDesign design(mechanism, names, {}, held, {{"g", 0.0}});
  design.values(design.start());
  const InverseDesign::Torques torques = design.torques().front();
  expect_same(torques.tau, end.tau, "tau");
  for (std::size_t k = 0; k < names.size(); ++k) expect_same(torques.by[k], expected[k].tau, names[k] + ", tau");
}
INSTANTIATE_TEST_SUITE_P(Examples, Twu, testing::Values(0, 1));

// Twu's first example is a mechanism for itself, but a floating body on a spring with a ball joint and a slide has
// everything.
const char* kEverything = R"(
linkwright: 1
name: everything
parameters: {m: 2, l: 0.4, k: 80, rest: 0.5, d: 0.3, c: 0.1, pull: 3, gear: 20}
links:
  - name: body
    parent: base
    joint: {type: floating}
    inertia: {mass: m, com: [0.02, 0.01, l/4], tensor: [0.05, 0.06, 0.03]}
  - name: ball
    parent: body
    joint: {type: spherical, origin: {xyz: [0, 0.1, -l]}}
    inertia: {mass: m/3, com: [0, c, 0.05], tensor: [0.01, 0.012, 0.009]}
  - name: slide
    parent: ball
    joint: {type: prismatic, axis: [1, 0, 1], origin: {xyz: [l/2, 0, 0]}}
    inertia: {mass: 0.5, com: [0, 0, c], tensor: [0.002, 0.002, 0.003]}
    drive: {ratio: gear, rotor_inertia: 1e-5}
    spring: {stiffness: k, rest: 0.02}
    friction: {viscous: d}
springs:
  - {name: cord, between: [base, body], at: {base: [0.1, 0, 1], body: [0, 0.05, 0.1]}, stiffness: k, rest: rest}
forces:
  - {link: slide, at: [0, 0, 0.1], force: [pull*cos(3*t), 0, 0]}
)";

struct Case {
  const char* what;
  Mechanism mechanism;
  std::vector<std::string> parameters;
  bool friction = false;
};

std::vector<Case> cases() {
  Mechanism puma = load("puma560");
  std::vector<std::string> inertial{"a2", "d4"};
  const std::vector<std::string> all = parameter_table(instantiate<double>(puma)).names;
  for (std::size_t k = 1; k < all.size(); k += 5) inertial.push_back(all[k]);
  return {{"twu-rrrp", load("twu-rrrp"), {"l2", "m4", "c3", "g", "link3.yy", "start.q.link2", "start.qd.link4"}},
          {"puma560", puma, inertial},
          {"everything",
           mechanism_of(kEverything),
           {"m", "l", "k", "rest", "c", "pull", "gear", "ball.mx", "start.q.body.wx", "start.qd.ball.wy",
            "start.q.body.vz"}},
          {"everything with friction", mechanism_of(kEverything), {"m", "l", "d", "gear", "start.qd.slide"}, true}};
}

ForwardDesign design_of(const Case& c) {
  const Model<double> model = instantiate<double>(c.mechanism);
  Random random(3);
  const State state = random_state(model, random);
  ForwardDesignOptions options = from_rest(c.mechanism, 0.2);
  options.q = state.q;
  options.qd = state.qd;
  options.system.friction = c.friction;
  options.drive.torques.resize(static_cast<std::size_t>(model.nv));
  options.drive.torques.back() = {"torque", "3*sin(5*t) - 0.5*qd" + std::to_string(model.nv)};
  const std::string last = std::to_string(model.nv), link = model.frames.back().name;
  return ForwardDesign(c.mechanism, c.parameters,
                       {integral("tau" + last + "^2 + qdd1^2"), at_end(link + ".x*" + link + ".y + qd" + last),
                        at(0.125, "qdd" + last), integral("kinetic - potential")},
                       options);
}

TEST(DesignSensitivity, AComplexStepThroughTheIntegrationAgreesTo1em10) {
  for (const Case& c : cases()) {
    ForwardDesign design = design_of(c);
    design.values(design.start());
    const Rows direct = design.gradients(DesignMethod::direct), step = design.by_complex_step();
    const double off = difference(direct, step);
    EXPECT_LT(off, 1e-10) << c.what;
    // what is zero here would prove nothing
    for (std::size_t f = 0; f < step.size(); ++f) {
      double size = 0.0;
      for (const double x : step[f]) size = std::max(size, std::abs(x));
      EXPECT_GT(size, 1e-6) << c.what << f;
    }
  }
}

TEST(DesignSensitivity, AdjointDirectAndCvodesAgree) {
  for (const Case& c : cases()) {
    ForwardDesign design = design_of(c);
    design.values(design.start());
    const Rows direct = design.gradients(DesignMethod::direct);
    EXPECT_LT(difference(design.gradients(DesignMethod::adjoint), direct), 1e-11) << c.what;
    EXPECT_LT(difference(design.gradients(DesignMethod::cvodes), direct), 1e-7) << c.what;
  }
}

// Steps end where inputs jump, and what is held there is taken from the inside of each interval.
TEST(DesignSensitivity, InputsThatJumpAreFollowed) {
  const Mechanism mechanism = mechanism_of(kOscillator);
  ForwardDesignOptions options = from_rest(mechanism, 1.0);
  options.corners = {0.4};
  options.system.inputs = [](double, double inside, std::span<double> u) { u[0] = inside < 0.4 ? 3.0 : -1.0; };
  ForwardDesign design(mechanism, {"m", "k"}, {at_end("q1"), integral("tau1*qd1")}, options);
  const Values F = design.values(design.start());
  // by superposition: x = x0 (1 − cos ωt) + 3/k (1 − cos ωt) − 4/k (1 − cos ω(t − 0.4))
  const auto end = [](double m, double k) {
    const double w = std::sqrt(k / m);
    return (0.1 + 3 / k) * (1 - std::cos(w)) - 4 / k * (1 - std::cos(0.6 * w));
  };
  EXPECT_NEAR(F[0], end(2, 50), 1e-10);
  const double h = 1e-5;
  const Rows d = design.gradients(DesignMethod::adjoint);
  EXPECT_NEAR(d[0][0], (end(2 + h, 50) - end(2 - h, 50)) / (2 * h), 1e-8);
  EXPECT_NEAR(d[0][1], (end(2, 50 + h) - end(2, 50 - h)) / (2 * h), 1e-9);
  EXPECT_LT(difference(d, design.by_complex_step()), 1e-10);
  EXPECT_LT(difference(design.gradients(DesignMethod::cvodes), d), 1e-7);
}

const char* kLoaded = R"(
linkwright: 1
name: loaded
parameters: {m: 3, mu: 0.08, eta: 0.8, l: 0.5}
links:
  - name: arm
    parent: base
    joint: {type: revolute, axis: y}
    inertia: {mass: m, com: [l/2, 0, 0.02], tensor: [0.01, 0.1, 0.1]}
    friction: {viscous: 0.2, bearing: {type: journal, mu: mu, radius: 0.03, spacing: 0.1}}
  - name: hand
    parent: arm
    joint: {type: revolute, axis: y, origin: {xyz: [l, 0, 0]}}
    inertia: {mass: m/2, com: [l/3, 0, 0], tensor: [0.01, 0.05, 0.05]}
    drive: {ratio: 10, rotor_inertia: 1e-4, efficiency: eta, breakaway: 0.1}
)";

// Where losses depend on loads: against differences of a run over forward dynamics with losses, which no trace is made
// of.
TEST(DesignSensitivity, OfLoadedBearingsAndGearsAreThoseOfDifferences) {
  const Mechanism mechanism = mechanism_of(kLoaded);
  ForwardDesignOptions options = from_rest(mechanism, 0.1);
  options.q = {0.3, -0.5};
  options.qd = {1.0, -1.5};  // fast enough that no direction changes
  options.drive.torques = {{"torque", "12"}, {"torque", "-4"}};
  options.system.friction = true;
  options.steps = {.integrator = "rk4", .step = 0.01};
  ForwardDesign design(mechanism, {"m", "mu", "eta", "l"}, {at_end("q1"), at_end("qd2")}, options);
  const Values F = design.values(design.start());
  const auto run = [&](const ParameterValues<double>& values) {
    const Model<double> model = instantiate<double>(mechanism, values);
    ForwardLosses forward(model);
    Values y{0.3, -0.5, 1.0, -1.5};
    const Values tau{12, -4};
    const auto f = [&](const Values& x) {
      Values d{x[2], x[3], 0, 0};
      forward(Values{x[0], x[1]}, Values{x[2], x[3]}, tau, std::span<double>(d).subspan(2));
      return d;
    };
    const auto moved = [](Values x, double h, const Values& k) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * k[i];
      return x;
    };
    for (int s = 0; s < 10; ++s) {
      const double h = 0.01;
      const Values k1 = f(y), k2 = f(moved(y, h / 2, k1)), k3 = f(moved(y, h / 2, k2)), k4 = f(moved(y, h, k3));
      for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    return Values{y[0], y[3]};
  };
  const Values here = run({});
  EXPECT_NEAR(F[0], here[0], 1e-12);
  EXPECT_NEAR(F[1], here[1], 1e-10);
  Rows expected(2);
  for (std::size_t k = 0; k < 4; ++k) {
    const double x = design.start()[k], h = 1e-5 * x;
    const Values up = run({{design.parameters()[k], x + h}}), down = run({{design.parameters()[k], x - h}});
    for (std::size_t f = 0; f < 2; ++f) expected[f].push_back((up[f] - down[f]) / (2 * h));
  }
  const Rows direct = design.gradients(DesignMethod::direct);
  EXPECT_LT(difference(direct, expected), 1e-7);
  EXPECT_LT(difference(design.gradients(DesignMethod::adjoint), direct), 1e-11);
}

TEST(InverseDesign, GradientsOfIntegralsAreThoseOfDifferences) {
  const Mechanism mechanism = load("double-pendulum");
  const Trajectory way = Trajectory::rest_to_rest({0.0, 0.8, 1.5}, {{0.1, 0.2}, {1.2, -0.5}, {0.3, 0.9}});
  InverseDesignOptions options;
  options.motion = WeighedMotion::along(way);
  options.between = [&](double t) { return way.at(t); };
  options.fixed = false;
  InverseDesign design(mechanism, {"m1", "l1", "l2", "lower.my"},
                       {integral("tau1^2 + tau2^2"), at(0.5, "tau1"), at_end("lower.x")}, options);
  const Values start = design.start(), F = design.values(start);
  const Rows direct = design.gradients(DesignMethod::direct), adjoint = design.gradients(DesignMethod::adjoint);
  EXPECT_LT(difference(adjoint, direct), 1e-13);
  // another quadrature: Simpson's rule over torques of rnea
  const auto energy = [&](const ParameterValues<double>& values) {
    const Model<double> model = instantiate<double>(mechanism, values);
    Workspace<double> work(model);
    Values tau(2);
    double sum = 0.0;
    for (const auto& [from, to] : {std::pair{0.0, 0.8}, std::pair{0.8, 1.5}}) {
      constexpr int n = 2000;
      for (int i = 0; i <= n; ++i) {
        const JointMotion<double> m = way.at(from + (to - from) * i / n);
        rnea<double>(model, work, m.q, m.qd, m.qdd, tau);
        sum += (to - from) / n / 3.0 *
               (i == 0 || i == n ? 1.0
                : i % 2 == 1     ? 4.0
                                 : 2.0) *
               (tau[0] * tau[0] + tau[1] * tau[1]);
      }
    }
    return sum;
  };
  EXPECT_NEAR(F[0], energy({}), 1e-9 * F[0]);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string& name = design.parameters()[k];
    const double h = 1e-5;
    EXPECT_NEAR(direct[0][k], (energy({{name, start[k] + h}}) - energy({{name, start[k] - h}})) / (2 * h), 1e-6 * F[0])
        << name;
  }
  const JointMotion<double> m = way.at(1.5);
  EXPECT_NEAR(direct[2][1], -std::sin(m.q[0]), 1e-14);  // lower hangs at l1 below the base
  EXPECT_EQ(direct[2][2], 0.0);
}

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(DesignSensitivity, WrongNamesAndFormulasAreRefused) {
  const Mechanism mechanism = load("double-pendulum");
  const ForwardDesignOptions options = from_rest(mechanism, 1.0);
  const auto with = [&](std::vector<std::string> names, std::vector<DesignFunctional> functionals) {
    return refusal([&] { ForwardDesign(mechanism, std::move(names), std::move(functionals), options); });
  };
  EXPECT_NE(with({"l3"}, {}).find("did you mean `l1`?"), std::string::npos) << with({"l3"}, {});
  EXPECT_NE(with({"start.q.uper"}, {}).find("did you mean `start.q.upper`?"), std::string::npos)
      << with({"start.q.uper"}, {});
  EXPECT_NE(with({"l1", "l1"}, {}).find("twice"), std::string::npos);
  EXPECT_NE(with({"l1"}, {integral("tua1^2")}).find("did you mean `tau1`?"), std::string::npos)
      << with({"l1"}, {integral("tua1^2")});
  EXPECT_NE(with({"l1"}, {at(2.0, "q1")}).find("from 0 to 1 s"), std::string::npos) << with({"l1"}, {at(2.0, "q1")});
  // dry friction at rest
  const Mechanism loaded = mechanism_of(kLoaded);
  ForwardDesignOptions resting = from_rest(loaded, 1.0);
  resting.system.friction = true;
  resting.drive.torques = {{"torque", "30"}, {"torque", "0"}};
  ForwardDesign dry(loaded, {"l"}, {at_end("q1")}, resting);
  EXPECT_NE(refusal([&] { dry.values(dry.start()); }).find("`arm` is at rest or turns round at t = 0 s"),
            std::string::npos);
  // a run that does not come to its end says when
  ForwardDesignOptions wild = options;
  wild.drive.torques = {{"torque", "sqrt(0.3 - t)"}, {"torque", "0"}};
  ForwardDesign design(mechanism, {"l1"}, {at_end("q1")}, wild);
  const std::string what = refusal([&] { design.values(design.start()); });
  EXPECT_NE(what.find("t = 0.3 s"), std::string::npos) << what;
}

}  // namespace design_sensitivity_test
}  // namespace lw
