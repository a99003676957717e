// Motion of mechanisms with loops: minimal and redundant coordinates, generated code and reference, against the
// differential-algebraic equations themselves, which SUNDIALS' IDA solves, and against conservation.
#include <gtest/gtest.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "base/worse.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/loops/loop_plan.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/check/elastic.hpp"
#include "model/coordinate_rates.hpp"
#include "model/read/read.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "simulate/run/run.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace loops_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Way = DrivenOptions::Way;
using Coordinates = DrivenOptions::Coordinates;

// Motors that push as they like, the others not at all.
Torques pushed(const Model<double>& model, double size) {
  std::vector<double> share(static_cast<std::size_t>(model.nv), 0.0);
  for (const JointInfo& j : model.joints) {
    if (j.actuated) share[static_cast<std::size_t>(j.v)] = size * (1.0 + 0.3 * j.v);
  }
  return [share](double t, auto, auto v, std::span<double> tau) {
    for (std::size_t k = 0; k < tau.size(); ++k)
      tau[k] = share[k] * std::cos(3.0 * t + static_cast<double>(k)) - 0.1 * share[k] * v[k];
  };
}

MotionState moved(Driven& system, double duration, const std::string& integrator = "dormand-prince",
                  IntegratorOptions options = {}) {
  MotionState s = system.home();
  system.assemble(s);
  const auto steps = make_integrator(integrator, options);
  while (s.t < duration) advance(*steps, system, s, duration);
  return s;
}

// M(q) v̇ + h − τ − Jᵀλ = 0,  q̇ = rates(q, v + Jᵀμ),  φ(q) = 0,  J v = 0: of index two (Gear, Gupta, Leimkuhler 1985).
//                             Knows the tree
// and the residuals of the closures, and nothing of independent joints.
class Reference {
 public:
  Reference(Model<double> model, Torques torques)
      : model_(std::move(model)), torques_(std::move(torques)), work_(model_) {}

