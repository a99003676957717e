// With loops: one function from the independent joints to the accelerations of all, without losses and external forces;
// and Jacobians by dual numbers through the position.
#include <algorithm>
#include <cmath>

#include "../../base/index.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "driven_code.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

constexpr double kLoopsOfCode = 1e-13;  // m or rad that code may leave open

class LoopFunctions : public MotionFunctions {
 public:
  explicit LoopFunctions(const DrivenDynamics& motion) : motion_(motion) {
    if (!wants_code(motion) || !motion.model_.forces.empty() || !has_plan()) return;
    code_.emplace(optimize(traced(), Objective::operations), *motion.mechanism_);
    notes = code_->notes();
    if (!code_->is_of_use()) return;
    way = DrivenOptions::Way::compiled;
    guess_.resize(plan_->dependent_q.size());
    in_.resize(plan_->independent_q.size() + plan_->freedoms() + plan_->actuated.size() + guess_.size());
    out_.resize(motion.nv_ + guess_.size() + plan_->unknown.size());
  }

  // False where the guess is too far off for the steps that it makes.
  bool accelerations(double, std::span<const double> q, std::span<const double> v, std::span<const double> motors,
                     std::span<double> a) override {
    const std::size_t nv = motion_.nv_;
    for (std::size_t k = 0; k < guess_.size(); ++k) guess_[k] = q[at(plan_->dependent_q[k])];
    constexpr int kMost = 4;
    for (int turn = 0; turn < kMost; ++turn) {
      auto to = in_.begin();
      for (const int k : plan_->independent_q) *to++ = q[at(k)];
      for (const int k : plan_->independent) *to++ = v[at(k)];
      to = std::ranges::copy(motors, to).out;
      std::ranges::copy(guess_, to);
      code_->run(0, in_, out_);
      if (!all_finite(out_)) return false;
      const std::span<const double> all(out_), dependent = all.subspan(nv, guess_.size()),
                                               residual = all.subspan(nv + guess_.size());
      const bool closed = std::ranges::all_of(residual, [](double r) { return std::abs(r) < kLoopsOfCode; });
      if (!closed) {
        std::ranges::copy(dependent, guess_.begin());
        continue;
      }
      // another turn of the same joint is the same pose; another pose is another mode
      constexpr double kNearGuess = 0.1;
      for (std::size_t k = 0; k < guess_.size(); ++k) {
        if (!(std::abs(std::remainder(dependent[k] - q[at(plan_->dependent_q[k])], 2.0 * M_PI)) < kNearGuess))
          return false;
      }
      std::ranges::copy(all.first(nv), a.begin());
      return true;
    }
    return false;
  }

  bool has_jacobian(bool coordinates_are_given) override { return coordinates_are_given && has_plan(); }
  void jacobian(const JacobianAt& here, std::span<double> d_q, std::span<double> d_v,
                std::span<double> d_tau) override {
    const LoopPlan& plan = *plan_;
    const Model<Dual> twin = over<Dual>(motion_.model_);
    PlantWorkspace<Dual> work(twin, plan);
    std::vector<Dual> rates, torques(here.motors.begin(), here.motors.end()), a(plan.freedoms()), guess;
    for (const int k : plan.independent) rates.emplace_back(here.v[at(k)]);
    for (const int k : plan.dependent_q) guess.emplace_back(here.q[at(k)]);
    const std::vector<Dual> still(here.q.begin(), here.q.end());
    const auto column = [&](const std::vector<Dual>& pose, double* to) {
      std::vector<Dual> independent;
      for (const int k : plan.independent_q) independent.push_back(pose[at(k)]);
      const LoopPosition<Dual> there = loop_position<Dual>(twin, plan, independent, guess);
      forward_dynamics<Dual>(twin, plan, work, there.q, rates, torques, a);
      tree_accelerations<Dual>(twin, plan, work, there.q, a);
      for (std::size_t i = 0; i < motion_.nv_; ++i) to[i] = work.qdd[i].d;
    };
    std::ranges::fill(d_q, 0.0);
    std::ranges::fill(d_v, 0.0);
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const std::size_t at_k = at(plan.independent[k]) * motion_.nv_;
      column(moving_along(motion_.model_, here.q, plan.independent[k]), &d_q[at_k]);
      rates[k].d = 1.0;
      column(still, &d_v[at_k]);
      rates[k].d = 0.0;
    }
    for (std::size_t m = 0; m < torques.size(); ++m) {
      torques[m].d = 1.0;
      column(still, &d_tau[m * motion_.nv_]);
      torques[m].d = 0.0;
    }
  }

 private:
  // Made where it is first needed.
  bool has_plan() {
    const bool minimal = motion_.options_.coordinates == DrivenOptions::Coordinates::minimal;
    if (planned_ || !minimal || motion_.lossy_) return plan_.has_value();
    planned_ = true;
    try {
      plan_.emplace(plan_loops(motion_.model_));
    } catch (const Error&) {
      // a ball joint of which a part is independent: numbers do without
    }
    return plan_.has_value();
  }

  // q, qd, tau, guess → accelerations of all joints, dependent, residual
  Function traced() const {
    const LoopPlan& plan = *plan_;
    const std::size_t guessed = plan.dependent_q.size();
    return trace(
        "motion",
        {{"q", plan.independent_q.size()}, {"qd", plan.freedoms()}, {"tau", plan.actuated.size()}, {"guess", guessed}},
        {{"qdd", motion_.nv_}, {"dependent", guessed}, {"residual", plan.unknown.size()}},
        [&](const Arguments& in, Results& out) {
          ParameterValues<Expr> values;
          for (const auto& [name, value] : motion_.options_.values) values.emplace(name, Expr(value));
          const Model<Expr> model = instantiate<Expr>(*motion_.mechanism_, values);
          const LoopPosition<Expr> there = loop_position<Expr>(model, plan, in[0], in[3]);
          PlantWorkspace<Expr> work(model, plan);
          std::vector<Expr> a(plan.freedoms());
          forward_dynamics<Expr>(model, plan, work, there.q, in[1], in[2], a);
          tree_accelerations<Expr>(model, plan, work, there.q, a);
          out[0] = work.qdd;
          for (std::size_t k = 0; k < guessed; ++k) out[1][k] = there.q[at(plan.dependent_q[k])];
          out[2] = there.residual;
        });
  }

  const DrivenDynamics& motion_;
  std::optional<LoopPlan> plan_;  // none: neither code nor Jacobians
  bool planned_ = false;
  std::optional<DrivenCode> code_;
  std::vector<double> guess_, in_, out_;
};

}  // namespace

std::unique_ptr<MotionFunctions> functions_of_loops(const DrivenDynamics& motion) {
  return std::make_unique<LoopFunctions>(motion);
}

}  // namespace lw
