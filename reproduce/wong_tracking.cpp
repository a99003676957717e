#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/integrate/integrator.hpp"
#include "simulate/motion/driven.hpp"
#include "wong.hpp"

// Wong 1991, figure 3.2 with sections 3.5.1 and 3.5.2: inverse dynamics computes the torques of the profile (3.43),
// which drive forward dynamics and an integrator from the same start. Nothing corrects the motion, so that it departs
// from the profile by what the integrator errs, and by how errors grow: small on the PUMA 600, much larger on the
// torso, whose arms are thrown up.
namespace lw::reproduce {
namespace {

// θ_d − θ and its rates, in degrees: of each joint where it is largest.
struct Departure {
  Vector angle, rate, acceleration;
  std::vector<Vector> course;  // t, then θ_d − θ of all joints
};

Departure open_loop(const Model<double>& model, double T, double h) {
  Driven system(model,
                [&](double t, auto, auto, std::span<double> tau) {
                  const Vector needed = wong_torque(model, t, T);
                  std::copy(needed.begin(), needed.end(), tau.begin());
                },
                {.friction = false, .work = false});
  MotionState state = system.home();
  std::fill(state.q.begin(), state.q.end(), 0.0);
  const std::size_t n = state.v.size();
  Departure d{Vector(n, 0.0), Vector(n, 0.0), Vector(n, 0.0), {}};
  Vector a(n);
  const auto keep = [](double& largest, double error) {
    if (std::abs(error) > std::abs(largest)) largest = error;
  };
  const auto rk4 = make_integrator("rk4", {.step = h});
  while (state.t < T) {
    rk4->step(system, state, T);
    system.slopes(state.t, state.q, state.v, state.z, a, {});
    const WongProfile wanted = wong_profile(state.t, T);
    Vector row{state.t};
    for (std::size_t j = 0; j < n; ++j) {
      row.push_back((wanted.q - state.q[j]) / kDegree);
      keep(d.angle[j], row.back());
      keep(d.rate[j], (wanted.qd - state.v[j]) / kDegree);
      keep(d.acceleration[j], (wanted.qdd - a[j]) / kDegree);
    }
    d.course.push_back(std::move(row));
  }
  return d;
}

void puma_tracking(Experiment& e) {
  const Source data = recomputed("wong.py", "data of section 3.5.1");
  const Departure d = open_loop(embedded("puma600"), 10.0, 0.01);
  const Vector sixth{d.angle[5], d.rate[5], d.acceleration[5]};
  e.compare("puma.sixth", "PUMA 600, largest error of joint 6: angle (deg), rate (deg/s), acceleration (deg/s²)", data,
            {-8.34e-5, -5.19e-5, 6.52e-5}, sixth, relative(0.01),
            "RK4, h = 0.01 s, 10 s; references have three digits.");
  e.compare("puma.sixth-printed", "the same beside what the thesis names", "section 3.5.1", {-1e-4, -5e-5, 6e-5}, sixth,
            relative(0.2), "Read off curves, one digit each.");
  e.compare("puma.angle", "largest θ_d − θ of joints 1 to 6 (deg)", data,
            {7.68e-4, 1.14e-4, 2.28e-2, -8.62e-4, 2.18e-2, -8.34e-5}, d.angle, relative(0.01));
  e.compare("puma.rate", "largest error of θ̇ (deg/s)", data, {1.79e-3, 1.50e-4, 5.71e-2, -1.84e-3, 5.43e-2, -5.19e-5},
            d.rate, relative(0.01));
  e.compare("puma.acceleration", "largest error of θ̈ (deg/s²)", data,
            {4.47e-3, 2.72e-4, 0.143, -4.47e-3, 0.135, 6.52e-5}, d.acceleration, relative(0.01));
  const Departure coarse = open_loop(embedded("puma600"), 10.0, 0.02);
  e.compare("puma.coarse", "joint 6 with h = 0.02 s (deg)", data, -1.31e-3, coarse.angle[5], relative(0.01));
  e.compare("puma.order", "by which the error of joint 6 grows with twice the step", data, 15.7,
            coarse.angle[5] / d.angle[5], absolute(0.05), "Fourth order: about 16.");

  Plot plot{"PUMA 600 driven by computed torques, RK4, h = 0.01 s: joint 6", "time (s)", "θ_d − θ (10⁻⁴ deg)", {}};
  Series s{"joint 6", {}, {}};
  for (const Vector& row : d.course) s.x.push_back(row[0]), s.y.push_back(1e4 * row[6]);
  plot.series = {s};
  e.plots.push_back(plot);
}

// When each joint is first more than a degree off.
Vector lost_at(const Departure& d) {
  Vector first(d.angle.size(), HUGE_VAL);
  for (const Vector& row : d.course) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      if (!(std::abs(row[j + 1]) <= 1.0)) first[j] = std::min(first[j], row[0]);
    }
  }
  return first;
}

void torso_tracking(Experiment& e) {
  const Source data = recomputed("wong.py", "data of section 3.5.2");
  const Departure printed = open_loop(embedded("torso-wong"), 5.0, 0.001),
                  right = open_loop(embedded("torso"), 5.0, 0.001);
  e.compare("torso.sixth", "torso, largest error of joint 6, inertias as printed, and set right (deg)", data,
            {-0.026, -0.057}, {printed.angle[5], right.angle[5]}, absolute(5e-4),
            "RK4, h = 0.001 s, 5 s; given to three decimals.");
  const Vector lost = lost_at(open_loop(embedded("torso"), 5.0, 0.01));
  const char* unstable = "Larger steps than 0.001 s were unstable in the thesis too.";
  e.compare("torso.lost", "torso with h = 0.01 s, inertias set right: when a joint is first more than 1° off (s)", data,
            2.5, *std::min_element(lost.begin(), lost.end()), absolute(0.05), unstable);
  e.compare("torso.arms", "the same: how many joints of the arms, 3 to 6, are lost within 5 s",
            property("the thesis found larger steps unstable"), 4.0,
            static_cast<double>(std::count_if(lost.begin() + 2, lost.end(), [](double t) { return t < 5.0; })),
            absolute(0.0),
            "The first to be lost, at 2.5 s, is the head. Another calculation on these data names the joints of the "
            "arms for that instant: "
            "here they follow at 3.6 and 3.9 s.");
  e.compare("torso.kept", "the same with h = 0.001 s: joints that are ever more than 1° off",
            property("section 3.5.2: stable with this step"), 0.0,
            static_cast<double>(
                std::count_if(right.angle.begin(), right.angle.end(), [](double x) { return !(std::abs(x) <= 1.0); })),
            absolute(0.0));
}

}  // namespace

Experiment wong_tracking() {
  Experiment e(
      "wong", "wong.tracking", "Driven by computed torques, without correction (sections 3.5.1 and 3.5.2)",
      "Torques of inverse dynamics along the profile drive forward dynamics. What the motion departs by is the "
      "integrator's error, grown; the thesis shows it as curves.");
  puma_tracking(e);
  torso_tracking(e);
  return e;
}

}  // namespace lw::reproduce