  MotionState run(const MotionState& start, double duration, double tolerance) {
    choose_rows(start.q);
    nq_ = model_.nq, nv_ = model_.nv, m_ = static_cast<Eigen::Index>(rows_.size());
    const Eigen::Index n = nq_ + nv_ + 2 * m_;
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(n, context), yp = N_VNew_Serial(n, context), id = N_VNew_Serial(n, context);
    N_VConst(0.0, y);
    N_VConst(0.0, yp);
    VectorXd rates(nq_);
    coordinate_rates<double>(model_, start.q, start.v, {rates.data(), static_cast<std::size_t>(nq_)});
    std::copy(start.q.begin(), start.q.end(), N_VGetArrayPointer(y));
    std::copy(start.v.begin(), start.v.end(), N_VGetArrayPointer(y) + nq_);
    std::copy(rates.data(), rates.data() + nq_, N_VGetArrayPointer(yp));
    const auto [a, lambda] = accelerations(start);
    std::copy(a.data(), a.data() + nv_, N_VGetArrayPointer(yp) + nq_);
    std::copy(lambda.data(), lambda.data() + m_, N_VGetArrayPointer(y) + nq_ + nv_);
    for (Eigen::Index k = 0; k < n; ++k) N_VGetArrayPointer(id)[k] = k < nq_ + nv_ ? 1.0 : 0.0;
    void* ida = IDACreate(context);
    EXPECT_EQ(IDAInit(ida, residual, 0.0, y, yp), IDA_SUCCESS);
    IDASetUserData(ida, this);
    // multipliers follow from the rest: at short steps their own noise would be all that Newton's method sees
    N_Vector allowed = N_VNew_Serial(n, context);
    for (Eigen::Index k = 0; k < n; ++k) N_VGetArrayPointer(allowed)[k] = k < nq_ + nv_ ? tolerance : 1e3;
    IDASVtolerances(ida, tolerance, allowed);
    IDASetInitStep(ida, 1e-5);
    IDASetId(ida, id);
    IDASetSuppressAlg(ida, 1);
    IDASetMaxNumSteps(ida, 1'000'000);
    IDASetStopTime(ida, duration);
    SUNMatrix matrix = SUNDenseMatrix(n, n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    IDASetLinearSolver(ida, solver, matrix);
    IDASetJacFn(ida, slopes_of_residual);  // its own differences are of no use for variables that are zero
    double t = 0.0;
    const int flag = IDASolve(ida, duration, &t, y, yp, IDA_NORMAL);
    EXPECT_TRUE(flag == IDA_SUCCESS || flag == IDA_TSTOP_RETURN) << flag;
    const double* const x = N_VGetArrayPointer(y);
    MotionState end{t, {x, x + nq_}, {x + nq_, x + nq_ + nv_}, {}};
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(id);
    N_VDestroy(allowed);
    SUNContext_Free(&context);
    return end;
  }

 private:
  // Of all closures as many as say something.
  void choose_rows(const std::vector<double>& q) {
    const ClosureState s = closure_state(model_, work_, q);
    const auto all = static_cast<Eigen::Index>(s.residual.size());
    const MatrixXd J = Eigen::Map<const MatrixXd>(s.jacobian.data(), all, model_.nv);
    Eigen::ColPivHouseholderQR<MatrixXd> qr(J.transpose());
    qr.setThreshold(1e-9);
    rows_.clear();
    for (Eigen::Index k = 0; k < qr.rank(); ++k) rows_.push_back(qr.colsPermutation().indices()[k]);
  }
  MatrixXd jacobian(const std::vector<double>& q, VectorXd& open) {
    const ClosureState s = closure_state(model_, work_, q);
    const auto all = static_cast<Eigen::Index>(s.residual.size());
    const MatrixXd J = Eigen::Map<const MatrixXd>(s.jacobian.data(), all, model_.nv);
    open = Eigen::Map<const VectorXd>(s.residual.data(), all)(rows_);
    return J(rows_, Eigen::all);
  }
  VectorXd missing(double t, const std::vector<double>& q, const std::vector<double>& v, MatrixXd& M) {
    const auto n = static_cast<std::size_t>(model_.nv);
    VectorXd h(model_.nv), tau = VectorXd::Zero(model_.nv);
    M.resize(model_.nv, model_.nv);
    crba<double>(model_, work_, q, {M.data(), n * n});
    bias_forces<double>(model_, work_, q, v, {h.data(), n});
    torques_(t, q, v, {tau.data(), n});
    return tau - h;
  }
  std::pair<VectorXd, VectorXd> accelerations(const MotionState& s) {
    MatrixXd M;
    VectorXd open;
    const VectorXd b = missing(s.t, s.q, s.v, M);
    const MatrixXd J = jacobian(s.q, open);
    // J̇ v by a difference along the motion
    std::vector<double> ahead = s.q, step = s.v;
    const double h = 1e-7;
    for (double& x : step) x *= h;
    lw::advance(model_, ahead, step);
    const VectorXd rate = (jacobian(ahead, open) - J) / h * Eigen::Map<const VectorXd>(s.v.data(), model_.nv);
    MatrixXd K = MatrixXd::Zero(nv_ + m_, nv_ + m_);
    K << M, -J.transpose(), J, MatrixXd::Zero(m_, m_);
    VectorXd r(nv_ + m_);
    r << b, -rate;
    const VectorXd x = K.fullPivLu().solve(r);
    return {x.head(nv_), x.tail(m_)};
  }
  static int residual(double t, N_Vector y, N_Vector yp, N_Vector out, void* self) {
    Reference& r = *static_cast<Reference*>(self);
    const double *const x = N_VGetArrayPointer(y), *const xp = N_VGetArrayPointer(yp);
    const std::vector<double> q(x, x + r.nq_), v(x + r.nq_, x + r.nq_ + r.nv_);
    const Eigen::Map<const VectorXd> lambda(x + r.nq_ + r.nv_, r.m_), mu(x + r.nq_ + r.nv_ + r.m_, r.m_),
        vp(xp + r.nq_, r.nv_);
    MatrixXd M;
    VectorXd open;
    const VectorXd b = r.missing(t, q, v, M);
    const MatrixXd J = r.jacobian(q, open);
    const VectorXd v_all = Eigen::Map<const VectorXd>(v.data(), r.nv_), stabilised = v_all + J.transpose() * mu;
    VectorXd rates(r.nq_);
    coordinate_rates<double>(r.model_, q, {stabilised.data(), v.size()}, {rates.data(), q.size()});
    VectorXd all(r.nq_ + r.nv_ + 2 * r.m_);
    all << Eigen::Map<const VectorXd>(xp, r.nq_) - rates, M * vp - b - J.transpose() * lambda, J * v_all, open;
    std::copy(all.data(), all.data() + all.size(), N_VGetArrayPointer(out));
    return 0;
  }

  static int slopes_of_residual(double t, double c, N_Vector y, N_Vector yp, N_Vector, SUNMatrix to, void* self,
                                N_Vector up, N_Vector down, N_Vector) {
    const Eigen::Index n = N_VGetLength_Serial(y);
    double *const x = N_VGetArrayPointer(y), *const xp = N_VGetArrayPointer(yp);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double value = x[k], rate = xp[k], h = 1e-6 * std::max(1.0, std::abs(value));
      x[k] = value + h, xp[k] = rate + c * h;
      residual(t, y, yp, up, self);
      x[k] = value - h, xp[k] = rate - c * h;
      residual(t, y, yp, down, self);
      x[k] = value, xp[k] = rate;
      for (Eigen::Index i = 0; i < n; ++i)
        SM_ELEMENT_D(to, i, k) = (N_VGetArrayPointer(up)[i] - N_VGetArrayPointer(down)[i]) / (2.0 * h);
    }
    return 0;
  }

