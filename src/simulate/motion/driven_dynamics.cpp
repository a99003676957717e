#include "driven_dynamics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "dissipation.hpp"

namespace lw {
namespace {

// Flat code of more takes the compiler minutes.
constexpr int kLargestCompiledMotion = 60;

constexpr double kReach = 0.5;  // rad, middling links: as far as a state may be from the closed one that it stands for
constexpr double kPassBy = 2e-3;       // likewise: where ordinary steps are still good
constexpr double kTrustMotion = 1e-2;  // likewise: there the motion is known better than closures tell it
constexpr double kLookAgain = 0.7;     // of the margin when nothing better was found
constexpr double kChooseAgain = 0.3;   // of the margin that the choice had when it was made

bool depends_on_time(const Mechanism& mechanism) {
  return std::ranges::any_of(mechanism.parameters, [](const Parameter& p) { return p.name == "t"; });
}

Model<double> outer_forces_alone(Model<double> model) {
  model.joint_elements.clear();
  model.springs.clear();
  model.shafts.clear();
  return model;
}

// Of a ball joint that is independent in part, which part it is changes with the pose.
bool divides_a_ball(const Model<double>& model, const LoopPlan& plan) {
  return std::ranges::any_of(model.joints, [&](const JointInfo& joint) {
    const bool ball = joint.type == JointType::spherical || joint.type == JointType::floating;
    const auto own = std::ranges::count_if(plan.independent,
                                           [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
    return ball && own > 0 && own < velocities(joint.type);
  });
}

}  // namespace

DrivenDynamics::DrivenDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques,
                               DrivenOptions options)
    : mechanism_(std::move(mechanism)),
      options_(std::move(options)),
      torques_(std::move(torques)),
      model_(model),
      nq_(at(model_.nq)),
      nv_(at(model_.nv)),
      lossy_(options_.friction && dissipates(model_)),
      timed_(!model_.forces.empty() && mechanism_ && depends_on_time(*mechanism_)),
      given_(plan_coordinates(model_)),
      tau_(nv_, 0.0),
      work_(model_),
      outer_(outer_forces_alone(model_)),
      outer_torques_(nv_),
      fixed_(options_.coordinates == DrivenOptions::Coordinates::minimal && !divides_a_ball(model_, given_)),
      led_(led_by(model_, given_.independent)),
      motors_(given_.actuated.size()) {
  if (timed_) trace_wrenches();
  for (int v = 0; v < model_.nv; ++v) {
    if (std::ranges::find(given_.actuated, v) == given_.actuated.end()) passive_.push_back(v);
  }
  feels_reactions_ = lossy_ && ClosedLosses<double>(model_, given_).feels_reactions();
  independence_ = independence_of_closures(model_, given_, given_.general_pose);
  use(given_, given_.general_pose);
  dry_ = friction_ != nullptr && friction_->is_dry();
  functions_ = given_.is_tree() ? functions_of_tree(*this) : functions_of_loops(*this);
  if (friction_ != nullptr) functions_->serve(*friction_);
}

bool MotionFunctions::wants_code(const DrivenDynamics& motion) {
  if (motion.options_.way == DrivenOptions::Way::reference || !motion.mechanism_) return false;
  if (motion.options_.way == DrivenOptions::Way::automatic && motion.model_.nv > kLargestCompiledMotion) {
    notes.push_back(fmt::format("`{}` is not compiled: code for more than {} velocities takes minutes to make",
                                motion.model_.name, kLargestCompiledMotion));
    return false;
  }
  return true;
}

void DrivenDynamics::trace_wrenches() {
  const std::size_t count = model_.forces.size();
  Function f = trace("wrenches", {{"t", 1}}, {{"wrenches", 6 * count}}, [&](const Arguments& in, Results& out) {
    ParameterValues<Expr> values;
    for (const auto& [name, value] : options_.values) values.emplace(name, Expr(value));
    values.insert_or_assign("t", in[0][0]);
    const Model<Expr> model = instantiate<Expr>(*mechanism_, values);
    for (std::size_t k = 0; k < count; ++k) {
      for (int i = 0; i < 3; ++i) {
        out[0][6 * k + at(i)] = model.forces[k].wrench.ang[i];
        out[0][6 * k + 3 + at(i)] = model.forces[k].wrench.lin[i];
      }
    }
  });
  wrenches_.emplace(f);
  wrench_.resize(6 * count);
}

void DrivenDynamics::set_time(double t) {
  (*wrenches_)(std::span<const double>(&t, 1), wrench_);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      model_.forces[k].wrench.ang[i] = wrench_[6 * k + at(i)];
      model_.forces[k].wrench.lin[i] = wrench_[6 * k + 3 + at(i)];
    }
    outer_.forces[k].wrench = model_.forces[k].wrench;
  }
}

