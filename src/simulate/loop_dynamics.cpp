// Accelerations of a mechanism with loops, in all coordinates of its spanning tree.
//
// minimal: what stands in the state for the joints that follow is a guess of their position and no more. Slopes are those of the
// independent joints with everything else derived from them, so that the motion is that of minimal coordinates, whatever the
// integrator makes of the others; `close` puts these right. The mode cannot change unseen: two modes meet where det J_u = 0, and its
// sign is watched in each block of loops, within a step wherever a joint has moved by `kStride`.
// redundant: by multipliers; `close` goes to the nearest closed state.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../dynamics/assembly.hpp"
#include "../dynamics/closed_mechanism.hpp"
#include "../dynamics/closure.hpp"
#include "../dynamics/loop_position.hpp"
#include "../dynamics/multipliers.hpp"
#include "../model/coordinate_rates.hpp"
#include "../model/over.hpp"
#include "driven_code.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

constexpr double kLoopsOfCode = 1e-13;  // m or rad that code may leave open

class LoopDynamics : public DrivenDynamics {
 public:
  LoopDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques, DrivenOptions options)
      : DrivenDynamics(model, std::move(mechanism), std::move(torques), std::move(options)),
        closed_(model_),
        plan_(closed_.plan()),
        tau_(nv_, 0.0),
        q_(plan_.independent_q.size()),
        guess_(plan_.dependent_q.size()),
        v_(plan_.freedoms()),
        a_(plan_.freedoms()),
        motors_(plan_.actuated.size()),
        passive_(nv_, true) {
    for (const int v : plan_.actuated) passive_[at(v)] = false;
    if (options_.coordinates == DrivenOptions::Coordinates::redundant) {
      if (lossy_) {
        throw Error(ErrorCode::usage, fmt::format("`{}` loses energy, and redundant coordinates are for motion without friction: "
                                                  "--no-friction, or minimal coordinates", model_.name));
      }
      multipliers_.emplace(model_);
    } else {
      if (lossy_) dry_ = closed_.forward_losses().is_dry();
      choose_way();
    }
  }

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a, std::span<double> dz) override {
    if (multipliers_) {
      if (timed_) set_time(t);
      command(t, q, v);
      multipliers_->forward(q, v, tau_, a);
      if (!dz.empty()) add_power(q, v, dz);
      return;
    }
    split(q, v);
    if (code_ && by_code(t, q, v, a)) {
      if (!dz.empty()) dz[0] = power_of(tau_, v), dz[1] = 0.0;
      return;
    }
    accelerate(t, true);
    // of all joints
    closed_.move(v_);
    closed_accelerations<double>(closed_.model(), plan_, closed_.work(), closed_.q(), a_);
    std::ranges::copy(closed_.work().qdd, a.begin());
    if (!dz.empty()) add_power(closed_.q(), moved_, dz);
  }

  bool begin(const MotionState& s) override {
    if (!dry_) return false;
    const std::vector<int> before = closed_.forward_losses().directions();
    split(s.q, s.v);
    accelerate(s.t, false);
    return before != closed_.forward_losses().directions();
  }
  bool still_holds(const MotionState& s) override {
    if (!dry_) return true;
    split(s.q, s.v);
    stand(s.t);
    return closed_.forward_losses().still_fits(closed_.work(), closed_.q(), v_, motors_);
  }
  std::vector<std::string> settle(MotionState& s) override {
    if (!dry_) return {};
    split(s.q, s.v);
    stand_at_guess();
    std::vector<std::string> names = closed_.forward_losses().stop_turned(closed_.work(), closed_.q(), v_);
    leave(s);
    return names;
  }

  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override {
    if (multipliers_ || lossy_) return false;
    split(q, v);
    stand(t);
    const Model<Dual> twin = over<Dual>(closed_.model());
    ClosedWorkspace<Dual> work(twin, plan_);
    std::vector<Dual> rates(v_.begin(), v_.end()), torques(motors_.begin(), motors_.end()), a(v_.size()), guess;
    for (const int k : plan_.dependent_q) guess.emplace_back(closed_.q()[at(k)]);
    const auto column = [&](std::span<const double> way, int along, double* to) {
      const std::vector<Dual> moving = along < 0 ? std::vector<Dual>(way.begin(), way.end()) : moving_along(model_, way, along);
      std::vector<Dual> independent;
      for (const int k : plan_.independent_q) independent.push_back(moving[at(k)]);
      const LoopPosition<Dual> there = loop_position<Dual>(twin, plan_, independent, guess);
      closed_forward<Dual>(twin, plan_, work, there.q, rates, torques, a);
      closed_accelerations<Dual>(twin, plan_, work, there.q, a);
      for (std::size_t i = 0; i < nv_; ++i) to[i] = work.qdd[i].d;
    };
    std::ranges::fill(d_q, 0.0);
    std::ranges::fill(d_v, 0.0);
    for (std::size_t k = 0; k < v_.size(); ++k) {
      const std::size_t at_k = at(plan_.independent[k]) * nv_;
      column(closed_.q(), plan_.independent[k], &d_q[at_k]);
      rates[k].d = 1.0;
      column(closed_.q(), -1, &d_v[at_k]);
      rates[k].d = 0.0;
    }
    if (!options_.derivatives) return true;
    std::vector<double> by_q(nv_ * nv_), by_v(nv_ * nv_), by_tau(nv_);
    options_.derivatives(t, closed_.q(), moved_, by_q, by_v);
    for (std::size_t m = 0; m < motors_.size(); ++m) {
      torques[m].d = 1.0;
      column(closed_.q(), -1, by_tau.data());
      torques[m].d = 0.0;
      for (std::size_t k = 0; k < nv_; ++k) {
        const std::size_t from = k * nv_ + at(plan_.actuated[m]);
        for (std::size_t i = 0; i < nv_; ++i) d_q[k * nv_ + i] += by_tau[i] * by_q[from], d_v[k * nv_ + i] += by_tau[i] * by_v[from];
      }
    }
    return true;
  }

  void close(MotionState& s) override {
    if (multipliers_) {
      const double open = multipliers_->close(s.q);
      if (!(open < kClosedResidual)) {
        throw Error(ErrorCode::data, fmt::format("the loops of `{}` have come apart by {:.3g}: a shorter step keeps them together",
                                                 model_.name, open));
      }
      multipliers_->close_velocities(s.q, s.v);
      return;
    }
    split(s.q, s.v);
    std::vector<double> last = closed_.q();
    const auto refuse = [&](const std::string& why) {
      closed_.stand(std::move(last));
      throw ModesMeet(why);
    };
    try {
      closed_.follow(q_, guess_);
    } catch (const Error& e) {
      refuse(e.what());
    }
    // so near to it, what is known of the independent joints says nothing of the others
    constexpr double kTooNear = 1e-4;
    const std::vector<double> orientation = closed_.determinants();
    for (std::size_t k = 0; k < orientation.size(); ++k) {
      if (orientation[k] * orientation_[k] > kTooNear * orientation_[k] * orientation_[k]) continue;
      refuse(fmt::format("the loops of `{}` come to a singular pose (a dead centre), at which modes meet: {} {} not tell which comes next; {}",
                         model_.name, independent_names(), plan_.independent.size() == 1 ? "does" : "do", way_through()));
    }
    leave(s);
  }

  int parts(const MotionState& from, const MotionState& to) const override {
    if (multipliers_) return 1;
    // as far as a joint may move and its loops still be where their Jacobian was
    constexpr double kStride = 0.35, kMost = 1000.0;
    const double h = to.t - from.t;
    double most = 0.0;
    for (std::size_t k = 0; k < nq_; ++k) most = std::max(most, std::abs(to.q[k] - from.q[k]));
    for (std::size_t k = 0; k < nv_; ++k) most = std::max(most, h * std::max(std::abs(from.v[k]), std::abs(to.v[k])));
    return static_cast<int>(std::clamp(std::ceil(most / kStride), 1.0, kMost));
  }

  void assemble(MotionState& s) override {
    split(s.q, s.v);
    const auto differs = [&](int k) { return s.q[at(k)] != model_.home[at(k)]; };
    if (std::ranges::any_of(plan_.dependent_q, differs)) {
      Assembled there = assemble_from(closed_.led(), closed_.work().tree, s.q, plan_.independent);
      if (!there.closed) {
        throw Error(ErrorCode::data, fmt::format("the initial state cannot be assembled near the given one: {}",
                                                 open_loop(model_, closed_.work().tree, there.q)));
      }
      closed_.stand(std::move(there.q));
    } else {
      closed_.stand(assemble_home(closed_.led()).q);
      closed_.follow(q_);
    }
    orientation_ = closed_.determinants();
    closed_.require_inertia();
    const std::vector<double> given = s.v;
    leave(s);
    require_closed_velocities(s);
    for (const int v : plan_.dependent) {
      const double wanted = given[at(v)], follows = s.v[at(v)];
      if (wanted == 0.0 || std::abs(wanted - follows) <= 1e-9 * (1.0 + std::abs(follows))) continue;
      throw Error(ErrorCode::data, fmt::format("`{}` cannot start with a velocity of {:.6g}: the loops give it {:.6g} from that of {}",
                                               model_.velocity_names[at(v)], wanted, follows, independent_names()));
    }
  }

  void complete(MotionState& s) override {
    split(s.q, s.v);
    Assembled there = assemble_from(closed_.led(), closed_.work().tree, s.q, plan_.independent);
    if (!there.closed) {
      throw Error(ErrorCode::data, fmt::format("`{}` cannot be assembled there: {}", model_.name, open_loop(model_, closed_.work().tree, there.q)));
    }
    closed_.stand(std::move(there.q));
    orientation_ = closed_.determinants();
    leave(s);
    require_closed_velocities(s);
  }

  double opening(const MotionState& s) override {
    double most = 0.0;
    for (const double r : closure_state(model_, work_, s.q).residual) most = std::max(most, std::abs(r));
    return most;
  }

  std::span<double> tau() override { return tau_; }

 private:
  void choose_way() {
    if (!wants_code() || lossy_ || !model_.forces.empty()) return;
    code_.emplace(optimize(trace_motion(), Objective::operations), *mechanism_);
    notes_ = code_->notes();
    if (code_->is_of_use()) way_ = DrivenOptions::Way::compiled;
    else code_.reset();
    in_.resize(q_.size() + v_.size() + motors_.size() + guess_.size());
    out_.resize(nv_ + guess_.size() + plan_.unknown.size());
  }

  // q, qd, tau, guess → accelerations of all joints, dependent, residual
  Function trace_motion() const {
    return trace("motion", {{"q", q_.size()}, {"qd", v_.size()}, {"tau", motors_.size()}, {"guess", guess_.size()}},
                 {{"qdd", nv_}, {"dependent", guess_.size()}, {"residual", plan_.unknown.size()}},
                 [&](const Arguments& in, Results& out) {
                   ParameterValues<Expr> values;
                   for (const auto& [name, value] : options_.values) values.emplace(name, Expr(value));
                   const Model<Expr> model = instantiate<Expr>(*mechanism_, values);
                   const LoopPosition<Expr> there = loop_position<Expr>(model, plan_, in[0], in[3]);
                   ClosedWorkspace<Expr> work(model, plan_);
                   std::vector<Expr> a(v_.size());
                   closed_forward<Expr>(model, plan_, work, there.q, in[1], in[2], a);
                   closed_accelerations<Expr>(model, plan_, work, there.q, a);
                   out[0] = work.qdd;
                   for (std::size_t k = 0; k < guess_.size(); ++k) out[1][k] = there.q[at(plan_.dependent_q[k])];
                   out[2] = there.residual;
                 });
  }

  // False where the guess is too far off for the steps that it makes.
  bool by_code(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) {
    command(t, q, v);
    constexpr int kMost = 4;
    for (int turn = 0; turn < kMost; ++turn) {
      auto to = std::ranges::copy(q_, in_.begin()).out;
      to = std::ranges::copy(v_, to).out;
      to = std::ranges::copy(motors_, to).out;
      std::ranges::copy(guess_, to);
      code_->run(0, in_, out_);
      if (!all_finite(out_)) return false;
      const std::span<const double> all(out_), dependent = all.subspan(nv_, guess_.size()), residual = all.subspan(nv_ + guess_.size());
      const bool closed = std::ranges::all_of(residual, [](double r) { return std::abs(r) < kLoopsOfCode; });
      if (!closed) {
        std::ranges::copy(dependent, guess_.begin());
        continue;
      }
      // another turn of the same joint is the same pose; another pose is another mode
      for (std::size_t k = 0; k < guess_.size(); ++k) {
        if (!(std::abs(std::remainder(dependent[k] - q[at(plan_.dependent_q[k])], 2.0 * M_PI)) < kNearGuess)) return false;
      }
      std::ranges::copy(all.first(nv_), a.begin());
      return true;
    }
    return false;
  }
  static constexpr double kNearGuess = 0.1;

  void split(std::span<const double> q, std::span<const double> v) {
    for (std::size_t k = 0; k < q_.size(); ++k) q_[k] = q[at(plan_.independent_q[k])];
    for (std::size_t k = 0; k < guess_.size(); ++k) guess_[k] = q[at(plan_.dependent_q[k])];
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = v[at(plan_.independent[k])];
  }
  // Within a step: where there is no pose, a shorter step may find one.
  void stand_at_guess() {
    try {
      closed_.follow(q_, guess_);
    } catch (const Error& e) {
      throw NotFinite(e.what());
    }
  }
  // The pose of the parts, how fast all joints move there, and what drives them.
  void stand(double t) {
    if (timed_) {
      set_time(t);
      closed_.set_wrenches(model_.forces);
    }
    stand_at_guess();
    closed_.move(v_);
    moved_ = closed_.work().qd;
    command(t, closed_.q(), moved_);
  }
  void accelerate(double t, bool same_directions) {
    ++plain_;
    stand(t);
    closed_.forward(v_, motors_, a_, lossy_, same_directions && dry_);
  }
  void leave(MotionState& s) {
    closed_.move(v_);
    s.q = closed_.q();
    s.v = closed_.work().qd;
  }

  // At a dead centre the driven joints do not say how fast the others are.
  void require_closed_velocities(const MotionState& s) {
    const ClosureState c = closure_state(model_, work_, s.q);
    const std::size_t m = c.residual.size();
    double fastest = 0.0, open = 0.0;
    for (const double v : s.v) fastest = std::max(fastest, std::isfinite(v) ? std::abs(v) : HUGE_VAL);
    for (std::size_t i = 0; i < m; ++i) {
      double rate = 0.0;
      for (std::size_t v = 0; v < nv_; ++v) rate += c.jacobian[v * m + i] * s.v[v];
      open = std::max(open, std::abs(rate));
    }
    if (std::isfinite(fastest) && open <= 1e-9 * (1.0 + fastest)) return;
    throw Error(ErrorCode::data, fmt::format("`{}` stands at a singular pose, where the velocities of {} do not tell those of the others: begin elsewhere, or "
                                             "at rest; {}", model_.name, independent_names(), way_through()));
  }

  void command(double t, std::span<const double> q, std::span<const double> v) {
    if (torques_) torques_(t, q, v, tau_);
    for (std::size_t k = 0; k < nv_; ++k) {
      if (passive_[k]) tau_[k] = 0.0;
    }
    for (std::size_t k = 0; k < motors_.size(); ++k) motors_[k] = tau_[at(plan_.actuated[k])];
  }

  // Friction takes what the torques give beyond what the accelerations need.
  void add_power(std::span<const double> q, std::span<const double> v, std::span<double> dz) {
    dz[0] = power_of(tau_, v);
    dz[1] = 0.0;
    if (lossy_) {
      needed_.resize(v_.size());
      closed_.forces(v_, a_, needed_);
      dz[1] = dz[0] - power_of(needed_, v_);
    }
    if (!model_.forces.empty()) dz[0] += outer_power(q, v);
  }

  std::string independent_names() const {
    std::vector<std::string> names;
    for (const int v : plan_.independent) names.push_back(fmt::format("`{}`", model_.velocity_names[at(v)]));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // What to do about a pose at which the driven joints do not lead.
  std::string way_through() const {
    return fmt::format("`--coordinates redundant{}` goes through it, and with another joint `actuated` it may be none",
                       lossy_ ? " --no-friction" : "");
  }

  ClosedMechanism closed_;
  const LoopPlan& plan_;
  std::optional<Multipliers> multipliers_;
  std::optional<DrivenCode> code_;
  std::vector<double> orientation_;  // of the mode that the motion began in
  std::vector<double> tau_;                        // of all joints
  std::vector<double> q_, guess_, v_, a_, motors_;  // parts of the state, and torques of the actuated joints
  std::vector<bool> passive_;
  std::vector<double> moved_, needed_, in_, out_;
};

}  // namespace

std::unique_ptr<DrivenDynamics> make_loop_dynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques,
                                                   DrivenOptions options) {
  return std::make_unique<LoopDynamics>(model, std::move(mechanism), std::move(torques), std::move(options));
}

}  // namespace lw