  Model<double> model_;
  Torques torques_;
  Workspace<double> work_;
  std::vector<Eigen::Index> rows_;
  Eigen::Index nq_ = 0, nv_ = 0, m_ = 0;
};

double distance(const MotionState& a, const MotionState& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.q.size(); ++k) most = std::max(most, std::abs(a.q[k] - b.q[k]));
  for (std::size_t k = 0; k < a.v.size(); ++k) most = std::max(most, std::abs(a.v[k] - b.v[k]));
  return most;
}

TEST(LoopMotion, IsThatOfTheDifferentialAlgebraicEquations) {
  struct Case {
    const char* model;
    double size, duration;
  };
  for (const Case& c : {Case{"four-bar", 0.4, 1.5}, Case{"planar-3rrr", 20.0, 0.3}, Case{"stewart", 60.0, 0.2}}) {
    const Mechanism m = load(c.model);
    const Torques torques = pushed(instantiate<double>(m), c.size);
    Driven minimal(m, torques, {.way = Way::reference, .friction = false});
    const MotionState end = moved(minimal, c.duration);
    MotionState start = minimal.home();
    minimal.assemble(start);
    EXPECT_GT(distance(start, end), 0.1) << c.model << " hardly moves";
    const MotionState ida = Reference(minimal.model(), torques).run(start, c.duration, 1e-9);
    EXPECT_LT(distance(end, ida), 2e-6) << c.model;
    Driven redundant(m, torques, {.friction = false, .coordinates = Coordinates::redundant});
    EXPECT_LT(distance(end, moved(redundant, c.duration)), 1e-9) << c.model;
  }
}

TEST(LoopMotion, OfCodeIsThatOfTheReference) {
  for (const char* name : {"four-bar", "slider-crank", "five-bar", "planar-3rrr", "stewart", "delta"}) {
    const Mechanism m = load(name);
    const Torques torques = pushed(instantiate<double>(m), std::string(name) == "stewart" ? 60.0 : 0.3);
    Driven reference(m, torques, {.way = Way::reference, .friction = false}),
        compiled(m, torques, {.way = Way::compiled, .friction = false});
    if (compiled.way() != Way::compiled) GTEST_SKIP() << "no compiler";
    EXPECT_EQ(reference.way(), Way::reference);
    const double end = 0.2;
    EXPECT_LT(distance(moved(reference, end), moved(compiled, end)), 1e-9) << name;
    // steps of one length that is long: the guess is far off and code must say so
    EXPECT_LT(distance(moved(reference, end, "rk4", {.step = 0.04}), moved(compiled, end, "rk4", {.step = 0.04})), 1e-9)
        << name;
  }
}

