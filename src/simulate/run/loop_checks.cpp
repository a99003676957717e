// What is verified of closures and of the motion that follows them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/loops/closed_derivative_terms.hpp"
#include "../../dynamics/loops/multipliers.hpp"
#include "../../model/coordinate_rates.hpp"
#include "verifier.hpp"

namespace lw {
namespace {

using Vector = std::vector<double>;
using groups::kRun, groups::kStates;

// Smallest singular value of J_u by its largest.
double soundness(Verifier& v, const Vector& q) {
  set_pose<double>(v.model, v.plan, v.work, q);
  const auto m = static_cast<Eigen::Index>(v.plan.dependent.size());
  const Svd svd(Eigen::Map<const Eigen::MatrixXd>(v.work.square.data(), m, m));
  return svd.s[m - 1] / svd.s[0];
}

}  // namespace

// The position's own derivative, through Newton's method in dual numbers.
void complement_follows_position(Verifier& v) {
  double worst = 0.0;
  Vector unit(v.n), rates(at(v.model.nq));
  for (const VerifiedState& c : v.states) {
    set_pose<double>(v.model, v.plan, v.work, c.q);
    for (std::size_t k = 0; k < v.n; ++k) {
      unit.assign(v.n, 0.0);
      unit[k] = 1.0;
      tree_velocities<double>(v.model, v.plan, v.work, unit);
      coordinate_rates<double>(v.model, c.q, v.work.qd, rates);
      const LoopPosition<Dual> there = v.moved_along(c, k);
      const double size = std::max(1.0, largest(mapped(rates)));
      for (std::size_t i = 0; i < rates.size(); ++i) worst = worse(worst, std::abs(there.q[i].d - rates[i]) / size);
    }
  }
  v.judge(kStates, "velocities that follow, against dual numbers through the position", worst, 1e-11, "of the largest",
          limits::kNewton);
}

// By multipliers, of all joints: the independent ones put into inverse dynamics need the torques again.
void forward_by_multipliers(Verifier& v) {
  Multipliers multipliers(v.model);
  double balance = 0.0, closed = 0.0;
  Vector qdd(v.n), all(at(v.model.nv)), tree(at(v.model.nv));
  for (const VerifiedState& c : v.states) {
    set_pose<double>(v.model, v.plan, v.work, c.q);
    tree_velocities<double>(v.model, v.plan, v.work, c.s.qd);
    const Vector qd = v.work.qd;
    std::ranges::fill(tree, 0.0);
    for (std::size_t k = 0; k < c.s.tau.size(); ++k) tree[at(v.plan.actuated[k])] = c.s.tau[k];
    multipliers.forward(c.q, qd, tree, all);
    for (std::size_t k = 0; k < v.n; ++k) qdd[k] = all[at(v.plan.independent[k])];
    balance = worse(balance, v.unbalanced(c, qdd));
    tree_velocities<double>(v.model, v.plan, v.work, c.s.qd);
    tree_accelerations<double>(v.model, v.plan, v.work, c.q, qdd);
    const double size = std::max(1.0, largest(mapped(all)));
    for (std::size_t i = 0; i < all.size(); ++i) closed = worse(closed, std::abs(all[i] - v.work.qdd[i]) / size);
  }
  v.judge(kStates, "forward dynamics by multipliers, put into inverse dynamics", balance, 1e-10, "of |H| |q̈| + |h|",
          limits::kNewton);
  v.judge(kStates, "accelerations that follow, against multipliers", closed, 1e-9, "of the largest", limits::kNewton);
}

void derivatives_of_code(Verifier& v) {
  if (!v.is_compiled("derivatives of compiled code, against dual numbers")) return;
  Compiled compiled = compile(v.mechanism, {"forward-derivatives"});
  const std::size_t n = v.n, motors = v.plan.actuated.size();
  const auto slopes = [&](const VerifiedState& c) {
    const Vector got = v.called(compiled, "forward-derivatives", c, c.s.tau, n * (2 * n + motors));
    // entries may be zero, of terms that cancel, and H and J_u may be next to singular
    Vector a(n);
    forward_dynamics<double>(v.model, v.plan, v.work, c.q, c.s.qd, c.s.tau, a);
    const Vector sums = closed_derivative_terms(v.model, {}, v.plan, c.s.q, c.s.guess, c.s.qd, a);
    const double known = std::numeric_limits<double>::epsilon() * c.condition() / soundness(v, c.q);
    const auto scale = [&](std::size_t first) {
      double most = largest(mapped({&got[first], n * n}));
      for (std::size_t k = 0; k < n * n; ++k) {
        const auto i = static_cast<Eigen::Index>(k % n);
        most = std::max(most, sums[first + k] / c.H(i, i));
      }
      return known * most;
    };
    const auto middle = got.begin() + static_cast<std::ptrdiff_t>(n * n);
    return Verifier::Slopes{
        {got.begin(), middle}, {middle, middle + static_cast<std::ptrdiff_t>(n * n)}, scale(0), scale(n * n)};
  };
  v.judge_slopes(slopes, 20, " of code", "ε cond(H) cond(J) of its terms", limits::kClosedDerivatives);
}

void runs_in_both_coordinates(Verifier& v) {
  EnergyListener course(v.report.energy);
  Scenario s = v.free_from_home(0.5);
  const RunResult minimal = v.run_for_a_while(s, {&course});
  s.redundant = true;
  const RunResult redundant = v.run_for_a_while(s, {});
  const char* name = "energy that is not accounted for, free motion";
  // a mode that ends on the way is the mechanism's, not an error: redundant coordinates go on
  const bool ends =
      minimal.end == RunResult::End::failed && soundness(v, minimal.final.q) < 0.1 * soundness(v, v.states.front().q);
  for (const RunResult* r : {&minimal, &redundant}) {
    const char* which = r == &minimal ? "minimal" : "redundant";
    const std::string energy = fmt::format("{}, {} coordinates", name, which);
    if (r == &minimal && ends) {
      v.skip(kRun, energy, fmt::format("the mode ends at t = {:.3g} s", r->final.t));
    } else if (r->end != RunResult::End::duration) {
      v.skip(kRun, energy, "the run does not come to its end: " + r->ended_by);
    } else {
      v.judge(kRun, energy, r->energy_residual, 1e-9, "of the largest energy", limits::kIntegration,
              fmt::format("{} steps", r->counts.steps));
      v.judge(kRun, fmt::format("closures, {} coordinates", which), r->closure, 1e-9, "m or rad", limits::kNewton);
    }
  }
  if (minimal.end != RunResult::End::duration || redundant.end != RunResult::End::duration) return;
  double off = 0.0;
  for (std::size_t k = 0; k < minimal.final.q.size(); ++k)
    off = worse(off, std::abs(minimal.final.q[k] - redundant.final.q[k]));
  v.judge(kRun, "minimal against redundant coordinates at the end", off, 1e-7, "m or rad", limits::kIntegration);
}

}  // namespace lw
