#include "experiments.hpp"

#include <cmath>
#include <functional>

#include <Eigen/Core>

#include "base/linear.hpp"
#include "base/worse.hpp"
#include "dhanaraj_d4.hpp"
#include "dhanaraj_line.hpp"
#include "simulate/integrate/integrator.hpp"
#include "simulate/motion/driven.hpp"

// Dhanaraj 1990, appendix D.4: his simulation program. Gill's form of Runge-Kutta with steps of 0.02 s, torques from a
// table of 201 rows, 0.01 s apart, so that every stage of a step falls on a row. The rows are lost; what can be run
// again is the free motion of his equations, the hold against gravity, and a round trip: torques of a motion, and that
// motion back from them.
namespace lw::reproduce {
namespace {

using JointTorques = std::function<Vector(double t)>;

// D(q) q̈ = τ − h(q, q̇) with any D and h: the printed ones are no mechanism's.
class ClosedForm : public System {
 public:
  using Matrix = std::function<Vector(const Vector& q)>;
  using Bias = std::function<Vector(const Vector& q, const Vector& v)>;
  ClosedForm(Matrix D, Bias h, JointTorques tau)
      : System(d4_arm(kD4MassOfD)), D_(std::move(D)), h_(std::move(h)), tau_(std::move(tau)) {}

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double>,
              std::span<double> a, std::span<double>) override {
    const Vector here(q.begin(), q.end()), D = D_(here);
    Vector rest = h_(here, {v.begin(), v.end()});
    const Vector tau = tau_(t);
    for (std::size_t k = 0; k < 3; ++k) rest[k] = tau[k] - rest[k];
    Eigen::Map<Eigen::Vector3d>(a.data()) =
        solve_positive(Eigen::Map<const Eigen::Matrix3d>(D.data()), Eigen::Map<const Eigen::Vector3d>(rest.data()));
    require_finite(t, q, v, a);
  }