TEST(LoopMotion, KeepsEnergyAndClosuresForAMinute) {
  for (const Coordinates coordinates : {Coordinates::minimal, Coordinates::redundant}) {
    Driven system(load("four-bar"), {}, {.way = Way::reference, .friction = false, .coordinates = coordinates});
    MotionState s = system.home();
    s.v[0] = 15.0;
    system.assemble(s);
    EnergyBalance balance(system, s);
    const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-9, .atol = 1e-9});
    double open = 0.0, turned = 0.0;
    while (s.t < 60.0) {
      advance(*integrator, system, s, 60.0);
      balance.look(s);
      open = std::max(open, system.opening(s));
      turned = std::max(turned, std::abs(s.q[0]));
    }
    EXPECT_GT(turned, 6.3);  // turns on and on
    EXPECT_LT(balance.residual(), 1e-6);
    EXPECT_LT(open, 1e-12);
  }
}

// The same crank and slider, driven at the crank or at the slider.
Mechanism slider_crank(bool slider_leads) {
  Mechanism m = load("slider-crank");
  for (Link& link : m.links) {
    if (link.joint.type == JointType::fixed) continue;
    link.joint.actuated = (link.joint.type == JointType::prismatic) == slider_leads &&
                          (slider_leads || link.joint.name == m.links[0].joint.name);
  }
  return m;
}

TEST(LoopMotion, InRedundantCoordinatesPassesPosesThatTheDrivenJointsDoNotDetermine) {
  Driven crank(slider_crank(false), {}, {.way = Way::reference, .friction = false});
  MotionState start = crank.home();
  start.v[0] = 20.0;
  crank.assemble(start);
  const auto run = [&](Driven& system) {
    MotionState s = start;
    system.assemble(s);
    const auto integrator = make_integrator("dormand-prince", {});
    while (s.t < 2.0) advance(*integrator, system, s, 2.0);
    return s;
  };
  const MotionState wanted = run(crank);
  EXPECT_GT(std::abs(wanted.q[0] - start.q[0]), 2.0 * M_PI);  // through both dead centres
  Driven slider(slider_crank(true), {}, {.friction = false, .coordinates = Coordinates::redundant});
  EXPECT_LT(distance(run(slider), wanted), 1e-7);
  Driven ends(slider_crank(true), {}, {.way = Way::reference, .friction = false});
  EXPECT_THROW(run(ends), Error);
}

TEST(LoopMotion, OfImplicitMethodsIsTheSame) {
  const Mechanism m = load("five-bar");
  const Torques torques = pushed(instantiate<double>(m), 0.2);
  Driven system(m, torques, {.way = Way::reference, .friction = false});
  const MotionState wanted = moved(system, 0.4);
  EXPECT_LT(distance(moved(system, 0.4, "cvode", {.rtol = 1e-10, .atol = 1e-10}), wanted), 1e-6);
  const double coarse = distance(moved(system, 0.4, "implicit-midpoint", {.step = 2e-3}), wanted);
  const double fine = distance(moved(system, 0.4, "implicit-midpoint", {.step = 1e-3}), wanted);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
}

TEST(LoopMotion, JacobianIsTheDifferenceOfAccelerations) {
  Driven system(load("planar-3rrr"), {}, {.way = Way::reference, .friction = false});
  MotionState s = system.home();
  s.v[0] = 1.0;
  system.assemble(s);
  const std::size_t n = s.v.size();
  std::vector<double> d_q(n * n), d_v(n * n), a(n), b(n), none;
  ASSERT_TRUE(system.jacobian(0.0, s.q, s.v, d_q, d_v));
  const double h = 1e-6;
  for (std::size_t k = 0; k < n; ++k) {
    for (const bool velocity : {false, true}) {
      std::vector<double> up = velocity ? s.v : s.q, down = up;
      up[k] += h;
      down[k] -= h;
      system.slopes(0.0, velocity ? s.q : up, velocity ? up : s.v, none, a, {});
      system.slopes(0.0, velocity ? s.q : down, velocity ? down : s.v, none, b, {});
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR((velocity ? d_v : d_q)[k * n + i], (a[i] - b[i]) / (2.0 * h), 1e-4) << k << " " << i << velocity;
      }
    }
  }
}

