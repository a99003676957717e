// The motion of a mechanism with loops as compiled code, and its Jacobian by dual numbers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "../../base/index.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "loop_dynamics.hpp"

namespace lw {
namespace {

constexpr double kLoopsOfCode = 1e-13;  // m or rad that code may leave open

}  // namespace

bool LoopDynamics::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                            std::span<double> d_v) {
  if (!minimal_ || other_ || lossy_ || !has_whole_plan()) return false;
  stand(t, q, v);
  const LoopPlan& plan = *whole_plan_;
  const Model<Dual> twin = over<Dual>(model_);
  PlantWorkspace<Dual> work_of_duals(twin, plan);
  std::vector<Dual> rates(v_.begin(), v_.end()), torques(motors_.begin(), motors_.end()), a(v_.size()), guess;
  for (const int k : plan.dependent_q) guess.emplace_back(q_[at(k)]);
  const auto column = [&](std::span<const double> way, int along, double* to) {
    const std::vector<Dual> moving =
        along < 0 ? std::vector<Dual>(way.begin(), way.end()) : moving_along(model_, way, along);
    std::vector<Dual> independent;
    for (const int k : plan.independent_q) independent.push_back(moving[at(k)]);
    const LoopPosition<Dual> there = loop_position<Dual>(twin, plan, independent, guess);
    forward_dynamics<Dual>(twin, plan, work_of_duals, there.q, rates, torques, a);
    tree_accelerations<Dual>(twin, plan, work_of_duals, there.q, a);
    for (std::size_t i = 0; i < nv_; ++i) to[i] = work_of_duals.qdd[i].d;
  };
  std::ranges::fill(d_q, 0.0);
  std::ranges::fill(d_v, 0.0);
  for (std::size_t k = 0; k < v_.size(); ++k) {
    const std::size_t at_k = at(plan.independent[k]) * nv_;
    column(q_, plan.independent[k], &d_q[at_k]);
    rates[k].d = 1.0;
    column(q_, -1, &d_v[at_k]);
    rates[k].d = 0.0;
  }
  if (!options_.derivatives) return true;
  std::vector<double> by_q(nv_ * nv_), by_v(nv_ * nv_), by_tau(nv_);
  options_.derivatives(t, q_, moved_, by_q, by_v);
  for (std::size_t m = 0; m < motors_.size(); ++m) {
    torques[m].d = 1.0;
    column(q_, -1, by_tau.data());
    torques[m].d = 0.0;
    for (std::size_t k = 0; k < nv_; ++k) {
      const std::size_t from = k * nv_ + at(plan.actuated[m]);
      for (std::size_t i = 0; i < nv_; ++i)
        d_q[k * nv_ + i] += by_tau[i] * by_q[from], d_v[k * nv_ + i] += by_tau[i] * by_v[from];
    }
  }
  return true;
}

bool LoopDynamics::has_whole_plan() {
  if (!whole_plan_known_) {
    whole_plan_known_ = true;
    try {
      whole_plan_.emplace(plan_loops(model_));
    } catch (const Error&) {
      // a ball joint of which a part is independent: numbers do without
    }
  }
  return whole_plan_.has_value();
}

void LoopDynamics::choose_way() {
  if (!wants_code() || lossy_ || !model_.forces.empty() || !has_whole_plan()) return;
  code_.emplace(optimize(trace_motion(), Objective::operations), *mechanism_);
  notes_ = code_->notes();
  if (code_->is_of_use())
    way_ = DrivenOptions::Way::compiled;
  else
    code_.reset();
  guess_.resize(whole_plan_->dependent_q.size());
  in_.resize(whole_plan_->independent_q.size() + v_.size() + motors_.size() + guess_.size());
  out_.resize(nv_ + guess_.size() + whole_plan_->unknown.size());
}

// q, qd, tau, guess → accelerations of all joints, dependent, residual
Function LoopDynamics::trace_motion() const {
  const LoopPlan& plan = *whole_plan_;
  const std::size_t guessed = plan.dependent_q.size();
  return trace("motion",
               {{"q", plan.independent_q.size()}, {"qd", v_.size()}, {"tau", motors_.size()}, {"guess", guessed}},
               {{"qdd", nv_}, {"dependent", guessed}, {"residual", plan.unknown.size()}},
               [&](const Arguments& in, Results& out) {
                 ParameterValues<Expr> values;
                 for (const auto& [name, value] : options_.values) values.emplace(name, Expr(value));
                 const Model<Expr> model = instantiate<Expr>(*mechanism_, values);
                 const LoopPosition<Expr> there = loop_position<Expr>(model, plan, in[0], in[3]);
                 PlantWorkspace<Expr> work(model, plan);
                 std::vector<Expr> a(v_.size());
                 forward_dynamics<Expr>(model, plan, work, there.q, in[1], in[2], a);
                 tree_accelerations<Expr>(model, plan, work, there.q, a);
                 out[0] = work.qdd;
                 for (std::size_t k = 0; k < guessed; ++k) out[1][k] = there.q[at(plan.dependent_q[k])];
                 out[2] = there.residual;
               });
}

// False where the guess is too far off for the steps that it makes.
bool LoopDynamics::by_code(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) {
  const LoopPlan& plan = *whole_plan_;
  command(t, q, v);
  for (std::size_t k = 0; k < guess_.size(); ++k) guess_[k] = q[at(plan.dependent_q[k])];
  constexpr int kMost = 4;
  for (int turn = 0; turn < kMost; ++turn) {
    auto to = in_.begin();
    for (const int k : plan.independent_q) *to++ = q[at(k)];
    for (const int k : plan.independent) *to++ = v[at(k)];
    to = std::ranges::copy(motors_, to).out;
    std::ranges::copy(guess_, to);
    code_->run(0, in_, out_);
    if (!all_finite(out_)) return false;
    const std::span<const double> all(out_), dependent = all.subspan(nv_, guess_.size()),
                                             residual = all.subspan(nv_ + guess_.size());
    const bool closed = std::ranges::all_of(residual, [](double r) { return std::abs(r) < kLoopsOfCode; });
    if (!closed) {
      std::ranges::copy(dependent, guess_.begin());
      continue;
    }
    // another turn of the same joint is the same pose; another pose is another mode
    constexpr double kNearGuess = 0.1;
    for (std::size_t k = 0; k < guess_.size(); ++k) {
      if (!(std::abs(std::remainder(dependent[k] - q[at(plan.dependent_q[k])], 2.0 * M_PI)) < kNearGuess)) return false;
    }
    std::ranges::copy(all.first(nv_), a.begin());
    return true;
  }
  return false;
}

}  // namespace lw
