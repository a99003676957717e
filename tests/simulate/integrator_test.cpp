// Integrators: their orders on every kind of joint, closed-form motions, energy, stiffness, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "model/read/read.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/integrate/chart.hpp"
#include "simulate/motion/driven.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "spatial/rotation_vector.hpp"
#include "support/count_allocations.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace integrator_test {

using Way = DrivenOptions::Way;

// A top on a ball joint that carries a swinging arm.
const char* const kSpherical = R"(name: top
links:
  - name: top
    parent: base
    joint: {type: spherical}
    inertia: {mass: 2, com: [0.02, 0.01, 0.15], tensor: [0.03, 0.02, 0.01]}
  - name: arm
    parent: top
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0, 0.3]}}
    inertia: {mass: 0.5, com: [0.1, 0, 0.05], tensor: [0.001, 0.002, 0.002]}
)";
// A body in free flight with an arm on it.
const char* const kFloating = R"(name: flyer
links:
  - name: hull
    parent: base
    joint: {type: floating}
    inertia: {mass: 3, com: [0.05, 0.02, 0.01], tensor: [0.05, 0.04, 0.02]}
  - name: arm
    parent: hull
    joint: {type: revolute, axis: x, origin: {xyz: [0.1, 0, 0.2]}}
    inertia: {mass: 0.7, com: [0, 0.1, 0.05], tensor: [0.002, 0.001, 0.002]}
)";

MotionState spinning(const System& system) {
  MotionState s = system.home();
  for (std::size_t k = 0; k < s.v.size(); ++k) s.v[k] = 1.0 + 0.4 * std::cos(2.0 * static_cast<double>(k));
  return s;
}

MotionState run(System& system, MotionState state, const std::string& name, const IntegratorOptions& options,
                double until) {
  const auto integrator = make_integrator(name, options);
  while (state.t < until) advance(*integrator, system, state, until);
  EXPECT_EQ(state.t, until);
  return state;
}

double distance(const MotionState& a, const MotionState& b) {
  double off = 0.0;
  for (std::size_t k = 0; k < a.q.size(); ++k) off = std::max(off, std::abs(a.q[k] - b.q[k]));
  for (std::size_t k = 0; k < a.v.size(); ++k) off = std::max(off, std::abs(a.v[k] - b.v[k]));
  for (std::size_t k = 0; k < a.z.size(); ++k) off = std::max(off, std::abs(a.z[k] - b.z[k]));
  return off;
}

struct Method {
  const char* name;
  int order;
  double step;  // at which its error is far above round-off and far below the motion
};
constexpr Method kFixed[] = {{"semi-implicit-euler", 1, 0.0005},
                             {"taylor", 1, 0.0005},
                             {"implicit-midpoint", 2, 0.005},
                             {"rk4", 4, 0.01},
                             {"gill", 4, 0.01},
                             {"verner", 6, 0.02}};

TEST(Integrators, HaveTheirOrderOnEveryKindOfJoint) {
  // Torques that work, so that z has an error to show too; the true motion by steps that are 40 times as many.
  for (const std::string& text : {std::string(), std::string(kSpherical), std::string(kFloating)}) {
    Driven system(text.empty() ? load("double-pendulum") : mechanism_of(text),
                  [](double t, auto, auto v, auto tau) {
                    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = 0.1 * std::sin(3.0 * t) - 0.05 * v[k];
                  },
                  {.way = Way::reference, .friction = false});
    const MotionState start = spinning(system);
    const double end = 0.4;
    const MotionState truth = run(system, start, "verner", {.step = 0.0005}, end);
    for (const Method& method : kFixed) {
      const double coarse = distance(run(system, start, method.name, {.step = method.step}, end), truth);
      const double fine = distance(run(system, start, method.name, {.step = method.step / 2}, end), truth);
      const double order = std::log2(coarse / fine);
      std::printf("%-16s %-20s %.1e %.1e  order %.2f\n", system.model().name.c_str(), method.name, coarse, fine, order);
      EXPECT_NEAR(order, method.order, 0.35) << system.model().name << ' ' << method.name;
      EXPECT_GT(fine, 1e-13);
    }
  }
}

