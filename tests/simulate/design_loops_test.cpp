// Design derivatives of mechanisms with loops: loop equations in closed form, a complex step through position,
// velocities and accelerations over the algorithms, conservation of energy along all designs, differences of whole runs
// of closed.hpp, and direct against adjoint against CVODES.
#include <gtest/gtest.h>

#include <cmath>

#include "base/index.hpp"
#include "base/worse.hpp"
#include "dynamics/loops/dynamics.hpp"
#include "model/read/read.hpp"
#include "simulate/design/design_run.hpp"
#include "simulate/optimize/design_problem.hpp"

namespace lw {
namespace design_loops_test {

using Values = std::vector<double>;
using Rows = std::vector<Values>;
using Kind = DesignFunctional::Kind;

DesignFunctional integral(const std::string& formula) { return {formula, {"F", formula}, Kind::integral}; }
DesignFunctional at_end(const std::string& formula) { return {formula, {"F", formula}, Kind::instant}; }
DesignFunctional at_time(double t, const std::string& formula) { return {formula, {"F", formula}, Kind::instant, t}; }

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

ForwardDesignOptions driven(const Mechanism& mechanism, const Values& qd, double duration,
                            const std::vector<std::pair<std::string, std::string>>& torques = {}) {
  const Dynamics at_home(instantiate<double>(mechanism));
  ForwardDesignOptions options;
  options.q = at_home.independent();
  options.qd = qd;
  options.duration = duration;
  const std::vector<std::string>& names = at_home.model().velocity_names;
  options.drive.torques.assign(names.size(), {"torque", "0"});
  for (const auto& [joint, formula] : torques) {
    options.drive.torques[static_cast<std::size_t>(std::ranges::find(names, joint) - names.begin())].text = formula;
  }
  return options;
}

// By all methods: along, back, in complex numbers, and by the continuous adjoint equations.
void expect_all_methods(ForwardDesign& design) {
  design.values(design.start());
  const Rows direct = design.gradients(DesignMethod::direct);
  EXPECT_LT(difference(direct, design.by_complex_step()), 1e-10);
  EXPECT_LT(difference(design.gradients(DesignMethod::adjoint), direct), 1e-10);
  EXPECT_LT(difference(design.gradients(DesignMethod::cvodes), direct), 1e-6);
}

TEST(DesignLoops, AFourBarByAllMethods) {
  const Mechanism mechanism = load("four-bar");
  ForwardDesign design(
      mechanism,
      {"l_crank", "l_coupler", "l_frame", "rho", "rocker.m", "coupler.mx", "start.q.crank", "start.qd.crank"},
      {integral("tau1^2 + qd.rocker^2"), integral("kinetic"), at_end("q.rocker"), at_end("qdd.coupler"),
       at_time(0.2, "coupler.x*rocker.z + q.coupler")},
      driven(mechanism, {7.0}, 0.3, {{"crank", "0.3 - 0.05*qd.crank + 0.2*sin(q.rocker)*l_rocker"}}));
  expect_all_methods(design);
}

TEST(DesignLoops, APlanarManipulatorByAllMethods) {
  const Mechanism mechanism = load("planar-3rrr");
  ForwardDesign design(mechanism, {"l1", "l3", "m7", "i4", "rod2.mx", "start.q.crank2", "start.qd.crank1"},
                       {integral("tau1^2 + tau3*qd3"), at_end("platform.x"), at_end("qd.platform"), at_end("qdd2")},
                       driven(mechanism, {0.4, -0.2, 0.1}, 0.15,
                              {{"crank1", "8 + 2*t"}, {"crank2", "-5*qd.crank2"}, {"crank3", "3*cos(q.platform)"}}));
  expect_all_methods(design);
}

// More motors than freedoms: what both torques do is felt at one freedom.
TEST(DesignLoops, OfMoreMotorsThanFreedoms) {
  Mechanism mechanism = load("four-bar");
  mechanism.links[2].joint.actuated = true;
  ForwardDesign design(mechanism, {"l_crank", "l_rocker", "rho", "start.qd.crank"},
                       {integral("tau2*qd.rocker"), at_end("q.rocker")},
                       driven(mechanism, {5.0}, 0.3, {{"crank", "0.2"}, {"rocker", "0.5*q.rocker - 0.1*t"}}));
  expect_all_methods(design);
}

// A spatial four-bar whose coupler hangs in a ball and is tied to the rocker by a universal joint: a quaternion among
// the dependent coordinates, which are no part of the state.
const char* kSpatial = R"(
linkwright: 1
name: spatial-four-bar
parameters: {l_crank: 0.1, l_coupler: 0.6, l_rocker: 0.3, d: 0.5, m: 0.8}
links:
  - name: crank
    parent: base
    joint: {type: revolute, axis: z, actuated: true}
    inertia: {mass: 1, com: [l_crank/2, 0, 0], tensor: [0.001, 0.002, 0.002]}
  - name: coupler
    parent: crank
    joint: {type: spherical, origin: {xyz: [l_crank, 0, 0]}}
    inertia: {mass: m, com: [l_coupler/2, 0.01, 0], tensor: [0.003, 0.02, 0.021]}
  - name: rocker
    parent: base
    joint: {type: revolute, axis: y, origin: {xyz: [d, 0, 0]}}
    inertia: {mass: 0.7, com: [0, 0, l_rocker/2], tensor: [0.005, 0.005, 0.001]}
loops:
  - name: pin
    joint: {type: universal, axis: z, axis2: y}
    between: [coupler, rocker]
    at: {coupler: {xyz: [l_coupler, 0, 0]}, rocker: {xyz: [0, 0, l_rocker]}}
home:
  crank: 90 deg
  coupler: [0, -0.264, -0.088, 0.9605]
)";

TEST(DesignLoops, ABallThatFollowsByAllMethods) {
  const ReadResult read = read_text(kSpatial, "spatial.yaml");
  ASSERT_TRUE(read.mechanism) << to_string(read.diagnostics.front());
  ForwardDesign design(*read.mechanism, {"l_coupler", "d", "m", "start.q.crank", "start.qd.crank"},
                       {integral("qd.rocker^2 + coupler.x*coupler.y"), integral("qdd.rocker*q.rocker")},
                       driven(*read.mechanism, {4.0}, 0.2, {{"crank", "0.5"}}));
  expect_all_methods(design);
  EXPECT_EQ(design.system().states(), 2u + 2u);  // the crank, and two integrals
}

// Of all joints and cuts, smooth: viscous, and dry with a width so large that all are within it at times.
Mechanism rubbing(Mechanism m, double viscous, double coulomb) {
  for (Link& link : m.links) {
    link.joint.friction.present = link.joint.type != JointType::fixed;
    link.joint.friction.viscous = viscous;
    link.joint.friction.coulomb = coulomb;
    link.joint.friction.width = 2.0;
  }
  for (Loop& loop : m.loops) {
    loop.friction.present = true;
    loop.friction.viscous = viscous;
    loop.friction.coulomb = coulomb;
    loop.friction.width = 2.0;
  }
  return m;
}

TEST(DesignLoops, SmoothFrictionByAllMethods) {
  const Mechanism mechanism = rubbing(load("four-bar"), 0.02, 0.05);
  ForwardDesignOptions options = driven(mechanism, {4.0}, 0.3, {{"crank", "0.3"}});
  options.system.friction = true;
  ForwardDesign design(mechanism, {"l_coupler", "rho", "start.q.crank", "start.qd.crank"},
                       {integral("qd.rocker^2"), at_end("q.rocker"), at_end("qdd.coupler")}, options);
  expect_all_methods(design);
}

// What friction takes is Σ ∫ c ω² dt over the tree's joints and the cut, whatever the design: so are the derivatives of
// the energy.
TEST(DesignLoops, FrictionTakesTheEnergyThatIsMissingAlongAllDesigns) {
  const Mechanism mechanism = rubbing(load("four-bar"), 0.02, 0.0);
  ForwardDesignOptions options = driven(mechanism, {6.0}, 0.4);
  options.system.friction = true;
  // in the cut the coupler turns against the rocker: its angle in the world is the crank's and its own
  ForwardDesign design(
      mechanism, {"l_coupler", "l_frame", "rho", "start.q.crank", "start.qd.crank"},
      {at_time(0.0, "kinetic + potential"), at_end("kinetic + potential"),
       integral("0.02*(qd.crank^2 + qd.coupler^2 + qd.rocker^2 + (qd.crank + qd.coupler - qd.rocker)^2)")},
      options);
  const Values values = design.values(design.start());
  EXPECT_NEAR(values[0] - values[2], values[1], 1e-8);
  EXPECT_GT(values[2], 0.01);
  const Rows rows = design.gradients(DesignMethod::adjoint);
  for (std::size_t k = 0; k < rows[0].size(); ++k)
    EXPECT_NEAR(rows[0][k] - rows[2][k], rows[1][k], 1e-6 * (1.0 + std::abs(rows[0][k]))) << k;
}

// Without torques the energy at the end is that of the beginning, whatever the design: so are its derivatives.
TEST(DesignLoops, EnergyIsConservedAlongAllDesigns) {
  Mechanism mechanism = load("five-bar");
  mechanism.gravity = {0.0, -9.81, 0.0};  // in its plane
  ForwardDesign design(mechanism, {"ground", "l1", "l2", "rho", "start.q.crank1", "start.qd.crank2"},
                       {at_time(0.0, "kinetic + potential"), at_end("kinetic + potential"), at_end("kinetic")},
                       driven(mechanism, {2.0, -1.5}, 0.2));
  design.values(design.start());
  const Rows rows = design.gradients(DesignMethod::adjoint);
  EXPECT_LT(difference({rows[1]}, {rows[0]}), 1e-8);
  // by a velocity: H q̇, of numbers
  Dynamics at_home(instantiate<double>(mechanism));
  Values H(4);
  mass_matrix<double>(at_home.model(), at_home.plan(), at_home.work(), at_home.q(), H);
  EXPECT_NEAR(rows[0][5], H[1] * 2.0 + H[3] * -1.5, 1e-12);
  EXPECT_GT(difference({rows[2]}, {rows[0]}), 0.01);  // it is no constant of the motion
}

// Whole runs of the algorithms themselves by classical Runge-Kutta steps, at other parameters.
double crank_after(double l_coupler, double rho, double qd0, double duration) {
  Dynamics m(instantiate<double>(load("four-bar"), {{"l_coupler", l_coupler}, {"rho", rho}}));
  Values q{60.0 * std::acos(-1.0) / 180.0}, v{qd0};
  const auto rates = [&](double x, double y) {
    m.follow(Values{x});
    Values a(1);
    m.forward(Values{y}, Values{0.3 - 0.05 * y}, a);
    return std::pair{y, a[0]};
  };
  const int steps = 400;
  const double h = duration / steps;
  for (int k = 0; k < steps; ++k) {
    const auto [a1, b1] = rates(q[0], v[0]);
    const auto [a2, b2] = rates(q[0] + h / 2 * a1, v[0] + h / 2 * b1);
    const auto [a3, b3] = rates(q[0] + h / 2 * a2, v[0] + h / 2 * b2);
    const auto [a4, b4] = rates(q[0] + h * a3, v[0] + h * b3);
    q[0] += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    v[0] += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  return q[0];
}

TEST(DesignLoops, DifferencesOfWholeRunsSayTheSame) {
  const Mechanism mechanism = load("four-bar");
  const double T = 0.5, h = 1e-4;
  ForwardDesign design(mechanism, {"l_coupler", "rho", "start.qd.crank"}, {at_end("q1")},
                       driven(mechanism, {7.0}, T, {{"crank", "0.3 - 0.05*qd1"}}));
  EXPECT_NEAR(design.values(design.start())[0], crank_after(0.36, 2.5, 7.0, T), 1e-8);
  const Values got = design.gradients()[0];
  // of fourth order
  const auto slope = [&](const std::function<double(double)>& f) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  const Values expected{slope([&](double d) { return crank_after(0.36 + d, 2.5, 7.0, T); }),
                        slope([&](double d) { return crank_after(0.36, 2.5 + d, 7.0, T); }),
                        slope([&](double d) { return crank_after(0.36, 2.5, 7.0 + d, T); })};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(got[k], expected[k], 1e-6 * std::abs(expected[k])) << k;
}

// --- motion given

WeighedMotion turning(double from, double speed, double acceleration, double T, int n) {
  Values t;
  Rows q, qd, qdd;
  for (int k = 0; k <= n; ++k) {
    t.push_back(T * k / n);
    q.push_back({from + speed * t.back() + 0.5 * acceleration * t.back() * t.back()});
    qd.push_back({speed + acceleration * t.back()});
    qdd.push_back({acceleration});
  }
  return WeighedMotion::of_samples(t, q, qd, qdd);
}

// x = r cos θ + √(l² − s²), s = r sin θ − offset: the slider's place, and how it changes with all of these.
TEST(DesignLoops, ASliderCrankHasTheDerivativesOfItsLoopEquation) {
  const Mechanism mechanism = load("slider-crank");
  InverseDesignOptions options;
  options.motion = turning(0.7, 9.0, -4.0, 1.1, 60);  // more than a turn
  InverseDesign design(mechanism, {"r", "l", "offset", "m_slider"},
                       {at_end("q.slider"), at_end("qd.slider"), at_end("tau.crank"), integral("q.slider")}, options);
  const Values F = design.values(design.start());
  const double r = 0.05, l = 0.175, th = options.motion.q.back()[0], w = options.motion.qd.back()[0], al = -4.0;
  const double s = r * std::sin(th), root = std::sqrt(l * l - s * s), c = r * std::cos(th);
  EXPECT_NEAR(F[0], c + root, 1e-14);
  // x' = dx/dθ = −r sin θ − s s'/root with s' = r cos θ, and its slopes
  const double x1 = -s - s * c / root;
  EXPECT_NEAR(F[1], x1 * w, 1e-13);
  const double by_r = std::cos(th) - s * std::sin(th) / root, by_l = l / root, by_offset = s / root;
  const double root_r = -s * std::sin(th) / root, root_l = l / root, root_o = s / root;
  const double sc_r = 2 * s * c / r;
  const Rows expected{{by_r, by_l, by_offset, 0.0},
                      {w * (-std::sin(th) - sc_r / root + s * c * root_r / (root * root)),
                       w * s * c * root_l / (root * root), w * (c / root + s * c * root_o / (root * root)), 0.0}};
  // the slider's mass is felt as m ẍ dx/dθ: it runs level
  const double x2 = -c - (c * c - s * s) / root - s * s * c * c / (root * root * root);
  const double of_mass = (x2 * w * w + x1 * al) * x1;
  for (const DesignMethod method : {DesignMethod::direct, DesignMethod::adjoint}) {
    const Rows rows = design.gradients(method);
    EXPECT_LT(difference({rows[0], rows[1]}, expected), 1e-12);
    EXPECT_NEAR(rows[2][3], of_mass, 1e-12 * std::abs(of_mass));
    EXPECT_EQ(rows[3][3], 0.0);
  }
  EXPECT_LT(difference(design.gradients(DesignMethod::direct), design.gradients(DesignMethod::adjoint)), 1e-12);
}

// The rocker's pin is l_coupler from the crank's: |p|² = l_coupler², p = (f + r cos ψ − c cos θ, r sin ψ − c sin θ).
struct FourBarPins {
  double f = 0.4, c = 0.12, r = 0.28, th = 0.0;
  double x(double psi) const { return f + r * std::cos(psi) - c * std::cos(th); }
  double z(double psi) const { return r * std::sin(psi) - c * std::sin(th); }
};

TEST(DesignLoops, ARockerHasTheDerivativesOfItsLoopEquation) {
  const Mechanism mechanism = load("four-bar");
  InverseDesignOptions options;
  options.motion = turning(1.0471975511965976, 6.0, 3.0, 1.4, 80);
  InverseDesign design(mechanism, {"l_coupler", "l_frame", "l_crank", "l_rocker"},
                       {at_end("q.rocker"), integral("tau1^2")}, options);
  const double psi = design.values(design.start())[0];
  const FourBarPins p{.th = options.motion.q.back()[0]};
  EXPECT_NEAR(std::hypot(p.x(psi), p.z(psi)), 0.36, 1e-13);
  const double by_psi = p.r * (-p.x(psi) * std::sin(psi) + p.z(psi) * std::cos(psi));
  const Values expected{0.36 / by_psi, -p.x(psi) / by_psi,
                        (p.x(psi) * std::cos(p.th) + p.z(psi) * std::sin(p.th)) / by_psi,
                        -(p.x(psi) * std::cos(psi) + p.z(psi) * std::sin(psi)) / by_psi};
  const Rows direct = design.gradients(DesignMethod::direct), adjoint = design.gradients(DesignMethod::adjoint);
  EXPECT_LT(difference({direct[0]}, {expected}), 1e-12);
  EXPECT_LT(difference(adjoint, direct), 1e-12);
}

// Torques along a motion are those of closed.hpp, and their derivatives by lengths those of differences of it.
TEST(DesignLoops, TorquesAlongAMotionFollowTheDesign) {
  Mechanism mechanism = load("four-bar");
  mechanism.links[2].joint.actuated = true;  // and are shared by two motors
  const auto torques = [&](double l_coupler, std::size_t sample, const WeighedMotion& motion) {
    Dynamics m(instantiate<double>(mechanism, {{"l_coupler", l_coupler}}));
    for (std::size_t k = 0; k <= sample; ++k) m.follow(motion.q[k]);
    Values tau(2);
    m.inverse(motion.qd[sample], motion.qdd[sample], tau);
    return tau;
  };
  InverseDesignOptions options;
  options.motion = turning(1.1, 5.0, 2.0, 0.6, 20);
  InverseDesign design(mechanism, {"l_coupler"}, {}, options);
  design.values(design.start());
  const std::vector<InverseDesign::Torques> all = design.torques();
  const double h = 1e-4;
  for (const std::size_t k : {0u, 9u, 20u}) {
    const Values here = torques(0.36, k, options.motion), a = torques(0.36 + h, k, options.motion),
                 b = torques(0.36 - h, k, options.motion), c = torques(0.36 + 2 * h, k, options.motion),
                 d = torques(0.36 - 2 * h, k, options.motion);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(all[k].tau[j], here[j], 1e-12);
      EXPECT_NEAR(all[k].by[0][j], (8 * (a[j] - b[j]) - (c[j] - d[j])) / (12 * h),
                  1e-9 * std::max(1.0, std::abs(all[k].by[0][j])));
    }
  }
}

// --- other values of the parameters

// The rocker is to stand at 2.3 rad at the end: the coupler's length is the distance of the pins then.
TEST(DesignLoops, AreOptimisedInTheSameMode) {
  const DesignProblem problem = read_design_problem(R"(optimize: 1
model: four-bar
parameters: {l_coupler: {lower: 0.3, upper: 0.42}}
motion: {times: [0, 0.5], points: [[60 deg], [150 deg]]}
cost: {end: (q.rocker - 2.3)^2}
tolerance: 1e-12
)",
                                                    "problem.yaml");
  const std::unique_ptr<DesignRun> run = make_run(problem);
  const DesignOptimum found = optimize_design(problem, *run);
  const FourBarPins p{.th = 150.0 * std::acos(-1.0) / 180.0};
  EXPECT_EQ(found.end, DesignOptimum::End::optimal);
  EXPECT_NEAR(found.after.b[0], std::hypot(p.x(2.3), p.z(2.3)), 1e-6);
}

