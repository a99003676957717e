// Accelerations of a mechanism with loops, in all coordinates of its spanning tree.
//
// What an integrator leaves of dependent joints is a guess of their position and no more: every state is closed before
// anything is asked of it, and slopes are those of the independent joints with everything else derived from them. So
// the motion is that of local minimal coordinates whatever the integrator makes of the others, and no error of a
// closure ever acts as a force.
//
// minimal: the driven joints are the coordinates; where they do not determine the others, at a dead centre, the motion
// ends. redundant: the coordinates are chosen anew wherever others have a better margin
// (dynamics/loops/loop_coordinates.hpp).
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/loops/closed_forward_losses.hpp"
#include "../../dynamics/loops/loop_coordinates.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/loops/multipliers.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "driven_code.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

constexpr double kLoopsOfCode = 1e-13;  // m or rad that code may leave open
constexpr double kReach = 0.5;  // rad, middling links: as far as a state may be from the closed one that it stands for
constexpr double kSmallMargin = 0.15;       // of the margin of a general pose: branches may be near
constexpr double kNearBranch = 0.15;        // of the independence there: they are
constexpr double kPassBy = 2e-3;            // likewise: where ordinary steps are still good
constexpr double kTrustMotion = 1e-2;       // likewise: there the motion is known better than closures tell it
constexpr double kAtBranch = 1e-6;          // of pivots: there closures tell nothing
constexpr double kDeadCentre = 2e-3;        // of the margin that the coordinates have in general
constexpr double kStillIndependent = 0.02;  // of the independence in general: no branches meet
constexpr double kToBlame = 0.1;            // of what the closures have left of their independence
constexpr double kLookAgain = 0.7;          // of the margin when nothing better was found
constexpr double kChooseAgain = 0.3;        // of the margin that the choice had when it was made