TEST(Integrators, AdaptiveErrorsFollowTheTolerance) {
  for (const char* text : {kSpherical, kFloating}) {
    Driven system(mechanism_of(text), {}, {.way = Way::reference});
    const MotionState start = spinning(system), truth = run(system, start, "verner", {.step = 0.0005}, 1.0);
    for (const char* name : {"dormand-prince", "verner", "cvode"}) {
      double before = 1.0;
      const double per_step = std::string(name) == "cvode" ? 1e6 : 3e3;  // its steps are many, and all err the same way
      for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
        const double off = distance(run(system, start, name, {.rtol = tolerance, .atol = tolerance}, 1.0), truth);
        EXPECT_LT(off, per_step * tolerance) << name;
        EXPECT_LT(off, 0.2 * before) << name;
        before = off;
      }
    }
  }
}

// A free symmetric top: R(t) = exp(t L/I₁) R(0) exp(t ω₃ (1 − I₃/I₁) e₃), L its angular momentum in space.
TEST(Integrators, AFreeTopPrecessesAsEulerSays) {
  Driven system(mechanism_of(R"(name: gyro
gravity: [0, 0, 0]
links:
  - {name: top, parent: base, joint: {type: spherical}, inertia: {mass: 1, tensor: [0.3, 0.3, 0.5]}}
)"),
                {}, {.way = Way::reference});
  MotionState start = system.home();
  start.q = {0.1, -0.3, 0.2, std::sqrt(1.0 - 0.14)};
  start.v = {1.5, -0.7, 4.0};
  const double end = 3.0;
  const Mat3<double> R0 = rotation_from_quaternion(start.q[0], start.q[1], start.q[2], start.q[3]);
  const Vec3<double> L = R0 * Vec3<double>(0.3 * 1.5, 0.3 * -0.7, 0.5 * 4.0);
  const double rate = std::sqrt(dot(L, L)) / 0.3;
  const Mat3<double> truth = rotation_about_axis<double>(L * (1.0 / (0.3 * rate)), rate * end) * R0 *
                             rotation_about_axis<double>({0.0, 0.0, 1.0}, 4.0 * (1.0 - 0.5 / 0.3) * end);
  const auto off = [&](const MotionState& s) {
    const Mat3<double> R = rotation_from_quaternion(s.q[0], s.q[1], s.q[2], s.q[3]);
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) worst = std::max(worst, std::abs(R(i, j) - truth(i, j)));
    }
    return worst;
  };
  for (const char* name : {"dormand-prince", "verner"})
    EXPECT_LT(off(run(system, start, name, {}, end)), 1e-10) << name;
  EXPECT_LT(off(run(system, start, "cvode", {.rtol = 1e-11, .atol = 1e-11}, end)), 1e-7);
  EXPECT_LT(off(run(system, start, "rk4", {.step = 1e-3}, end)), 1e-9);
  const MotionState last = run(system, start, "rk4", {.step = 1e-3}, end);
  EXPECT_NEAR(last.q[0] * last.q[0] + last.q[1] * last.q[1] + last.q[2] * last.q[2] + last.q[3] * last.q[3], 1.0,
              1e-15);
}

TEST(Integrators, KeepTheEnergyOfWhatIsConservative) {
  struct Case {
    const char* model;
    double duration;
  };
  for (const Case& c : {Case{"double-pendulum", 5.0}, Case{"puma560", 3.0}, Case{"humanoid", 1.0}}) {
    Driven system(load(c.model), {}, {.way = Way::reference, .friction = false});
    for (const char* name : {"dormand-prince", "verner"}) {
      MotionState state = spinning(system);
      EnergyBalance balance(system, state);
      const auto integrator = make_integrator(name, {});
      while (state.t < c.duration) {
        advance(*integrator, system, state, c.duration);
        balance.look(state);
      }
      const double worst = balance.residual();
      std::printf("%-16s %-15s %ld steps, energy off by %.1e\n", c.model, name, integrator->counts().steps, worst);
      EXPECT_LE(worst, 1e-10) << c.model << ' ' << name;
      EXPECT_GT(worst, 0.0);
    }
  }
}

TEST(Integrators, TheImplicitMidpointKeepsEnergyWithinBoundsWhereOthersDrift) {
  Driven system(load("double-pendulum"), {}, {.way = Way::reference, .friction = false});
  MotionState start = system.home();
  start.q = {0.5, -0.3};
  const auto largest_error = [&](const char* name, double from, double until) {
    MotionState state = start;
    EnergyBalance balance(system, state);
    const auto integrator = make_integrator(name, {.step = 0.02});
    double worst = 0.0;
    while (state.t < until) {
      integrator->step(system, state, until);
      const double residual = std::abs(balance.look(state).residual) / balance.largest();
      if (state.t >= from) worst = worse(worst, residual);
    }
    return worst;
  };
  const double early = largest_error("implicit-midpoint", 0.0, 20.0),
               late = largest_error("implicit-midpoint", 380.0, 400.0);
  const double early_rk4 = largest_error("rk4", 0.0, 20.0), late_rk4 = largest_error("rk4", 380.0, 400.0);
  std::printf("implicit midpoint %.2e, %.2e later; rk4 %.2e, %.2e later\n", early, late, early_rk4, late_rk4);
  EXPECT_LT(late, 1.3 * early);
  EXPECT_GT(late_rk4, 10.0 * early_rk4);
}