// Viscous friction in all joints, passive and cut ones among them: what is lost is Σ c ω², by Simpson's rule over the
// motion.
const char* const kLossy = R"(name: lossy
links:
  - {name: crank, parent: base, joint: {type: revolute, axis: -y, actuated: true}, inertia: {mass: 0.3, com: [0.06, 0, 0], tensor: [0.00001, 0.0004, 0.0004]}, friction: {viscous: 0.002}}
  - {name: coupler, parent: crank, joint: {type: revolute, axis: -y, origin: {xyz: [0.12, 0, 0]}}, inertia: {mass: 0.9, com: [0.18, 0, 0], tensor: [0.00002, 0.01, 0.01]}, friction: {viscous: 0.003}}
  - {name: rocker, parent: base, joint: {type: revolute, axis: -y, origin: {xyz: [0.4, 0, 0]}}, inertia: {mass: 0.7, com: [0.14, 0, 0], tensor: [0.00002, 0.005, 0.005]}, friction: {viscous: 0.005}}
loops:
  - {name: pin, joint: {type: revolute, axis: -y}, between: [coupler, rocker], at: {coupler: {xyz: [0.36, 0, 0]}, rocker: {xyz: [0.28, 0, 0]}}, friction: {viscous: 0.004}}
home: {crank: 1.0472, coupler: -0.4, rocker: 2.0}
)";

TEST(LoopMotion, LosesWhatItsJointsTurnInto) {
  Driven lossy(mechanism_of(kLossy), {}, {.way = Way::reference});
  ASSERT_TRUE(lossy.has_losses());
  MotionState s = lossy.home();
  s.q[1] = lossy.model().home[1] + 1e-3;  // a guess near home's mode
  s.v[0] = 4.0;
  lossy.assemble(s);
  EnergyBalance balance(lossy, s);
  const auto integrator = make_integrator("rk4", {.step = 5e-4});
  const auto rate = [](const MotionState& x) {
    const double pin = x.v[0] + x.v[1] - x.v[2];
    return 0.002 * x.v[0] * x.v[0] + 0.003 * x.v[1] * x.v[1] + 0.005 * x.v[2] * x.v[2] + 0.004 * pin * pin;
  };
  double lost = 0.0;
  const double h = 5e-4;
  for (int k = 0; k < 1000; ++k) {
    const double first = rate(s);
    advance(*integrator, lossy, s, s.t + h);
    const double middle = rate(s);
    advance(*integrator, lossy, s, s.t + h);
    lost += h / 3.0 * (first + 4.0 * middle + rate(s));
  }
  EXPECT_GT(lost, 0.01);
  EXPECT_NEAR(s.z[1], lost, 1e-8 * lost);
  balance.look(s);
  EXPECT_LT(balance.residual(), 1e-8);
}

// Friction that is in a cut joint and nowhere else is friction.
TEST(LoopMotion, LosesWhatACutJointAloneTurnsInto) {
  std::string text = kLossy;
  for (const char* viscous : {"0.002", "0.003", "0.005"}) {
    const std::string own = std::string(", friction: {viscous: ") + viscous + "}";
    text.erase(text.find(own), own.size());
  }
  const Mechanism m = mechanism_of(text);
  Driven lossy(m, {}, {.way = Way::reference});
  ASSERT_TRUE(lossy.has_losses());
  MotionState s = lossy.home();
  s.v[0] = 4.0;
  lossy.assemble(s);
  const auto integrator = make_integrator("rk4", {.step = 5e-4});
  const auto rate = [](const MotionState& x) { return 0.004 * std::pow(x.v[0] + x.v[1] - x.v[2], 2); };
  double lost = 0.0;
  const double h = 5e-4;
  for (int k = 0; k < 400; ++k) {
    const double first = rate(s);
    advance(*integrator, lossy, s, s.t + h);
    const double middle = rate(s);
    advance(*integrator, lossy, s, s.t + h);
    lost += h / 3.0 * (first + 4.0 * middle + rate(s));
  }
  EXPECT_GT(lost, 1e-3);
  EXPECT_NEAR(s.z[1], lost, 1e-8 * lost);
  // other coordinates, the same losses
  Driven other(m, {}, {.way = Way::reference, .coordinates = Coordinates::redundant});
  MotionState r = other.home();
  r.v[0] = 4.0;
  other.assemble(r);
  const auto adaptive = make_integrator("dormand-prince", {});
  while (r.t < s.t) advance(*adaptive, other, r, s.t);
  EXPECT_NEAR(r.z[1], lost, 1e-8 * lost);
  EXPECT_LT(largest_difference(r.q, s.q), 1e-8);
}