double DrivenDynamics::outer_power(std::span<const double> q, std::span<const double> v) {
  element_torques<double>(outer_, work_, q, outer_torques_);
  return power_of(outer_torques_, v);
}

Energy<double> DrivenDynamics::energy(const MotionState& s) {
  forward_velocities<double>(model_, work_, s.q, s.v);
  return lw::energy<double>(model_, work_, s.q, s.v);
}

void DrivenDynamics::slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
                            std::span<double> dz) {
  if (dry_) split(v);
  if (functions_->has_code() && !near_branch_ && (!dry_ || friction_->all_move(v_))) {
    if (timed_) set_time(t);
    command(t, q, v);
    if (functions_->accelerations(t, q, v, motors_, a)) {
      if (dz.empty()) return;
      dz[0] = power_of(tau_, v);
      dz[1] = lossy_ ? functions_->lost_power(v, a) : 0.0;
      if (!model_.forces.empty()) dz[0] += outer_power(q, v);
      return;
    }
  }
  ++plain_;
  stand(t, q, v);
  if (is_at_branch()) return limit_of_slopes(t, q, v, a, dz);
  accelerate(a, dz);
}

bool DrivenDynamics::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                              std::span<double> d_v) {
  if (!functions_->has_jacobian(!other_)) return false;
  stand(t, q, v);
  const auto lossy_accelerations = [this] {
    (*friction_)(q_, v_, motors_, a_, {.same_directions = true});
    return std::span<const double>(a_);
  };
  d_tau_.resize(nv_ * motors_.size());
  functions_->jacobian({t, q_, moved_, motors_, lossy_accelerations, friction_.get()}, d_q, d_v, d_tau_);
  if (!options_.derivatives) return true;
  tau_q_.assign(nv_ * nv_, 0.0);
  tau_v_.assign(nv_ * nv_, 0.0);
  options_.derivatives(t, q_, moved_, tau_q_, tau_v_);
  for (std::size_t m = 0; m < motors_.size(); ++m) {
    for (std::size_t k = 0; k < nv_; ++k) {
      const std::size_t from = k * nv_ + at(given_.actuated[m]);
      for (std::size_t i = 0; i < nv_; ++i) {
        d_q[k * nv_ + i] += d_tau_[m * nv_ + i] * tau_q_[from];
        d_v[k * nv_ + i] += d_tau_[m * nv_ + i] * tau_v_[from];
      }
    }
  }
  return true;
}

bool DrivenDynamics::begin(const MotionState& s) {
  if (settled_) friction_->take(*std::exchange(settled_, std::nullopt));
  choose(s.q);
  if (!dry_) return false;
  const std::vector<int> before = friction_->modes();
  split(s.v);
  if (!friction_->decide_by_motion(v_)) {
    ++plain_;
    stand(s.t, s.q, s.v);
    (*friction_)(q_, v_, motors_, a_);
  }
  return before != friction_->modes();
}

bool DrivenDynamics::still_holds(const MotionState& s) {
  if (!dry_) return true;
  stand(s.t, s.q, s.v);
  return friction_->still_fits(q_, v_, motors_);
}

std::vector<std::string> DrivenDynamics::settle(MotionState& s) {
  if (!dry_) return {};
  stand(s.t, s.q, s.v);
  // what is decided here is for the next step: states within the last one may still be asked for
  ForwardLosses::Decisions of_this_step = friction_->decisions();
  std::vector<std::string> names = friction_->settle(q_, v_, motors_);
  leave(s);
  settled_ = friction_->decisions();
  friction_->take(of_this_step);
  return names;
}

void DrivenDynamics::close(MotionState& s) {
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
  if (dry_) friction_->hold(q_, v_);
  leave(s, !dry_);
}

bool DrivenDynamics::is_near_branch(const MotionState& s) {
  near_branch_ = margin_at(s.q).least < kSmallMargin * usual_margin_ && branches_are_near(s.q);
  return near_branch_;
}

bool DrivenDynamics::may_pass_by(const MotionState& s) {
  return independence_of_closures(model_, given_, s.q) > kPassBy * independence_;
}

int DrivenDynamics::parts(const MotionState& from, const MotionState& to) const {
  // as far as a joint may move and its loops still be where their Jacobian was
  constexpr double kStride = 0.35, kMost = 1000.0;
  const double h = to.t - from.t;
  double most = 0.0;
  for (std::size_t k = 0; k < nq_; ++k) most = std::max(most, std::abs(to.q[k] - from.q[k]));
  for (std::size_t k = 0; k < nv_; ++k) most = std::max(most, h * std::max(std::abs(from.v[k]), std::abs(to.v[k])));
  return static_cast<int>(std::clamp(std::ceil(most / kStride), 1.0, kMost));
}