TEST(Integrators, TheImplicitMidpointGoesBackWhereItCameFrom) {
  for (const std::string& text : {std::string(kSpherical), std::string(kFloating)}) {
    Driven system(mechanism_of(text), {}, {.way = Way::reference, .work = false});
    const MotionState start = spinning(system);
    MotionState state = run(system, start, "implicit-midpoint", {.step = 0.01}, 0.5);
    EXPECT_GT(distance(state, start), 0.1);
    // the same rule with time reversed: velocities turned round
    for (double& x : state.v) x = -x;
    state.t = 0.0;
    MotionState back = run(system, state, "implicit-midpoint", {.step = 0.01}, 0.5);
    for (double& x : back.v) x = -x;
    EXPECT_LT(distance(back, start), 1e-12);
  }
}

TEST(Integrators, DenseOutputHasTheOrderOfTheMethod) {
  Driven system(mechanism_of(kFloating), {}, {.way = Way::reference});
  const MotionState start = spinning(system);
  for (const Method& method : {Method{"rk4", 5, 0.04}, Method{"verner", 7, 0.08}, Method{"dormand-prince", 5, 0.08}}) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      const double h = method.step / (k + 1), t = 0.37 * h;
      IntegratorOptions options{.step = h};
      if (std::string(method.name) == "dormand-prince")
        options.rtol = options.atol = 1e3;  // takes the step that it is given
      if (options.rtol > 1.0) options.rtol = 0.999;
      const auto integrator = make_integrator(method.name, options);
      MotionState state = start, middle = start;
      integrator->step(system, state, h);
      ASSERT_EQ(state.t, h);
      integrator->at(t, middle);
      EXPECT_EQ(middle.t, t);
      off[k] = distance(middle, run(system, start, "verner", {.step = h / 50}, t));
    }
    EXPECT_NEAR(std::log2(off[0] / off[1]), method.order, 0.6) << method.name;
  }
  const auto cvode = make_integrator("cvode", {});
  MotionState state = start, middle = start;
  while (state.t < 0.3) cvode->step(system, state, 0.3);
  const double t = 0.3 - 1e-5;
  cvode->at(t, middle);
  EXPECT_LT(distance(middle, run(system, start, "verner", {.step = 0.001}, t)), 1e-8);
}

// A rotor on a stiff, damped shaft: the elastic mode dies within 1e-5 s, the motion takes a second.
const char* const kElastic = R"(name: drive
links:
  - name: rotor
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 1, tensor: [0.001, 0.001, 0.001]}
  - name: load
    parent: base
    joint: {type: revolute, axis: y}
    inertia: {mass: 1, com: [0.3, 0, 0], tensor: [0.001, 0.01, 0.01]}
shafts:
  - {name: shaft, between: [rotor, load], stiffness: 20000, damping: 100}
)";

TEST(Integrators, CvodeIsAtHomeWithWhatIsStiff) {
  for (const Way way : {Way::reference, Way::compiled}) {
    Driven system(mechanism_of(kElastic), {}, {.way = way});
    if (system.way() != way) GTEST_SKIP() << "no compiler";
    MotionState start = system.home();
    start.v = {1.0, 0.0};
    const auto cvode = make_integrator("cvode", {.rtol = 1e-8, .atol = 1e-8});
    const auto explicit_one = make_integrator("dormand-prince", {.rtol = 1e-8, .atol = 1e-8});
    MotionState a = start, b = start;
    EnergyBalance balance(system, start);
    while (a.t < 1.0) advance(*cvode, system, a, 1.0);
    balance.look(a);
    while (b.t < 1.0) advance(*explicit_one, system, b, 1.0);
    std::printf(
        "cvode %ld steps, %ld slopes, %ld Jacobians; dormand-prince %ld slopes; %.1e apart; energy off by %.1e\n",
        cvode->counts().steps, cvode->counts().slopes, cvode->counts().jacobians, explicit_one->counts().slopes,
        distance(a, b), balance.residual());
    EXPECT_LT(distance(a, b), 1e-5);
    EXPECT_LT(20 * cvode->counts().slopes, explicit_one->counts().slopes);
    EXPECT_GT(cvode->counts().jacobians, 0);
  }
}