// Dry friction in the crank alone takes its torque times the way that the crank turns, back and forth; and then it
// holds.
TEST(LoopMotion, ComesToRestByDryFriction) {
  std::string text = kLossy;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  constexpr double kDry = 0.15;
  replace(", friction: {viscous: 0.002}", ", friction: {coulomb: 0.15}");
  replace(", friction: {viscous: 0.003}", "");
  replace(", friction: {viscous: 0.005}", "");
  replace(", friction: {viscous: 0.004}", "");
  Driven system(mechanism_of(text.c_str()), {}, {.way = Way::reference});
  ASSERT_TRUE(system.is_dry());
  MotionState s = system.home();
  s.v[0] = 6.0;
  system.assemble(s);
  EnergyBalance balance(system, s);
  const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-11, .atol = 1e-11});
  double way = 0.0;
  int turns = 0, stops = 0;
  while (s.t < 5.0) {
    const double before = s.q[0];
    const Advance step = advance(*integrator, system, s, 5.0);
    turns += step.friction_changed ? 1 : 0;
    stops += static_cast<int>(step.came_to_rest.size());
    way += std::abs(s.q[0] - before);
    balance.look(s);
  }
  EXPECT_GE(turns, 2);  // swings back before it rests
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(s.v[0], 0.0);
  EXPECT_NEAR(s.z[1], kDry * way, 1e-8);
  EXPECT_LT(balance.residual(), 1e-8);
  // held: without friction it would move
  Driven free(mechanism_of(text.c_str()), {}, {.way = Way::reference, .friction = false});
  std::vector<double> a(3), none;
  free.slopes(0.0, s.q, s.v, none, a, {});
  EXPECT_GT(std::abs(a[0]), 0.1);
  system.slopes(0.0, s.q, s.v, s.z, a, {});
  EXPECT_EQ(a[0], 0.0);
}

