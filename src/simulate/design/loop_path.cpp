#include "loop_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../motion/dissipation.hpp"

namespace lw {
namespace {

constexpr double kNearOnPath = 0.1;     // rad, m: as far as Newton's method alone keeps the mode
constexpr double kBetweenPoses = 0.01;  // of poses that are kept
constexpr double kShortestPart = 1e-4;  // of the way to other parameters

double farthest(std::span<const double> a, std::span<const double> b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// Losses that need no accelerations to be known, and do not jump: viscous friction, dampers, and dry friction with a
// `width`. Throws Error(usage) where there are others.
DesignLosses smooth_losses(const Model<double>& model, const LoopPlan& plan) {
  if (!dissipates(model)) return DesignLosses::none;
  const ClosedLosses<double> losses(model, plan);
  const auto refuse = [&](const std::string& what, const char* instead) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "`{}` has loops and {}: derivatives of its runs require smooth friction that is independent of loads; {} "
            "(--no-friction, or omitting --friction, removes it)",
            model.name, what, instead));
  };
  if (losses.feels_reactions()) refuse("bearings under load", "give them `viscous` and `coulomb` friction instead");
  for (const Transmission<double>& t : losses.motors().transmissions) {
    for (const DriveLoss<double>& d : t.drives) {
      if (!d.efficiency.empty() || d.breakaway != 0.0)
        refuse(fmt::format("a drive that loses, `{}`", d.name), "leave out its `efficiency` and `breakaway`");
    }
  }
  const auto is_smooth = [](const JointLoss<double>& loss) { return !is_dry(loss) || loss.width > 0.0; };
  for (const JointLoss<double>& loss : model.losses) {
    if (!is_smooth(loss))
      refuse(fmt::format("dry friction of `{}`, which jumps with its direction", model.velocity_names[lw::at(loss.v)]),
             "give it a `width`");
  }
  for (const LoopClosure<double>& loop : model.loops) {
    if (!std::ranges::all_of(loop.losses, is_smooth))
      refuse(fmt::format("dry friction of `{}`, which jumps with its direction", loop.name), "give it a `width`");
  }
  return DesignLosses::smooth;
}

}  // namespace

DesignAbilities design_abilities(const LoopPlan& plan) {
  const bool tree = plan.is_tree();
  return {.any_losses = tree, .computed_torque = tree, .events = tree, .redundant = tree};
}

LoopPath::LoopPath(const DesignParameters& design)
    : design_(design),
      mechanism_(design_.model<double>(design_.values())),
      here_(mechanism_.plant().minimal),
      nowhere_(lw::at(here_.nq), std::numeric_limits<double>::quiet_NaN()) {
  last_ = {0.0, joints().home, mechanism_.q()};
}

DesignLosses LoopPath::losses(bool friction) const {
  if (!friction) return DesignLosses::none;
  return design_abilities(plan()).any_losses ? DesignLosses::any : smooth_losses(mechanism_.model(), plan());
}

// Only joints that follow can be of another mode.
bool LoopPath::near(const std::vector<double>& from, std::span<const double> independent,
                    std::vector<double>& to) const {
  const std::vector<double> guess = mechanism_.plant().dependent(from);
  LoopPosition<double> there = loop_position<double>(here_, plan(), independent, guess);
  if (!there.converged || !(farthest(mechanism_.plant().dependent(there.q), guess) < kNearOnPath)) return false;
  to = std::move(there.q);
  return true;
}

void LoopPath::begin(std::span<const double> b, double t, std::span<const double> independent) {
  poses_.clear();
  trouble_.clear();
  const std::vector<double> from_b = design_.values(), from_q = mechanism_.independent();
  std::vector<double> q = mechanism_.q(), part_b(from_b), part_q(from_q);
  const auto between = [](double part, std::span<const double> from, std::span<const double> to,
                          std::vector<double>& mixed) {
    for (std::size_t k = 0; k < mixed.size(); ++k) mixed[k] = part == 1.0 ? to[k] : from[k] + part * (to[k] - from[k]);
  };
  double done = 0.0, step = 1.0;
  while (done < 1.0) {
    const double part = std::min(1.0, done + step);
    between(part, from_b, b, part_b);
    between(part, from_q, independent, part_q);
    here_ = design_.model<double>(part_b);
    here_.joints = mechanism_.plant().minimal.joints;  // led by the independent ones
    if (near(q, part_q, q)) {
      done = part;
      step *= 2.0;
      continue;
    }
    step *= 0.5;
    if (step < kShortestPart) {
      throw Error(ErrorCode::data,
                  fmt::format("the loops of `{}` cannot be closed at the beginning of the run with these "
                              "parameters: the way there ends at {:.3g} of it",
                              here_.name, done));
    }
  }
  last_ = {t, {independent.begin(), independent.end()}, q};
  poses_.push_back(last_);
}

const std::vector<double>& LoopPath::at(double t, std::span<const double> independent) {
  if (t == last_.t && std::ranges::equal(independent, last_.independent)) return last_.q;
  const bool finite = std::all_of(independent.begin(), independent.end(), [](double x) { return std::isfinite(x); });
  if (!finite) return nowhere_;
  // the nearest in time first
  const auto after = std::upper_bound(poses_.begin(), poses_.end(), t, [](double x, const Pose& p) { return x < p.t; });
  std::array<const Pose*, 3> from{&last_};
  auto end = from.begin() + 1;
  if (after != poses_.begin()) *end++ = &*(after - 1);
  if (after != poses_.end()) *end++ = &*after;
  std::sort(from.begin(), end, [t](const Pose* a, const Pose* b) { return std::abs(a->t - t) < std::abs(b->t - t); });
  for (auto p = from.begin(); p != end; ++p) {
    if (!near((*p)->q, independent, found_)) continue;
    last_.t = t;
    last_.independent.assign(independent.begin(), independent.end());
    last_.q.swap(found_);
    return last_.q;
  }
  const Pose& passed = after != poses_.begin() ? *(after - 1) : last_;
  try {
    Workspace<double> work(here_);
    Assembled start;
    start.q = passed.q;
    start.closed = true;
    last_ = {t, {independent.begin(), independent.end()}, continue_to(here_, work, start, independent).q};
    return last_.q;
  } catch (const Error& e) {
    trouble_ = fmt::format("from t = {:.6g} s on, {}", passed.t, e.what());
    return nowhere_;
  }
}

void LoopPath::passed(double t, std::span<const double> independent) {
  if (!poses_.empty() && t <= poses_.back().t) return;
  const std::vector<double>& q = at(t, independent);
  if (&q == &nowhere_) return;
  trouble_.clear();
  if (poses_.empty() || farthest(q, poses_.back().q) > kBetweenPoses) poses_.push_back(last_);
}

}  // namespace lw