TEST(Integrators, JacobiansAreThoseOfDualNumbersOrComplexSteps) {
  // CVODE's matrix, seen through the system: compiled against dual numbers, and along a displacement against
  // differences
  Driven compiled(mechanism_of(kElastic), {}, {.way = Way::compiled}),
      plain(mechanism_of(kElastic), {}, {.way = Way::reference});
  if (compiled.way() != Way::compiled) GTEST_SKIP() << "no compiler";
  const std::vector<double> q{0.3, 0.29}, v{0.5, 0.7};
  std::vector<double> d_q(4), d_v(4), e_q(4), e_v(4);
  ASSERT_TRUE(compiled.jacobian(0.0, q, v, d_q, d_v));
  ASSERT_TRUE(plain.jacobian(0.0, q, v, e_q, e_v));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(d_q[k], e_q[k], 1e-10 * std::abs(e_q[0]));
    EXPECT_NEAR(d_v[k], e_v[k], 1e-10 * std::abs(e_v[0]));
  }
  EXPECT_NEAR(e_v[0], -100.0 / 0.001, 1e-6);  // the shaft's damping over the rotor's inertia
}

// Bodies held by springs so damped that they creep: without the columns of quaternions and places CVODE would crawl.
TEST(Integrators, CvodeKnowsHowQuaternionsAndPlacesAct) {
  for (const char* type : {"spherical", "floating"}) {
    Driven system(mechanism_of(std::string(R"(name: held
links:
  - {name: body, parent: base, joint: {type: )") +
                               type + R"(}, inertia: {mass: 1, tensor: [0.01, 0.012, 0.015]}}
springs:
  - {name: a, between: [base, body], at: {base: [1, 0.1, 0], body: [0.3, 0, 0]}, stiffness: 100, rest: 0.2, damping: 3000}
  - {name: b, between: [base, body], at: {base: [-0.2, 1, 0], body: [0, 0.3, 0]}, stiffness: 200, rest: 0.3, damping: 3000}
  - {name: c, between: [base, body], at: {base: [0, 0, 1.5], body: [0, 0.1, 0.3]}, stiffness: 100, rest: 0.3, damping: 3000}
  - {name: d, between: [base, body], at: {base: [0.5, -1, 0.2], body: [0.1, -0.3, 0]}, stiffness: 100, rest: 0.3, damping: 3000}
  - {name: e, between: [base, body], at: {base: [-1, 0, -0.5], body: [-0.3, 0, 0.1]}, stiffness: 100, rest: 0.3, damping: 3000}
  - {name: f, between: [base, body], at: {base: [0.2, 0.3, -1], body: [0, 0.2, -0.3]}, stiffness: 100, rest: 0.3, damping: 3000}
)"),
                  {}, {.way = Way::reference});
    MotionState start = system.home();
    start.v[0] = 0.3;
    const auto cvode = make_integrator("cvode", {.rtol = 1e-7, .atol = 1e-7});
    const auto explicit_one = make_integrator("dormand-prince", {.rtol = 1e-7, .atol = 1e-7});
    MotionState a = start, b = start;
    while (a.t < 0.5) cvode->step(system, a, 0.5);
    while (b.t < 0.5) explicit_one->step(system, b, 0.5);
    std::printf("%s: cvode %ld steps, %ld slopes, %ld rejected; dormand-prince %ld slopes; %.1e apart\n", type,
                cvode->counts().steps, cvode->counts().slopes, cvode->counts().rejected, explicit_one->counts().slopes,
                distance(a, b));
    EXPECT_LT(distance(a, b), 1e-4);
    EXPECT_GT(distance(a, start), 0.01);
    EXPECT_LT(20 * cvode->counts().slopes, explicit_one->counts().slopes);
  }
}

TEST(Integrators, DerivativesOfTorquesActAsThoseOfASpring) {
  const std::string head = R"(name: swing
links:
  - {name: arm, parent: base, joint: {type: revolute, axis: y}, inertia: {mass: 1, com: [0.3, 0, 0], tensor: [0.01, 0.01, 0.01]})",
                    tail = R"(}
  - {name: tip, parent: arm, joint: {type: revolute, axis: y, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, com: [0.3, 0, 0], tensor: [0.01, 0.01, 0.01]}}
)";
  Driven sprung(mechanism_of(head + ", spring: {stiffness: 70}" + tail), {}, {.way = Way::reference});
  Driven driven(mechanism_of(head + tail), [](double, auto q, auto, auto tau) { tau[0] = -70.0 * q[0]; },
                {.way = Way::reference, .derivatives = [](double, auto, auto, auto d_q, auto) { d_q[0] = -70.0; }});
  const std::vector<double> q{0.3, -0.5}, v{0.5, 0.7};
  std::vector<double> d_q(4), d_v(4), e_q(4), e_v(4);
  ASSERT_TRUE(sprung.jacobian(0.0, q, v, d_q, d_v));
  ASSERT_TRUE(driven.jacobian(0.0, q, v, e_q, e_v));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(d_q[k], e_q[k], 1e-10 * std::abs(d_q[0]));
    EXPECT_NEAR(d_v[k], e_v[k], 1e-12);
  }
}