double DrivenDynamics::opening(const MotionState& s) {
  double most = 0.0;
  for (const double r : closure_state(model_, work_, s.q).residual) most = std::max(most, std::abs(r));
  return most;
}

void DrivenDynamics::use(LoopPlan plan, std::span<const double> q) {
  auto next = std::make_unique<LoopCoordinates>(model_, std::move(plan));
  if (lossy_) {
    auto losses = std::make_unique<ForwardLosses>(model_, next->plan());
    if (friction_ != nullptr) losses->take(friction_->decisions());
    friction_ = std::move(losses);
    if (functions_ != nullptr) functions_->serve(*friction_);
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
    set_pose<double>(model_, coordinates_->plan(), work(), pose);
    usual_pivot_ = std::clamp(work().factors.smallest_pivot(), usual_pivot_, std::numeric_limits<double>::max());
  }
}

bool DrivenDynamics::branches_are_near(std::span<const double> q) const {
  return independence_of_closures(model_, given_, q) < kNearBranch * independence_;
}

// The last one is asked for again and again: where a step ends the next begins.
const LoopCoordinates::Margin& DrivenDynamics::margin_at(std::span<const double> q) {
  if (!std::ranges::equal(q, margin_q_)) {
    margin_ = coordinates_->margin(q);
    margin_q_.assign(q.begin(), q.end());
  }
  return margin_;
}

// Beside branches the coordinates are chosen by their margin even if the plan's are wanted: a crossing is one long
// step, and may lead over a dead centre of the plan's.
void DrivenDynamics::choose(std::span<const double> q) {
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
void DrivenDynamics::choose_again(std::span<const double> q) {
  const double margin = margin_at(q).least;
  if (margin >= kChooseAgain * chosen_margin_ || margin >= kLookAgain * looked_at_) return;
  LoopChoice choice = choose_coordinates(model_, given_, q, keeps_equations());
  looked_at_ = margin;
  if (choice.margin < 2.0 * margin) return;
  use(std::move(choice.plan), q);
}

void DrivenDynamics::split(std::span<const double> v) {
  const std::vector<int>& independent = coordinates_->plan().independent;
  for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = v[at(independent[k])];
}

// The closed pose that a state stands for, how fast all joints move there, and what drives them. Where there is no
// such pose, a shorter step may find one.
void DrivenDynamics::stand(double t, std::span<const double> q, std::span<const double> v) {
  if (timed_) set_time(t);
  q_.assign(q.begin(), q.end());
  split(v);
  if (!coordinates_->close(q_, kReach)) {
    q_.assign(q.begin(), q.end());
    set_pose<double>(model_, coordinates_->plan(), work(), q_);
    if (!is_at_branch()) throw NotFinite(fmt::format("the loops of `{}` cannot be closed in this pose", model_.name));
  }
  tree_velocities<double>(model_, coordinates_->plan(), work(), v_);
  moved_ = work().qd;
  command(t, q_, moved_);
}

// At the pose and velocities of `stand`.
void DrivenDynamics::accelerate(std::span<double> a, std::span<double> dz) {
  const LoopPlan& plan = coordinates_->plan();
  if (lossy_)
    (*friction_)(q_, v_, motors_, a_, {.same_directions = dry_});
  else
    forward_dynamics<double>(model_, plan, work(), q_, v_, motors_, a_, {}, PoseIs::set);
  work().qd = moved_;
  tree_accelerations<double>(model_, plan, work(), q_, a_);
  std::ranges::copy(work().qdd, a.begin());
  if (dz.empty()) return;
  dz[0] = power_of(tau_, moved_);
  dz[1] = lossy_ ? friction_->lost_power(v_) : 0.0;
  if (!model_.forces.empty()) dz[0] += outer_power(q_, moved_);
}

void DrivenDynamics::leave(MotionState& s, bool posed) {
  const LoopPlan& plan = coordinates_->plan();
  if (!posed) prepare_projection<double>(model_, plan, work(), q_);
  tree_velocities<double>(model_, plan, work(), v_);
  s.q = q_;
  s.v = work().qd;
}

void DrivenDynamics::command(double t, std::span<const double> q, std::span<const double> v) {
  if (torques_) torques_(t, q, v, tau_);
  for (const int passive : passive_) tau_[at(passive)] = 0.0;
  for (std::size_t k = 0; k < motors_.size(); ++k) motors_[k] = tau_[at(given_.actuated[k])];
}

std::string DrivenDynamics::independent_names() const {
  std::vector<std::string> names;
  for (const int v : given_.independent) names.push_back(fmt::format("`{}`", model_.velocity_names[at(v)]));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace lw
