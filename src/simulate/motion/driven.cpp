#include "driven.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../dynamics/loops/loop_plan.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "dissipation.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

// Flat code of more takes the compiler minutes.
constexpr int kLargestCompiledMotion = 60;

Model<double> moving(Model<double> model) {
  if (model.nv == 0) throw Error(ErrorCode::model, fmt::format("nothing moves in `{}`", model.name));
  return model.loops.empty() ? model : with_drivers(std::move(model));
}

bool depends_on_time(const Mechanism& mechanism) {
  return std::any_of(mechanism.parameters.begin(), mechanism.parameters.end(),
                     [](const Parameter& p) { return p.name == "t"; });
}

Model<double> outer_forces_alone(Model<double> model) {
  model.joint_elements.clear();
  model.springs.clear();
  model.shafts.clear();
  return model;
}

std::unique_ptr<DrivenDynamics> dynamics_of(const Model<double>& model, std::optional<Mechanism> mechanism,
                                            Torques torques, DrivenOptions options) {
  const auto make = model.loops.empty() ? make_tree_dynamics : make_loop_dynamics;
  return make(model, std::move(mechanism), std::move(torques), std::move(options));
}

}  // namespace

DrivenDynamics::DrivenDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques,
                               DrivenOptions options)
    : mechanism_(std::move(mechanism)),
      options_(std::move(options)),
      torques_(std::move(torques)),
      model_(model),
      nq_(static_cast<std::size_t>(model_.nq)),
      nv_(static_cast<std::size_t>(model_.nv)),
      lossy_(options_.friction && dissipates(model_)),
      timed_(!model_.forces.empty() && mechanism_ && depends_on_time(*mechanism_)),
      work_(model_),
      outer_(outer_forces_alone(model_)),
      outer_torques_(nv_) {
  if (timed_) trace_wrenches();
}

TraceOptions DrivenDynamics::trace_options() const {
  TraceOptions trace;
  trace.values = options_.values;
  trace.friction = lossy_;
  if (timed_) trace.keep = {"t"};
  return trace;
}

bool DrivenDynamics::wants_code() {
  if (options_.way == DrivenOptions::Way::reference || !mechanism_) return false;
  if (options_.way == DrivenOptions::Way::automatic && model_.nv > kLargestCompiledMotion) {
    notes_.push_back(fmt::format("`{}` is not compiled: code for more than {} velocities takes minutes to make",
                                 model_.name, kLargestCompiledMotion));
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
        out[0][6 * k + static_cast<std::size_t>(i)] = model.forces[k].wrench.ang[i];
        out[0][6 * k + 3 + static_cast<std::size_t>(i)] = model.forces[k].wrench.lin[i];
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
      model_.forces[k].wrench.ang[i] = wrench_[6 * k + static_cast<std::size_t>(i)];
      model_.forces[k].wrench.lin[i] = wrench_[6 * k + 3 + static_cast<std::size_t>(i)];
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

Driven::Driven(const Mechanism& mechanism, Torques torques, DrivenOptions options)
    : System(moving(instantiate<double>(mechanism, options.values))),
      dynamics_(dynamics_of(this->model(), mechanism, std::move(torques), std::move(options))) {}
Driven::Driven(Model<double> model, Torques torques, DrivenOptions options)
    : System(moving(std::move(model))),
      dynamics_(dynamics_of(this->model(), std::nullopt, std::move(torques), std::move(options))) {}
Driven::~Driven() = default;

int Driven::nz() const { return dynamics_->options_.work ? 2 : 0; }

// What goes wrong on the way (a joint jams, an input ends), with the state in which it does.
template <class Action>
auto Driven::telling(double t, std::span<const double> q, std::span<const double> v, const Action& action) const {
  try {
    return action();
  } catch (const NotFinite&) {
    throw;
  } catch (const ModesMeet&) {
    throw;
  } catch (const BranchUndecided&) {
    throw;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::data) throw;
    throw Error(ErrorCode::data, fmt::format("{}, at {}", e.what(), describe(t, q, v)));
  }
}

void Driven::slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double>,
                    std::span<double> a, std::span<double> dz) {
  telling(t, q, v, [&] { dynamics_->slopes(t, q, v, a, dz); });
  if (all_finite(a)) [[likely]]
    return;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double tau = dynamics_->tau()[k];
    if (std::isfinite(tau)) continue;
    throw NotFinite(
        fmt::format("the torque of `{}` is {} at {}", model().velocity_names[k], fault_of(tau), describe(t, q, v)));
  }
  require_finite(t, q, v, a);
}

bool Driven::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                      std::span<double> d_v) {
  return dynamics_->jacobian(t, q, v, d_q, d_v);
}
bool Driven::begin(const MotionState& state) {
  if (keeps_decisions_) return false;
  return telling(state.t, state.q, state.v, [&] { return dynamics_->begin(state); });
}
bool Driven::still_holds(const MotionState& state) {
  return telling(state.t, state.q, state.v, [&] { return dynamics_->still_holds(state); });
}
std::vector<std::string> Driven::settle(MotionState& state) { return dynamics_->settle(state); }
void Driven::close(MotionState& state) {
  telling(state.t, state.q, state.v, [&] { dynamics_->close(state); });
}
int Driven::parts(const MotionState& from, const MotionState& to) const { return dynamics_->parts(from, to); }
System::Passage Driven::passage(const MotionState& from, const MotionState& to) { return dynamics_->passage(from, to); }
bool Driven::is_near_branch(const MotionState& state) { return dynamics_->is_near_branch(state); }
bool Driven::may_pass_by(const MotionState& state) { return dynamics_->may_pass_by(state); }
double Driven::time_to_branch(const MotionState& state) { return dynamics_->time_to_branch(state); }
std::string Driven::describe_branch(const MotionState& state) { return dynamics_->describe_branch(state); }
void Driven::assemble(MotionState& state) const { dynamics_->assemble(state); }
void Driven::complete(MotionState& state) const {
  telling(state.t, state.q, state.v, [&] { dynamics_->complete(state); });
}
double Driven::opening(const MotionState& state) const { return dynamics_->opening(state); }
std::span<const double> Driven::torques() const { return dynamics_->tau(); }
void Driven::set_torques(Torques torques) {
  dynamics_->torques_ = std::move(torques);
  if (!dynamics_->torques_) std::fill(dynamics_->tau().begin(), dynamics_->tau().end(), 0.0);
}
Energy<double> Driven::energy(const MotionState& state) { return dynamics_->energy(state); }
bool Driven::has_losses() const { return dynamics_->lossy_; }
bool Driven::is_dry() const { return dynamics_->dry_; }
DrivenOptions::Way Driven::way() const { return dynamics_->way_; }
const std::vector<std::string>& Driven::notes() const { return dynamics_->notes_; }
long Driven::by_algorithms() const { return dynamics_->plain_; }

}  // namespace lw