TEST(DesignLoops, WhatCannotBeIsSaid) {
  const Mechanism mechanism = load("four-bar");
  const auto said = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  ForwardDesignOptions options = driven(mechanism, {1.0}, 0.1);
  options.system.fixed = false;
  ForwardDesign design(mechanism, {"l_coupler"}, {at_end("q.rocker")}, options);
  EXPECT_NE(said([&] { design.values(Values{0.05}); }).find("cannot be closed"), std::string::npos);
  EXPECT_NO_THROW(design.values(Values{0.3}));
  options.system.friction = true;
  EXPECT_NO_THROW(ForwardDesign(mechanism, {"rho"}, {}, options));  // it has none
  const auto rough = [&](const char* friction) {
    std::string text = kSpatial;
    text.insert(text.find("  - name: coupler"), std::string("    friction: ") + friction + "\n");
    const ReadResult read = read_text(text, "rough.yaml");
    if (!read.mechanism) return std::string("the file is refused");
    const Mechanism spatial = *read.mechanism;
    ForwardDesignOptions own = driven(spatial, {1.0}, 0.1);
    own.system.friction = true;
    return said([&] { ForwardDesign(spatial, {"m"}, {}, own); });
  };
  EXPECT_EQ(rough("{viscous: 0.1}"), "");
  EXPECT_EQ(rough("{coulomb: 0.1, width: 0.01}"), "");
  EXPECT_NE(rough("{coulomb: 0.1}").find("dry friction of `crank`, which jumps"), std::string::npos);
  EXPECT_NE(rough("{bearing: {type: journal, mu: 0.1, radius: 0.01, spacing: 0.1}}").find("bearings under load"),
            std::string::npos);
  EXPECT_NE(said([&] {
              ForwardDesign(mechanism, {"start.q.rocker"}, {}, driven(mechanism, {1.0}, 0.1));
            }).find("not part of the initial state"),
            std::string::npos);
}

}  // namespace design_loops_test
}  // namespace lw
