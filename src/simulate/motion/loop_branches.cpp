// Dead centres, and poses in which branches of the motion meet.
#include <algorithm>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

using Passage = System::Passage;

constexpr double kDeadCentre = 2e-3;        // of the margin that the coordinates have in general
constexpr double kStillIndependent = 0.02;  // of the independence in general: no branches meet
constexpr double kToBlame = 0.1;            // of what the closures have left of their independence

}  // namespace

System::Passage DrivenDynamics::passage(const MotionState& from, const MotionState& to) {
  const LoopCoordinates::Margin before = margin_at(from.q), after = margin_at(to.q);
  bool turned = false;
  for (std::size_t k = 0; k < after.volumes.size(); ++k) turned = turned || before.volumes[k] * after.volumes[k] <= 0.0;
  if (!turned && after.least >= kSmallMargin * usual_margin_) return Passage::free;
  const double independence = independence_of_closures(model_, given_, to.q) / independence_;
  // where branches meet, every choice of coordinates loses its margin as the closures lose their rank; where this one
  // loses far more, it is to blame
  const bool blind =
      is_fixed() && after.least < kDeadCentre * usual_margin_ && after.least < kToBlame * independence * usual_margin_;
  if (independence < kNearBranch && !blind) {
    near_branch_ = true;
    return turned ? Passage::branch : Passage::beside;
  }
  if (!is_fixed()) return turned ? Passage::shorter : Passage::free;
  if (blind || turned || after.least < kDeadCentre * usual_margin_) end_at_dead_centre();
  return Passage::free;
}

double DrivenDynamics::time_to_branch(const MotionState& s) {
  double fastest = 0.0;
  for (const double v : s.v) fastest = std::max(fastest, std::abs(v));
  if (!(fastest > 0.0)) return 0.0;
  // along the parabola that the motion is here, or the line where accelerations are not known
  std::vector<double> bend(nv_, 0.0);
  stand(s.t, s.q, s.v);
  if (!is_at_branch()) accelerate(bend, {});
  const auto there = [&](double ahead) {
    std::vector<double> q = s.q, step(nv_);
    for (std::size_t k = 0; k < nv_; ++k) step[k] = ahead * (s.v[k] + 0.5 * ahead * bend[k]);
    advance(model_, q, step);
    return q;
  };
  const auto margin = [&](double ahead) { return coordinates_->margin(there(ahead)).least; };
  // from a little behind to as far as a step may lead, then down to where it is least
  constexpr int kLooks = 40, kDivisions = 30;
  const double first = -0.1 / fastest, apart = 0.5 / fastest / kLooks;
  double best = 0.0, least = HUGE_VAL;
  for (int k = 0; k <= kLooks; ++k) {
    const double t = first + k * apart, x = margin(t);
    if (x < least) least = x, best = t;
  }
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double low = best - apart, high = best + apart;
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = margin(a), at_b = margin(b);
  for (int k = 0; k < kDivisions; ++k) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = margin(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = margin(b);
    }
  }
  const double when = 0.5 * (low + high);
  if (is_fixed()) {
    const double independence = independence_of_closures(model_, given_, there(when)) / independence_;
    if (independence > kStillIndependent && margin(when) < kToBlame * independence * usual_margin_) {
      throw BranchUndecided("a dead centre, where no branches meet");
    }
  }
  return when;
}

std::string DrivenDynamics::describe_branch(const MotionState& s) {
  const LoopCoordinates::Margin margin = coordinates_->margin(s.q, kNearBranch * usual_margin_);
  std::vector<std::string> loops;
  for (const std::size_t k : margin.loops) loops.push_back(fmt::format("`{}`", model_.loops[k].name));
  return fmt::format(
      "branches of the motion of `{}` meet at this pose, and the motion does not decide between them (it has no "
      "speed there, or "
      "several branches have its direction): the closures of {} lose a rank of {}",
      model_.name, fmt::join(loops, ", "), std::max(1, margin.lost));
}

// Closures tell nothing at the pose itself: the mean of what they tell a little before and behind it.
void DrivenDynamics::limit_of_slopes(double t, std::span<const double> q, std::span<const double> v,
                                     std::span<double> a, std::span<double> dz) {
  constexpr double kBeside = 1e-3;
  const std::vector<double> here(q.begin(), q.end()), rates(v.begin(), v.end());
  double fastest = 0.0;
  for (const double x : rates) fastest = std::max(fastest, std::abs(x));
  if (!(fastest > 0.0)) {
    MotionState still;
    still.q = here;
    throw BranchUndecided(describe_branch(still));
  }
  std::vector<double> sum(nv_, 0.0), one(nv_), power(dz.size(), 0.0), part(dz.size());
  for (const double side : {-1.0, 1.0}) {
    std::vector<double> step = rates, there = here;
    for (double& x : step) x *= side * kBeside / fastest;
    advance(model_, there, step);
    stand(t, there, rates);
    if (is_at_branch()) {
      // closures that are independent are not to blame, but the coordinates
      if (is_fixed() && independence_of_closures(model_, given_, there) > kStillIndependent * independence_)
        end_at_dead_centre();
      throw NotFinite(fmt::format("the closures of `{}` are singular there", model_.name));
    }
    accelerate(one, part);
    for (std::size_t k = 0; k < nv_; ++k) sum[k] += 0.5 * one[k];
    for (std::size_t k = 0; k < dz.size(); ++k) power[k] += 0.5 * part[k];
  }
  std::ranges::copy(sum, a.begin());
  std::ranges::copy(power, dz.begin());
}

void DrivenDynamics::end_at_dead_centre() const {
  throw ModesMeet(
      fmt::format("the loops of `{}` come to a dead centre: {} {} not determine how the other joints move on; {}",
                  model_.name, independent_names(), given_.independent.size() == 1 ? "does" : "do", way_through()));
}

}  // namespace lw