TEST(Integrators, OneStepMethodsAllocateNothingAfterTheFirstStep) {
  LW_SKIP_UNLESS_ALLOCATIONS_ARE_COUNTED();
  for (const char* text : {kSpherical, kFloating}) {
    for (const std::string& name : integrator_names()) {
      if (name == "cvode") continue;
      Driven system(mechanism_of(text), [](double t, auto, auto, auto tau) { tau[0] = std::sin(t); },
                    {.way = Way::reference});
      const bool adaptive = is_adaptive(name, {.step = name == "dormand-prince" ? 0.0 : 0.01});
      const auto integrator = make_integrator(name, {.step = adaptive ? 0.0 : 0.01});
      MotionState state = spinning(system);
      advance(*integrator, system, state, 1.0);
      const long before = allocations_so_far();
      for (int k = 0; k < 20; ++k) advance(*integrator, system, state, 1.0);
      EXPECT_EQ(allocations_so_far() - before, 0) << name;
      EXPECT_GT(before, 0);
    }
  }
}

template <class Action>
std::string refusal(ErrorCode code, const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST(Integrators, RefuseWhatMakesNoSense) {
  const auto made = [](const char* name, IntegratorOptions options) {
    return refusal(ErrorCode::usage, [&] { make_integrator(name, options); });
  };
  EXPECT_NE(made("rk5", {.step = 1e-3}).find("did you mean `rk4`"), std::string::npos);
  for (const double step : {0.0, -1e-3, std::nan("")}) {
    EXPECT_NE(made("rk4", {.step = step}).find("positive number of seconds"), std::string::npos);
  }
  EXPECT_NE(made("dormand-prince", {.rtol = 0.0}).find("relative tolerance"), std::string::npos);
  EXPECT_NE(made("cvode", {.atol = -1.0}).find("absolute tolerance"), std::string::npos);
}

TEST(Integrators, SayWhereAMotionBlowsUp) {
  // v' = v³ has no motion beyond t = 1/(2 v₀²)
  const std::string text = R"(name: rocket
gravity: [0, 0, 0]
links:
  - {name: sled, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 1}}
)";
  Driven system(mechanism_of(text), [](double, auto, auto v, auto tau) { tau[0] = v[0] * v[0] * v[0]; },
                {.way = Way::reference});
  MotionState start = system.home();
  start.v = {1.0};
  for (const char* name : {"rk4", "dormand-prince", "verner", "implicit-midpoint", "cvode"}) {
    const std::string words = refusal(ErrorCode::data, [&] {
      IntegratorOptions options;
      const std::string method = name;
      if (method == "rk4" || method == "implicit-midpoint") options.step = 1e-3;
      run(system, start, name, options, 1.0);
    });
    std::printf("%s\n", words.c_str());
    EXPECT_TRUE(words.find("t = 0.5") != std::string::npos || words.find("t = 0.499") != std::string::npos) << words;
    EXPECT_NE(words.find("`sled`"), std::string::npos) << words;
    EXPECT_NE(words.find("qd = "), std::string::npos) << words;
  }
  Driven poisoned(mechanism_of(text), [](double t, auto, auto, auto tau) { tau[0] = t > 0.2 ? std::nan("") : 0.0; },
                  {.way = Way::reference});
  const std::string words = refusal(ErrorCode::data, [&] { run(poisoned, start, "rk4", {.step = 0.01}, 1.0); });
  EXPECT_NE(words.find("the torque of `sled` is not a number at t = 0.2"), std::string::npos) << words;
}

}  // namespace integrator_test
}  // namespace lw
