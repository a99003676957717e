#include "driven.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../dynamics/loops/loop_plan.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

Model<double> moving(Model<double> model) {
  if (model.nv == 0) throw Error(ErrorCode::model, fmt::format("`{}` has no degrees of freedom", model.name));
  return with_drivers(std::move(model));
}

}  // namespace

Driven::Driven(const Mechanism& mechanism, Torques torques, DrivenOptions options)
    : System(moving(instantiate<double>(mechanism, options.values))),
      dynamics_(std::make_unique<DrivenDynamics>(this->model(), mechanism, std::move(torques), std::move(options))) {}
Driven::Driven(Model<double> model, Torques torques, DrivenOptions options)
    : System(moving(std::move(model))),
      dynamics_(std::make_unique<DrivenDynamics>(this->model(), std::nullopt, std::move(torques), std::move(options))) {
}
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
    const double tau = dynamics_->tau_[k];
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
std::span<const double> Driven::torques() const { return dynamics_->tau_; }
void Driven::set_torques(Torques torques) {
  dynamics_->torques_ = std::move(torques);
  if (!dynamics_->torques_) std::fill(dynamics_->tau_.begin(), dynamics_->tau_.end(), 0.0);
}
Energy<double> Driven::energy(const MotionState& state) { return dynamics_->energy(state); }
bool Driven::has_losses() const { return dynamics_->lossy_; }
bool Driven::is_dry() const { return dynamics_->dry_; }
DrivenOptions::Way Driven::way() const { return dynamics_->functions_->way; }
const std::vector<std::string>& Driven::notes() const { return dynamics_->functions_->notes; }
long Driven::by_algorithms() const { return dynamics_->plain_; }

}  // namespace lw
