#include "run_guard.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advance.hpp"

namespace lw {
namespace {

constexpr long kEvery = 64;
constexpr double kMargin = 10.0, kFloor = 1e-6;
constexpr double kOpen = 1e-8;
constexpr double kJump = 1e-2;
constexpr int kSlow = 2000;           // steps in a row,
constexpr double kNoProgress = 1e-9;  // that together advance by this part of the run, or of a second

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
    throw Error(ErrorCode::data,
                fmt::format("a velocity jumps by {:.2g} where nothing has caused it, at {}: the step did "
                            "not follow its loops; {}",
                            done.corrected, scene_.describe(after), advice()));
  }
  ++steps_;
  drift_ += per_step_;
  if (slow_ == 0) slow_since_ = before.t;
  if (++slow_ == kSlow) {
    if (after.t - slow_since_ < kNoProgress * std::min(1.0, duration_)) {
      throw Error(ErrorCode::data,
                  fmt::format("the motion does not go on: {} steps have advanced it by {:.1e} s, to {}", kSlow,
                              after.t - slow_since_, scene_.describe(after)));
    }
    slow_ = 0;
  }
  if (!done.friction_changed) {
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
    per_step_ = HUGE_VAL;
  }
  scene_.keep_decisions(false);
}

const char* RunGuard::advice() const { return adaptive_ ? "smaller tolerances may help" : "a shorter step may help"; }

double RunGuard::bound() const {
  const double in_play = balance_.largest();
  const double own =
      adaptive_ ? static_cast<double>(steps_) * 4.0 * (scenario_.options.rtol * in_play + scenario_.options.atol)
                : drift_;
  return std::max(kMargin * own, kFloor * in_play);
}

void RunGuard::judge(const MotionState& state, double residual, double opening) {
  if (!(opening <= kOpen)) {
    throw Error(ErrorCode::data, fmt::format("the loops of `{}` have come apart by {:.3g} m or rad, at {}",
                                             scene_.model().name, opening, scene_.describe(state)));
  }
  if (std::abs(residual) <= bound() || balance_.is_rounding(residual)) return;
  if (!adaptive_ && !is_first_order(scenario_.integrator) && !from_.q.empty()) {
    // the motion may have become harder since it was last measured
    estimate();
    drift_ += kEvery * per_step_;
    if (std::abs(residual) <= bound()) return;
  }
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
  throw Error(ErrorCode::data, fmt::format("the energy of the motion does not balance: {:.3g} J of {:.3g} J in play "
                                           "have {} from nothing, more than the integration can have "
                                           "caused; {}, at {}",
                                           std::abs(residual), balance_.largest(), residual > 0.0 ? "come" : "gone",
                                           advice(), scene_.describe(state)));
}

}  // namespace lw