 private:
  Matrix D_;
  Bias h_;
  JointTorques tau_;
};

Vector no_torque(double) { return {0, 0, 0}; }

MotionState from_d4_start(System& system, Integrator& integrator, double duration,
                          const std::function<void(const MotionState&)>& seen = {}) {
  MotionState state = system.home();
  state.q = kD4Start;
  while (state.t < duration) {
    integrator.step(system, state, duration);
    if (seen) seen(state);
  }
  return state;
}

void free_motion_of_print(Experiment& e) {
  const Source source = recomputed("dhanaraj.py", "integration of the equations of appendix D.4");
  ClosedForm printed(d4_mass_matrix, d4_bias, no_torque);
  Vector qdd(3);
  const Vector rest(3, 0.0);
  printed.slopes(0.0, kD4Start, rest, {}, qdd, {});
  e.compare("free.start", "q̈ without torque at the start of his simulation (rad/s²)", source,
            {0.0335756, -5.0914338, 8.9880055}, qdd, absolute(5e-8), "Given to seven decimals.");
  const MotionState end = from_d4_start(printed, *make_integrator("gill", {.step = 1e-3}), 0.2);
  const char* digits = "Printed D and h, Gill's method, h = 0.001 s; given to eight decimals.";
  e.compare("free.q", "q after 0.2 s (rad)", source, {3.70087361, 2.20741188, 0.77327375}, end.q, absolute(1e-8),
            digits);
  e.compare("free.qd", "q̇ after 0.2 s (rad/s)", source, {0.01686864, -0.99845220, 1.76298369}, end.v, absolute(1e-8),
            digits);

  // the same from the library's mass matrix and bias, of the two arms whose equations were printed as one
  const Model<double> of_D = d4_arm(kD4MassOfD), of_h = d4_arm(kD4MassOfBias);
  ClosedForm ours([&](const Vector& q) { return mass_matrix(of_D, q); },
                  [&](const Vector& q, const Vector& v) { return bias(of_h, q, v); }, no_torque);
  const MotionState by_ours = from_d4_start(ours, *make_integrator("gill", {.step = 1e-3}), 0.2);
  e.compare("free.library", "q after 0.2 s, D of 16.04 kg and h of 16.05 kg by composite bodies and Newton-Euler (rad)",
            source, {3.70087361, 2.20741188, 0.77327375}, by_ours.q, absolute(1e-6),
            "The print's coefficients have seven digits.");

  const auto departs = [&](double h) {
    const MotionState coarse = from_d4_start(printed, *make_integrator("gill", {.step = h}), 0.2);
    return std::max(largest_difference(coarse.q, end.q), largest_difference(coarse.v, end.v));
  };
  e.compare("free.order", "order by which that motion's error falls from his step, 0.02 s, to 0.01 s",
            property("Gill's method has order 4"), 4.0, std::log2(departs(0.02) / departs(0.01)), absolute(0.2));
}

void gravity_hold(Experiment& e) {
  const Source holds = property("experiment of appendix D.4: torques h(q, 0) hold the arm");
  const Vector printed_hold = d4_bias(kD4Start, {0, 0, 0});
  ClosedForm printed(d4_mass_matrix, d4_bias, [&](double) { return printed_hold; });
  const MotionState end = from_d4_start(printed, *make_integrator("gill", {.step = 0.02}), 2.0);
  e.compare("hold.printed", "printed D and h, τ = h(q₀, 0): motion in 2 s (rad)", holds, 0.0,
            largest_difference(end.q, kD4Start), absolute(0.0), "The right-hand side is zero in every bit.");
  // of a mechanism, whose forward dynamics knows nothing of the bias that it is held by
  const Model<double> model = d4_arm(kD4MassOfBias);
  const Vector hold = gravity(model, kD4Start);
  Driven arm(model,
             [&](double, auto, auto, std::span<double> tau) { std::copy(hold.begin(), hold.end(), tau.begin()); },
             {.friction = false, .work = false});
  double off = 0.0;
  from_d4_start(arm, *make_integrator("gill", {.step = 0.02}), 2.0,
                [&](const MotionState& s) { off = worse(off, largest_difference(s.q, kD4Start)); });
  e.compare("hold.library", "16.05 kg, articulated bodies, the same: motion in 2 s (rad)", holds, 0.0, off,
            absolute(1e-11), "Round-off is all that moves it.");
  // it would leave, were the torques a tenth too small
  Driven weak(model,
              [&](double, auto, auto, std::span<double> tau) {
                for (std::size_t k = 0; k < 3; ++k) tau[k] = 0.9 * hold[k];
              },
              {.friction = false, .work = false});
  const MotionState fell = from_d4_start(weak, *make_integrator("gill", {.step = 0.02}), 2.0);
  e.compare("hold.weak", "with torques a tenth too small it leaves by more than a degree (1: it does)",
            property("the balance is a balance of torques"), 1.0,
            largest_difference(fell.q, kD4Start) > kDegree ? 1.0 : 0.0, absolute(0.0));
}

// Torques of the line's motion by the printed equations, in rows; the motion back from them.
void line_round_trip(Experiment& e) {
  const Model<double> kinematic = d13_arm();
  // every `h` has a row at its beginning, middle and end
  const auto departs = [&](double h) {
    const int rows = static_cast<int>(std::lround(2.0 * kD13Duration / h)) + 1;
    const std::vector<JointSample> motion = d13_line(kinematic, 0.4, rows, kD4Start).motion;
    std::vector<Vector> table;
    for (const JointSample& s : motion) {
      const Vector D = d4_mass_matrix(s.q);
      Vector tau = d4_bias(s.q, s.qd);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) tau[i] += D[3 * i + j] * s.qdd[j];
      }
      table.push_back(std::move(tau));
    }
    ClosedForm arm(d4_mass_matrix, d4_bias,
                   [&](double t) { return table[static_cast<std::size_t>(std::lround(2.0 * t / h))]; });
    MotionState state = arm.home();
    state.q = motion.front().q;
    const auto gill = make_integrator("gill", {.step = h});
    double off = 0.0;
    for (std::size_t k = 2; k < motion.size(); k += 2) {
      gill->step(arm, state, motion[k].t);
      off = worse(off, largest_difference(state.q, motion[k].q));
    }
    return off;
  };
  const double his = departs(0.02), half = departs(0.01), fine = departs(0.002);
  const Source back = property("the motion comes back from its torques");
  e.compare("round-trip.fine",
            "line px = 0.4, printed D and h: torques of the motion, and the motion from them, h = 0.002 s (rad)", back,
            0.0, fine, absolute(1e-8));
  e.compare("round-trip.order", "order by which what it is off by falls from his step, 0.02 s, to 0.01 s",
            property("Gill's method has order 4"), 4.0, std::log2(his / half), absolute(0.3));
}

}  // namespace

Experiment dhanaraj_motion() {
  Experiment e("dhanaraj", "dhanaraj.motion", "Simulation: free motion, gravity hold, round trip (appendix D.4)",
               "His equations of motion as printed, integrated by Gill's method as in his program. D and h belong to "
               "masses of link 3 that differ by 0.01 kg, so that no mechanism moves like them; they are "
               "integrated as they stand. His torques are lost: the round trip takes a line of its own.");
  free_motion_of_print(e);
  gravity_hold(e);
  line_round_trip(e);
  return e;
}

}  // namespace lw::reproduce
