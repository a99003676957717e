#include "run_guard.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../dynamics/kinematics/closure.hpp"
#include "../integrate/advance.hpp"

namespace lw {
namespace {

constexpr long kEvery = 64;
constexpr double kMargin = 10.0, kFloor = 1e-6;
constexpr double kOpen = 1e-8;
constexpr double kJump = 1e-2;
constexpr double kMostPart = 0.1, kWarn = 1e-2;  // of the energy in play, whatever the method's own error is,
constexpr long kFewSteps = 50;                   // when some has come into play
constexpr int kSlow = 2000;                      // steps in a row,
constexpr double kNoProgress = 1e-9;             // that together advance by this part of the run, or of a second

bool is_first_order(const std::string& integrator) {
  return integrator == "semi-implicit-euler" || integrator == "taylor";
}

}  // namespace

RunGuard::RunGuard(ScenarioDriven& scene, const Scenario& scenario, EnergyBalance& balance, double duration)
    : scene_(scene),
      scenario_(scenario),
      balance_(balance),
      adaptive_(is_adaptive(scenario.integrator, scenario.options)),
      duration_(duration) {}

void RunGuard::step(const MotionState& before, const MotionState& after, const Advance& done) {
  for (const double v : after.v) fastest_ = std::max(fastest_, std::abs(v));
  const IntegratorOptions& options = scenario_.options;
  const double most = std::max(kJump, 100.0 * options.rtol) * fastest_ + 100.0 * options.atol;
  if (!(done.corrected <= most) && !is_first_order(scenario_.integrator)) {
    throw Error(ErrorCode::data, fmt::format("a velocity jumps by {:.2g} without a cause, at {}: the step did "
                                             "not follow its loops; {}",
                                             done.corrected, scene_.describe(after), advice()));
  }
  ++steps_;
  drift_ += per_step_;
  if (slow_ == 0) slow_since_ = before.t;
  if (++slow_ == kSlow) {
    if (after.t - slow_since_ < kNoProgress * std::min(1.0, duration_)) {
      throw Error(ErrorCode::data,
                  fmt::format("the motion does not advance: {} steps have advanced it by {:.1e} s, to {}", kSlow,
                              after.t - slow_since_, scene_.describe(after)));
    }
    slow_ = 0;
  }
  if (!done.friction_changed && !done.crossed_branch) {
    from_ = before;
    length_ = after.t - before.t;
    const bool due = estimated_ == 0 || steps_ >= estimated_ + kEvery;
    if (due && !adaptive_ && !is_first_order(scenario_.integrator)) estimate();
  }
  if (steps_ % kEvery == 1) judge(after, balance_.look(after).residual, 0.0);
}

// What one step makes of nothing: the energy balance of its end beside that of two half steps.
void RunGuard::estimate() {
  estimated_ = steps_;
  if (!(length_ > 0.0)) return;
  const auto balance_after = [&](int parts) {
    IntegratorOptions options = scenario_.options;
    options.step = length_ / parts;
    const std::unique_ptr<Integrator> steps = make_integrator(scenario_.integrator, options);
    MotionState s = from_;
    const double end = from_.t + length_;
    while (s.t < end)
      steps->step(scene_, s, end);  // not put on closures: what that makes of nothing is no error of the method
    const Energy<double> e = scene_.energy(s);
    return e.kinetic + e.potential - s.z[0] + s.z[1];
  };
  scene_.keep_decisions(true);
  try {
    per_step_ = 2.0 * std::abs(balance_after(1) - balance_after(2));
  } catch (const Error&) {
    // a step that cannot be made again in one piece (its loops do not close there) keeps the estimate of the last
  }
  scene_.keep_decisions(false);
}

const char* RunGuard::advice() const { return adaptive_ ? "smaller tolerances may help" : "a shorter step may help"; }

// What velocities and places that are off by the absolute tolerance are in energy: 2 √(T T_atol) + T_atol, and ΔV.
double RunGuard::energy_of_tolerance(const MotionState& state) const {
  MotionState moved = state;
  const double atol = scenario_.options.atol;
  std::ranges::fill(moved.v, atol);
  const double kinetic = scene_.energy(moved).kinetic, potential = scene_.energy(state).potential;
  lw::advance(scene_.model(), moved.q, std::vector<double>(state.v.size(), atol));
  return 2.0 * std::sqrt(kinetic * balance_.largest()) + kinetic + std::abs(scene_.energy(moved).potential - potential);
}

double RunGuard::bound(const MotionState& state) const {
  const double in_play = balance_.largest();
  const double own =
      adaptive_ ? static_cast<double>(steps_) * 4.0 * (scenario_.options.rtol * in_play + energy_of_tolerance(state))
                : drift_;
  return std::max(kMargin * own, kFloor * in_play);
}

void RunGuard::judge(const MotionState& state, double residual, double opening) {
  if (!(opening <= kOpen)) {
    throw Error(ErrorCode::data, fmt::format("the loops of `{}` have come apart by {:.3g} m or rad, at {}",
                                             scene_.model().name, opening, scene_.describe(state)));
  }
  if (std::abs(residual) <= kFloor * balance_.largest() || balance_.is_rounding(residual)) return;
  const double part = balance_.largest() > 0.0 ? std::abs(residual) / balance_.largest() : 0.0;
  if (is_first_order(scenario_.integrator)) {
    if (warning_.empty() && part > 1e-2) {
      warning_ = fmt::format(
          "`{}` is of first order and does not keep the energy: the balance is off by {:.2g} of the largest; a shorter "
          "step, or rk4",
          scenario_.integrator, part);
    }
    return;
  }
  bool caused = std::abs(residual) <= bound(state);  // by the integration
  if (!caused && !adaptive_ && !from_.q.empty()) {
    // the motion may have become harder since it was last measured
    estimate();
    drift_ += kEvery * per_step_;
    caused = std::abs(residual) <= bound(state);
  }
  if (caused && (part <= kMostPart || steps_ < kFewSteps)) {
    if (warning_.empty() && part > kWarn && steps_ >= kFewSteps) {
      warning_ = fmt::format("the energy balance is off by {:.2g} of the largest: {}", part, advice());
    }
    return;
  }
  throw Error(ErrorCode::data,
              fmt::format("the energy of the motion does not balance: {:.3g} J of {:.3g} J in play "
                          "have {} from nothing, {}; {}, at {}",
                          std::abs(residual), balance_.largest(), residual > 0.0 ? "come" : "gone",
                          caused ? "by steps that are too long" : "more than the integration can have caused", advice(),
                          scene_.describe(state)));
}

}  // namespace lw