class LoopDynamics : public DrivenDynamics {
 public:
  LoopDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques, DrivenOptions options)
      : DrivenDynamics(model, std::move(mechanism), std::move(torques), std::move(options)),
        minimal_(options_.coordinates == DrivenOptions::Coordinates::minimal),
        given_(plan_coordinates(model_)),
        fixed_(minimal_ && !divides_a_ball(model_, given_)),
        led_(led_by(model_, given_.independent)),
        tau_(nv_, 0.0),
        motors_(given_.actuated.size()),
        passive_(nv_, true) {
    for (const int v : given_.actuated) passive_[at(v)] = false;
    feels_reactions_ = lossy_ && ClosedLosses<double>(model_, given_).feels_reactions();
    independence_ = independence_of_closures(model_, given_, given_.general_pose);
    use(given_, given_.general_pose);
    dry_ = friction_ != nullptr && friction_->is_dry();
    if (minimal_) choose_way();
  }

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
              std::span<double> dz) override {
    if (code_ && !near_branch_ && by_code(t, q, v, a)) {
      if (!dz.empty()) dz[0] = power_of(tau_, v), dz[1] = 0.0;
      return;
    }
    ++plain_;
    stand(t, q, v);
    if (is_at_branch()) return limit_of_slopes(t, q, v, a, dz);
    accelerate(a, dz);
  }

  bool begin(const MotionState& s) override {
    if (settled_) friction_->take(*std::exchange(settled_, std::nullopt));
    choose(s.q);
    if (!dry_) return false;
    const std::vector<int> before = friction_->directions();
    stand(s.t, s.q, s.v);
    (*friction_)(work(), q_, v_, motors_, a_);
    return before != friction_->directions();
  }
  bool still_holds(const MotionState& s) override {
    if (!dry_) return true;
    stand(s.t, s.q, s.v);
    return friction_->still_fits(work(), q_, v_, motors_);
  }
  std::vector<std::string> settle(MotionState& s) override {
    if (!dry_) return {};
    stand(s.t, s.q, s.v);
    // what is decided here is for the next step: states within the last one may still be asked for
    ClosedForwardLosses::Decisions of_this_step = friction_->decisions();
    std::vector<std::string> names = friction_->settle(work(), q_, v_, motors_);
    leave(s);
    settled_ = friction_->decisions();
    friction_->take(of_this_step);
    return names;
  }

  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override {
    if (!minimal_ || other_ || lossy_ || !has_whole_plan()) return false;
    stand(t, q, v);
    const LoopPlan& plan = *whole_plan_;
    const Model<Dual> twin = over<Dual>(model_);
    ClosedWorkspace<Dual> work_of_duals(twin, plan);
    std::vector<Dual> rates(v_.begin(), v_.end()), torques(motors_.begin(), motors_.end()), a(v_.size()), guess;
    for (const int k : plan.dependent_q) guess.emplace_back(q_[at(k)]);
    const auto column = [&](std::span<const double> way, int along, double* to) {
      const std::vector<Dual> moving =
          along < 0 ? std::vector<Dual>(way.begin(), way.end()) : moving_along(model_, way, along);
      std::vector<Dual> independent;
      for (const int k : plan.independent_q) independent.push_back(moving[at(k)]);
      const LoopPosition<Dual> there = loop_position<Dual>(twin, plan, independent, guess);
      closed_forward<Dual>(twin, plan, work_of_duals, there.q, rates, torques, a);
      closed_accelerations<Dual>(twin, plan, work_of_duals, there.q, a);
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

  void close(MotionState& s) override {
    if (margin_at(s.q).least < kTrustMotion * usual_margin_ &&
        independence_of_closures(model_, given_, s.q) < kTrustMotion * independence_) {
      coordinates_->close_near_branches(s.q, s.v);
      return;
    }
    q_ = s.q;
    if (!coordinates_->close(q_, kReach)) {
      throw ModesMeet(fmt::format("the loops of `{}` cannot be closed near where this step leads ({})", model_.name,
                                  open_loop(model_, work().tree, s.q)));
    }
    split(s.v);
    if (dry_) friction_->hold(work(), q_, v_);
    leave(s, !dry_);
  }

  System::Passage passage(const MotionState& from, const MotionState& to) override {
    using Passage = System::Passage;
    const LoopCoordinates::Margin before = margin_at(from.q), after = margin_at(to.q);
    bool turned = false;
    for (std::size_t k = 0; k < after.volumes.size(); ++k)
      turned = turned || before.volumes[k] * after.volumes[k] <= 0.0;
    if (!turned && after.least >= kSmallMargin * usual_margin_) return Passage::free;
    const double independence = independence_of_closures(model_, given_, to.q) / independence_;
    // where branches meet, every choice of coordinates loses its margin as the closures lose their rank; where this one
    // loses far more, it is to blame
    const bool blind = is_fixed() && after.least < kDeadCentre * usual_margin_ &&
                       after.least < kToBlame * independence * usual_margin_;
    if (independence < kNearBranch && !blind) {
      near_branch_ = true;
      return turned ? Passage::branch : Passage::beside;
    }
    if (!is_fixed()) return turned ? Passage::shorter : Passage::free;
    if (blind || turned || after.least < kDeadCentre * usual_margin_) end_at_dead_centre();
    return Passage::free;
  }

  bool is_near_branch(const MotionState& s) override {
    near_branch_ = margin_at(s.q).least < kSmallMargin * usual_margin_ && branches_are_near(s.q);
    return near_branch_;
  }

  bool may_pass_by(const MotionState& s) override {
    return independence_of_closures(model_, given_, s.q) > kPassBy * independence_;
  }

  double time_to_branch(const MotionState& s) override {
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

  std::string describe_branch(const MotionState& s) override {
    const LoopCoordinates::Margin margin = coordinates_->margin(s.q, kNearBranch * usual_margin_);
    std::vector<std::string> loops;
    for (const std::size_t k : margin.loops) loops.push_back(fmt::format("`{}`", model_.loops[k].name));
    return fmt::format(
        "branches of the motion of `{}` meet at this pose, and the motion does not decide between them (it has no "
        "speed there, or "
        "several branches have its direction): the closures of {} lose a rank of {}",
        model_.name, fmt::join(loops, ", "), std::max(1, margin.lost));
  }

  int parts(const MotionState& from, const MotionState& to) const override {
    // as far as a joint may move and its loops still be where their Jacobian was
    constexpr double kStride = 0.35, kMost = 1000.0;
    const double h = to.t - from.t;
    double most = 0.0;
    for (std::size_t k = 0; k < nq_; ++k) most = std::max(most, std::abs(to.q[k] - from.q[k]));
    for (std::size_t k = 0; k < nv_; ++k) most = std::max(most, h * std::max(std::abs(from.v[k]), std::abs(to.v[k])));
    return static_cast<int>(std::clamp(std::ceil(most / kStride), 1.0, kMost));
  }

  void assemble(MotionState& s) override {
    const std::vector<double> given = s.v;
    q_ = assembled(s.q);
    start_at(s, [&] {
      throw Error(ErrorCode::data, fmt::format("`{}` stands at a singular pose, where the velocities of {} do not tell "
                                               "those of the others: begin elsewhere, or "
                                               "at rest; {}",
                                               model_.name, independent_names(), way_through()));
    });
    require_inertia();
    for (const int v : given_.dependent) {
      const double wanted = given[at(v)], follows = s.v[at(v)];
      if (wanted == 0.0 || std::abs(wanted - follows) <= 1e-9 * (1.0 + std::abs(follows))) continue;
      throw Error(ErrorCode::data,
                  fmt::format("`{}` cannot start with a velocity of {:.6g}: the loops give it {:.6g} from that of {}",
                              model_.velocity_names[at(v)], wanted, follows, independent_names()));
    }
  }

  void complete(MotionState& s) override {
    Assembled there = assemble_from(led_, work_, s.q, given_.independent);
    if (!there.closed) {
      throw Error(ErrorCode::data,
                  fmt::format("`{}` cannot be assembled there: {}", model_.name, open_loop(model_, work_, there.q)));
    }
    q_ = std::move(there.q);
    start_at(s, [&] {
      throw Error(
          ErrorCode::data,
          fmt::format("`{}` stands at a singular pose, where the velocities of {} do not tell those of the others",
                      model_.name, independent_names()));
    });
  }

  double opening(const MotionState& s) override {
    double most = 0.0;
    for (const double r : closure_state(model_, work_, s.q).residual) most = std::max(most, std::abs(r));
    return most;
  }

  std::span<double> tau() override { return tau_; }

 private:
  // Of a ball joint that is independent in part, which part it is changes with the pose.
  static bool divides_a_ball(const Model<double>& model, const LoopPlan& plan) {
    return std::ranges::any_of(model.joints, [&](const JointInfo& joint) {
      const bool ball = joint.type == JointType::spherical || joint.type == JointType::floating;
      const auto own = std::ranges::count_if(
          plan.independent, [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
      return ball && own > 0 && own < velocities(joint.type);
    });
  }

  ClosedWorkspace<double>& work() { return coordinates_->work(); }
  // Bearings are loaded by the rule that the plan's equations state (undetermined_loads.hpp).
  bool keeps_equations() const { return lossy_ && feels_reactions_; }

  void use(LoopPlan plan, std::span<const double> q) {
    auto next = std::make_unique<LoopCoordinates>(model_, std::move(plan));
    if (lossy_) {
      auto losses = std::make_unique<ClosedForwardLosses>(model_, next->plan());
      if (friction_ != nullptr) losses->take(friction_->decisions());
      friction_ = std::move(losses);
    }
    coordinates_ = std::move(next);
    margin_q_.clear();
    v_.assign(coordinates_->plan().freedoms(), 0.0);
    a_ = v_;
    chosen_margin_ = margin_at(q).least;
    looked_at_ = HUGE_VAL;
    // a choice that is made beside branches has little there, and more in general
    usual_margin_ = std::max(chosen_margin_, coordinates_->margin(given_.general_pose).least);
    usual_pivot_ = 0.0;
    for (const std::span<const double> pose : {std::span<const double>(given_.general_pose), q}) {
      set_closed_pose<double>(model_, coordinates_->plan(), work(), pose);
      usual_pivot_ = std::max(usual_pivot_, work().factors.smallest_pivot());
    }
  }

  bool branches_are_near(std::span<const double> q) const {
    return independence_of_closures(model_, given_, q) < kNearBranch * independence_;
  }

  // The last one is asked for again and again: where a step ends the next begins.
  const LoopCoordinates::Margin& margin_at(std::span<const double> q) {
    if (!std::ranges::equal(q, margin_q_)) {
      margin_ = coordinates_->margin(q);
      margin_q_.assign(q.begin(), q.end());
    }
    return margin_;
  }

  bool is_fixed() const { return fixed_ && !other_; }

  // Beside branches the coordinates are chosen by their margin even if the plan's are wanted: a crossing is one long
  // step, and may lead over a dead centre of the plan's.
  void choose(std::span<const double> q) {
    const bool free = !fixed_ || near_branch_;
    if (free && is_fixed())
      use(choose_coordinates(model_, given_, q, keeps_equations()).plan, q);
    else if (free)
      choose_again(q);
    else if (other_)
      use(given_, q);
    other_ = free;
  }

  // Other coordinates, where these have come near a dead centre of theirs.
  void choose_again(std::span<const double> q) {
    const double margin = margin_at(q).least;
    if (margin >= kChooseAgain * chosen_margin_ || margin >= kLookAgain * looked_at_) return;
    LoopChoice choice = choose_coordinates(model_, given_, q, keeps_equations());
    looked_at_ = margin;
    if (choice.margin < 2.0 * margin) return;
    use(std::move(choice.plan), q);
  }

  bool has_whole_plan() {
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

  void choose_way() {
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
  Function trace_motion() const {
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
                   ClosedWorkspace<Expr> work(model, plan);
                   std::vector<Expr> a(v_.size());
                   closed_forward<Expr>(model, plan, work, there.q, in[1], in[2], a);
                   closed_accelerations<Expr>(model, plan, work, there.q, a);
                   out[0] = work.qdd;
                   for (std::size_t k = 0; k < guessed; ++k) out[1][k] = there.q[at(plan.dependent_q[k])];
                   out[2] = there.residual;
                 });
  }

  // False where the guess is too far off for the steps that it makes.
  bool by_code(double t, std::span<const double> q, std::span<const double> v, std::span<double> a) {
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
        if (!(std::abs(std::remainder(dependent[k] - q[at(plan.dependent_q[k])], 2.0 * M_PI)) < kNearGuess))
          return false;
      }
      std::ranges::copy(all.first(nv_), a.begin());
      return true;
    }
    return false;
  }

  void split(std::span<const double> v) {
    const std::vector<int>& independent = coordinates_->plan().independent;
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = v[at(independent[k])];
  }

  // The closed pose that a state stands for, how fast all joints move there, and what drives them. Where there is no
  // such pose, a shorter step may find one.
  void stand(double t, std::span<const double> q, std::span<const double> v) {
    if (timed_) {
      set_time(t);
      if (friction_ != nullptr) friction_->set_wrenches(model_.forces);
    }
    q_.assign(q.begin(), q.end());
    split(v);
    if (!coordinates_->close(q_, kReach)) {
      q_.assign(q.begin(), q.end());
      set_closed_pose<double>(model_, coordinates_->plan(), work(), q_);
      if (!is_at_branch()) throw NotFinite(fmt::format("the loops of `{}` cannot be closed there", model_.name));
    }
    closed_velocities<double>(model_, coordinates_->plan(), work(), v_);
    moved_ = work().qd;
    command(t, q_, moved_);
  }

  // At the pose and velocities of `stand`.
  void accelerate(std::span<double> a, std::span<double> dz) {
    const LoopPlan& plan = coordinates_->plan();
    if (lossy_)
      (*friction_)(work(), q_, v_, motors_, a_, {}, dry_);
    else
      closed_forward<double>(model_, plan, work(), q_, v_, motors_, a_, {}, PoseIs::set);
    closed_velocities<double>(model_, plan, work(), v_);
    closed_accelerations<double>(model_, plan, work(), q_, a_);
    std::ranges::copy(work().qdd, a.begin());
    if (dz.empty()) return;
    dz[0] = power_of(tau_, moved_);
    dz[1] = lossy_ ? friction_->lost_power() : 0.0;
    if (!model_.forces.empty()) dz[0] += outer_power(q_, moved_);
  }

  bool is_at_branch() { return !(work().factors.smallest_pivot() > kAtBranch * usual_pivot_); }

  // Closures tell nothing at the pose itself: the mean of what they tell a little before and behind it.
  void limit_of_slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
                       std::span<double> dz) {
    constexpr double kAside = 1e-3;
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
      for (double& x : step) x *= side * kAside / fastest;
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

  void leave(MotionState& s, bool posed = false) {
    const LoopPlan& plan = coordinates_->plan();
    if (!posed) set_closed_pose<double>(model_, plan, work(), q_);
    closed_velocities<double>(model_, plan, work(), v_);
    s.q = q_;
    s.v = work().qd;
  }

  // The closed configuration that belongs to a state as a user gives it: independent coordinates, and others that are
  // home's or tell the mode.
  std::vector<double> assembled(const std::vector<double>& q) {
    const auto differs = [&](int v) {
      const JointInfo& joint = *std::ranges::find_if(
          model_.joints, [&](const JointInfo& j) { return v >= j.v && v < j.v + velocities(j.type); });
      for (int k = 0; k < coordinates(joint.type); ++k) {
        if (q[at(joint.q + k)] != model_.home[at(joint.q + k)]) return true;
      }
      return false;
    };
    if (std::ranges::any_of(given_.dependent, differs)) {
      Assembled there = assemble_from(led_, work_, q, given_.independent);
      if (!there.closed) {
        throw Error(ErrorCode::data, fmt::format("the initial state cannot be assembled near the given one: {}",
                                                 open_loop(model_, work_, there.q)));
      }
      return there.q;
    }
    Assembled home = assemble_home(led_);
    std::vector<double> near = home.q;
    for (const JointInfo& joint : led_.joints) {
      for (int k = 0; joint.actuated && k < coordinates(joint.type); ++k) near[at(joint.q + k)] = q[at(joint.q + k)];
    }
    constexpr double kNearHome = 0.1;
    use(given_, home.q);
    if (coordinates_->close(near, kNearHome)) return near;
    std::vector<double> led;
    for (const int k : actuated_coordinates(led_)) led.push_back(q[at(k)]);
    return continue_to(led_, work_, home, led).q;
  }

  // From here on the state is q_ with the independent velocities of s.
  template <class Refuse>
  void start_at(MotionState& s, const Refuse& refuse) {
    use(given_, q_);
    other_ = false;
    independence_ = std::max(independence_, independence_of_closures(model_, given_, q_));
    if (friction_ != nullptr) friction_->forget();
    settled_.reset();
    split(s.v);
    leave(s);
    const bool at_rest = std::ranges::all_of(v_, [](double v) { return v == 0.0; });
    if (at_rest)
      std::ranges::fill(s.v, 0.0);
    else
      require_closed_velocities(s, refuse);
    if (branches_are_near(q_))
      use(given_, given_.general_pose);  // at the pose itself no choice is better than another
    else if (!fixed_)
      use(choose_coordinates(model_, given_, q_, keeps_equations()).plan, q_);
  }

  // At a dead centre the driven joints do not say how fast the others are.
  template <class Refuse>
  void require_closed_velocities(const MotionState& s, const Refuse& refuse) {
    const ClosureState c = closure_state(model_, work_, s.q);
    const std::size_t m = c.residual.size();
    double fastest = 0.0, given = 0.0, open = 0.0;
    for (const double v : s.v) fastest = std::max(fastest, std::isfinite(v) ? std::abs(v) : HUGE_VAL);
    for (const double v : v_) given = std::max(given, std::abs(v));
    for (std::size_t i = 0; i < m; ++i) {
      double rate = 0.0;
      for (std::size_t v = 0; v < nv_; ++v) rate += c.jacobian[v * m + i] * s.v[v];
      open = std::max(open, std::abs(rate));
    }
    constexpr double kFast = 1e8;  // of what is given: that is rounding, divided by nothing
    if (fastest <= kFast * given && open <= 1e-9 * (1.0 + fastest)) return;
    refuse();
  }

  void require_inertia() {
    const std::size_t n = v_.size();
    Eigen::MatrixXd H(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    closed_mass_matrix<double>(model_, coordinates_->plan(), work(), q_, {H.data(), n * n});
    // next to a singular pose, which is another matter, what moves fastest hides the inertia of the rest
    constexpr double kFast = 1e6;
    const bool sound = std::ranges::all_of(work().R, [](double x) { return std::abs(x) < kFast; });
    if (!sound || is_definite(H)) return;
    Eigen::Index most = 0;
    Svd(H).V.col(H.cols() - 1).cwiseAbs().maxCoeff(&most);
    throw Error(ErrorCode::data, no_inertia(model_, coordinates_->plan().independent[at(static_cast<int>(most))]));
  }

  void command(double t, std::span<const double> q, std::span<const double> v) {
    if (torques_) torques_(t, q, v, tau_);
    for (std::size_t k = 0; k < nv_; ++k) {
      if (passive_[k]) tau_[k] = 0.0;
    }
    for (std::size_t k = 0; k < motors_.size(); ++k) motors_[k] = tau_[at(given_.actuated[k])];
  }

  std::string independent_names() const {
    std::vector<std::string> names;
    for (const int v : given_.independent) names.push_back(fmt::format("`{}`", model_.velocity_names[at(v)]));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[noreturn]] void end_at_dead_centre() const {
    throw ModesMeet(
        fmt::format("the loops of `{}` come to a dead centre: {} {} not determine how the other joints move on; {}",
                    model_.name, independent_names(), given_.independent.size() == 1 ? "does" : "do", way_through()));
  }

  // What to do about a pose that the driven joints do not determine.
  static std::string way_through() { return "use `--coordinates redundant`, or actuate another joint"; }

  const bool minimal_;
  const LoopPlan given_;
  const bool fixed_;         // the coordinates are those of the plan, except beside branches,
  bool other_ = false;       // where others are in use now
  const Model<double> led_;  // the same with the independent joints alone actuated
  bool feels_reactions_ = false;
  std::unique_ptr<LoopCoordinates> coordinates_;
  std::unique_ptr<ClosedForwardLosses> friction_;
  std::optional<ClosedForwardLosses::Decisions> settled_;  // at the end of the last step
  std::optional<LoopPlan> whole_plan_;                     // for code and Jacobians
  bool whole_plan_known_ = false;
  std::optional<DrivenCode> code_;
  double independence_ = 0.0;    // of the closures in general
  double chosen_margin_ = 0.0;   // of the coordinates in use, where they were chosen
  double looked_at_ = HUGE_VAL;  // the margin when a better choice was last looked for, in vain
  double usual_margin_ = 0.0;    // in general, or there if that is more
  double usual_pivot_ = 0.0;
  LoopCoordinates::Margin margin_;
  std::vector<double> margin_q_;
  bool near_branch_ = false;  // in this step: code, whose pivots are fixed, is not asked
  std::vector<double> tau_;   // of all joints
  std::vector<double> q_, v_, a_,
      motors_;  // closed pose, independent velocities and accelerations, torques of the actuated joints
  std::vector<bool> passive_;
  std::vector<double> moved_, guess_, in_, out_;
};

}  // namespace

std::unique_ptr<DrivenDynamics> make_loop_dynamics(const Model<double>& model, std::optional<Mechanism> mechanism,
                                                   Torques torques, DrivenOptions options) {
  return std::make_unique<LoopDynamics>(model, std::move(mechanism), std::move(torques), std::move(options));
}

}  // namespace lw
