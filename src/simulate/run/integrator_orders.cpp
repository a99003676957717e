#include "integrator_orders.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "../../base/largest.hpp"
#include "../../base/worse.hpp"
#include "../integrate/advance.hpp"
#include "../scenario/scene.hpp"

namespace lw {
namespace {

constexpr double kLongestCourse = 0.5;   // seconds
constexpr double kSmallestTold = 5e-13;  // of errors that are told from round-off
constexpr long kMostPaces = 2000;        // of what swings ten million times a second no more is learnt by waiting

// How fast a motion changes: the shortest step that it takes to err by no more than a millionth. And how far it goes:
// loops may come to a pose at which their mode ends.
struct Pace {
  double step = kLongestCourse, reach = kLongestCourse;
};
Pace pace_of(const Mechanism& mechanism, const Scenario& scenario) {
  ScenarioDriven scene(mechanism, scenario, DrivenOptions::Way::reference);
  MotionState state = scene.start();
  const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-6, .atol = 1e-6});
  Pace pace;
  std::vector<std::pair<double, double>> steps;  // when, and how long
  while (state.t < kLongestCourse && integrator->counts().steps < kMostPaces) {
    const double from = state.t;
    try {
      advance(*integrator, scene, state, kLongestCourse);
    } catch (const Error&) {
      if (from == 0.0) throw;
      pace.reach = 0.5 * from;  // near the end of a mode steps are short
      break;
    }
    const bool own = from > 0.0 && state.t < kLongestCourse;  // not the first, nor what is left
    if (own) steps.emplace_back(from, state.t - from);
  }
  for (const auto& [when, length] : steps) {
    if (when < pace.reach) pace.step = std::min(pace.step, length);
  }
  return pace;
}

Eigen::VectorXd end_of(const Mechanism& mechanism, const Scenario& scenario, const char* method, double duration,
                       double step) {
  ScenarioDriven scene(mechanism, scenario, DrivenOptions::Way::reference);
  MotionState state = scene.start();
  const auto integrator = make_integrator(method, {.step = step});
  while (state.t < duration) advance(*integrator, scene, state, duration);
  state.q.insert(state.q.end(), state.v.begin(), state.v.end());
  return Eigen::Map<const Eigen::VectorXd>(state.q.data(), static_cast<Eigen::Index>(state.q.size()));
}

}  // namespace

std::vector<ConvergenceCurve> integrator_orders(const Mechanism& mechanism, const Scenario& scenario) {
  const Pace pace = pace_of(mechanism, scenario);
  const double duration = std::min(pace.reach, 8.0 * pace.step);
  const Eigen::VectorXd exact = end_of(mechanism, scenario, "verner", duration, duration / 4096.0);
  const double size = exact.cwiseAbs().maxCoeff();
  std::vector<ConvergenceCurve> curves;
  const std::pair<const char*, int> methods[] = {
      {"semi-implicit-euler", 1}, {"taylor", 1}, {"implicit-midpoint", 2}, {"rk4", 4}, {"gill", 4}, {"verner", 6}};
  for (const auto& [method, nominal] : methods) {
    ConvergenceCurve c{method, nominal, 0.0, {}, {}, false};
    double before = 0.0;
    double last = 0.0;
    for (int halvings = 1; halvings <= 12; ++halvings) {
      const double h = duration / std::pow(2.0, halvings);
      double error = HUGE_VAL;
      try {
        error = largest(end_of(mechanism, scenario, method, duration, h) - exact) / size;
      } catch (const Error&) {
        // a step that is too long for this method
      }
      // between the size of the motion and where round-off shows. Orders come out too low as long as steps are long,
      // and an error that changes its sign makes single pairs too flat: of the last two the steeper one
      const bool measurable = error > kSmallestTold && before < 1e-2 && before > 0.0;
      if (measurable) {
        c.compared = true;
        const double steep = std::log2(before / error);
        c.measured = std::max(steep, last);
        last = steep;
      }
      c.step.push_back(h);
      c.error.push_back(error);
      before = error;
      if (error < kSmallestTold || (c.measured > 0.0 && nominal <= 2 && error < 1e-4)) break;
    }
    curves.push_back(std::move(c));
  }
  return curves;
}

}  // namespace lw