TEST(LoopMotion, BeginsWhereItCanAndSaysWhereItCannot) {
  Driven system(load("four-bar"), {}, {.way = Way::reference});
  const auto complaint = [&](MotionState s) {
    try {
      system.assemble(s);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  MotionState s = system.home();
  s.v[2] = 1.0;
  EXPECT_NE(complaint(s).find("`rocker` cannot start with a velocity of 1"), std::string::npos) << complaint(s);
  // the other mode, by a guess
  MotionState other = system.home();
  other.q[2] = -other.q[2];
  other.q[1] = -other.q[1] - 2.0 * other.q[0];
  system.assemble(other);
  EXPECT_LT(other.q[2], 0.0);
  EXPECT_LT(system.opening(other), 1e-12);
}

Scenario loop_scenario(const Driven& of, const Mechanism& m, const std::string& text) {
  const ScenarioResult r = read_scenario_text("scenario: 1\n" + text, "loop.yaml", m, of.model());
  EXPECT_TRUE(r.scenario) << (r.diagnostics.empty() ? "" : r.diagnostics[0].message);
  return *r.scenario;
}

TEST(LoopMotion, EventsOnFollowersHappenOnceAndSetLeadersInEitherCoordinates) {
  const Mechanism m = load("four-bar");
  const Driven of(m, {}, {.way = Way::reference});
  for (const double rocker : {1.7, 1.75, 1.8, 1.85, 1.9}) {
    std::vector<double> halved;
    for (const char* coordinates : {"minimal", "redundant"}) {
      const Scenario s = loop_scenario(of, m,
                                       fmt::format("coordinates: {}\ninitial: {{qd: {{crank: 8}}}}\nevents:\n  - "
                                                   "{{name: there, crossing: q.rocker - {}, once: "
                                                   "false, direction: up, set: {{qd.crank: 0.5*qd.crank}}}}\n",
                                                   coordinates, rocker));
      ScenarioDriven scene(m, s, Way::reference);
      const auto integrator = make_integrator("dormand-prince", s.options);
      struct Seen : RunListener {
        std::vector<RunEvent> events;
        std::vector<double> after;
        bool wait = false;
        void event(const RunEvent& e) override { events.push_back(e), wait = true; }
        void row(const RunRow& r) override {
          if (wait) after.push_back(r.qd[0]);
          wait = false;
        }
      } seen;
      const RunResult r = run(scene, *integrator, s, {0.3, 1e-4, {&seen}, {}});
      ASSERT_EQ(r.end, RunResult::End::duration) << r.ended_by;
      for (std::size_t k = 1; k < seen.events.size(); ++k)
        EXPECT_GT(seen.events[k].t, seen.events[k - 1].t + 1e-6) << rocker;
      ASSERT_FALSE(seen.after.empty());
      EXPECT_NEAR(seen.after[0], 0.5 * seen.events[0].qd[0], 0.05) << coordinates;  // a row later
      halved.push_back(r.final.q[0]);
    }
    EXPECT_NEAR(halved[0], halved[1], 1e-6) << rocker;
  }
  const ScenarioResult follower =
      read_scenario_text("scenario: 1\nevents:\n  - {time: 1, set: {qd.rocker: 0}}\n", "f.yaml", m, of.model());
  EXPECT_FALSE(follower.scenario);
}

TEST(LoopMotion, AFailedRunKeepsItsLastGoodState) {
  const Mechanism m = load("planar-3rrr");
  Scenario s = free_motion(with_drivers(instantiate<double>(m)));
  s.friction = false;
  ScenarioDriven scene(m, s, Way::reference);
  const auto integrator = make_integrator("dormand-prince", s.options);
  struct Energies : RunListener {
    std::vector<double> sum;
    void row(const RunRow& r) override { sum.push_back(r.kinetic + r.potential); }
  } energies;
  const RunResult r = run(scene, *integrator, s, {1.0, 0.01, {&energies}, {}});
  ASSERT_EQ(r.end, RunResult::End::failed);  // its mode ends on the way down
  for (const double e : energies.sum) EXPECT_NEAR(e, energies.sum[0], 1e-6 * std::abs(energies.sum[0]));
}

// Parallelograms in a horizontal plane: their cranks turn as fast as they began, and at 180° the coupler may go on
// either way.
std::string parallelograms(int count) {
  std::string links, loops, home;
  for (int k = 0; k < count; ++k) {
    const std::string parent = k == 0 ? "base" : "left0";
    if (k == 0)
      links +=
          "  - {name: left0, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, com: [0.2, 0, "
          "0], tensor: [1, 1, 1]}}\n";
    links += fmt::format(
        "  - {{name: coupler{0}, parent: left0, joint: {{type: revolute, origin: {{xyz: [0.5, 0, 0]}}}}, inertia: "
        "{{mass: 1, tensor: [1, 1, 1]}}}}\n"
        "  - {{name: right{0}, parent: base, joint: {{type: revolute, origin: {{xyz: [{1}, 0, 0]}}}}, inertia: {{mass: "
        "1, tensor: [1, 1, 1]}}}}\n",
        k, k == 0 ? 1.0 : -1.0);
    loops += fmt::format(
        "  - {{name: pin{0}, joint: {{type: revolute}}, between: [coupler{0}, right{0}], at: {{coupler{0}: {{xyz: "
        "[{1}, 0, 0]}}, right{0}: {{xyz: [0.5, 0, 0]}}}}}}\n",
        k, k == 0 ? 1.0 : -1.0);
    home += fmt::format(", coupler{0}: -60 deg, right{0}: 60 deg", k);
  }
  return "name: parallelograms\nlinks:\n" + links + "loops:\n" + loops + "home: {left0: 60 deg" + home + "}\n";
}

// Stretched flat, a parallelogram could go on as an antiparallelogram. Its velocity is that of the parallelogram, and
// so is what follows: without gravity every bar turns with the crank, at a constant rate.
TEST(LoopMotion, StaysOnItsBranchHoweverLongTheStep) {
  for (const int count : {1, 2}) {
    for (const double sample : {1.2, 0.01}) {
      for (const Coordinates coordinates : {Coordinates::minimal, Coordinates::redundant}) {
        const Mechanism m = mechanism_of(parallelograms(count));
        Scenario s = free_motion(with_drivers(instantiate<double>(m)));
        s.qd[0] = 5.0;
        s.redundant = coordinates == Coordinates::redundant;
        ScenarioDriven scene(m, s, Way::reference);
        const auto integrator = make_integrator("dormand-prince", s.options);
        const RunResult r = run(scene, *integrator, s, {1.2, sample, {}, {}});
        ASSERT_EQ(r.end, RunResult::End::duration) << count << " " << sample << ": " << r.ended_by;
        EXPECT_NEAR(r.final.q[0], M_PI / 3.0 + 5.0 * 1.2, 1e-10);
        for (const double v : r.final.v) EXPECT_NEAR(std::abs(v), 5.0, 1e-8);
      }
    }
  }
}

TEST(LoopMotion, OfNothingIsRefused) {
  const char* text = R"(name: bars
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops: [{name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}]
)";
  for (const Coordinates coordinates : {Coordinates::minimal, Coordinates::redundant}) {
    Driven system(mechanism_of(text), {}, {.way = Way::reference, .coordinates = coordinates});
    std::string said;
    try {
      moved(system, 0.1);
    } catch (const Error& e) {
      said = e.what();
    }
    EXPECT_NE(said.find("nothing resists an acceleration in which `"), std::string::npos) << said;
  }
}

// Freedoms that nobody drives: what hangs on a linkage, the shaft of an elastic drive, a base that floats. The same
// motion by the differential-algebraic equations, in redundant coordinates and by generated code, and with the energy
// that it began with.
Mechanism floating_four_bar() {
  Mechanism m = load("four-bar");
  Link hull;
  hull.name = hull.joint.name = "hull";
  hull.parent = m.base;
  hull.joint.type = JointType::floating;
  hull.joint.actuated = false;
  hull.inertia = m.links[0].inertia;
  for (Link& link : m.links) {
    if (link.parent == m.base) link.parent = "hull";
  }
  m.links.insert(m.links.begin(), hull);
  return m;
}
TEST(LoopMotion, NeedsNoMotorForEveryFreedom) {
  Mechanism hung = load("four-bar");
  Link pendulum = hung.links[1];
  pendulum.name = pendulum.joint.name = "pendulum";
  pendulum.parent = "coupler";
  hung.links.push_back(pendulum);
  Mechanism elastic = load("four-bar");
  elastic.links[0].joint.drive.emplace();
  elastic.links[0].joint.drive->ratio = 10.0;
  elastic.links[0].joint.drive->rotor_inertia = 1e-4;
  elastic.links[0].joint.drive->stiffness = 5.0;
  struct Case {
    std::string name;
    Mechanism mechanism;
    std::size_t free;
  };
  const std::vector<Case> cases{
      {"hung", hung, 1}, {"elastic", with_elastic_drives(elastic), 1}, {"floating", floating_four_bar(), 6}};
  for (const Case& c : cases) {
    const LoopPlan plan = plan_loops(with_drivers(instantiate<double>(c.mechanism)));
    EXPECT_EQ(plan.undriven().size(), c.free) << c.name;
    const Torques torques = pushed(instantiate<double>(c.mechanism), 0.1);
    Driven minimal(c.mechanism, torques, {.way = Way::reference, .friction = false});
    MotionState start = minimal.home();
    minimal.assemble(start);
    const MotionState end = moved(minimal, 0.4);
    EXPECT_GT(distance(start, end), 0.1) << c.name;
    EXPECT_LT(minimal.opening(end), 1e-12) << c.name;
    const MotionState ida = Reference(minimal.model(), torques).run(start, 0.4, 1e-9);
    EXPECT_LT(distance(end, ida), 2e-6) << c.name;
    Driven redundant(c.mechanism, torques, {.friction = false, .coordinates = Coordinates::redundant});
    EXPECT_LT(distance(end, moved(redundant, 0.4)), 1e-8) << c.name;
    Driven compiled(c.mechanism, torques, {.way = Way::compiled, .friction = false});
    if (compiled.way() == Way::compiled) {
      EXPECT_LT(distance(end, moved(compiled, 0.4)), 1e-9) << c.name;
    }
    Driven free(c.mechanism, {}, {.way = Way::reference, .friction = false});
    EnergyBalance balance(free, start);
    balance.look(moved(free, 2.0));
    EXPECT_LT(balance.residual(), 1e-9) << c.name;
  }
}

}  // namespace loops_test
}  // namespace lw
