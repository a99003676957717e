#include "closed_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "../base/index.hpp"
#include "assembly.hpp"
#include "loop_position.hpp"

namespace lw {
namespace {

// As far as a coordinate may move for Newton's method alone to keep the mode.
constexpr double kNearPose = 0.1;

Model<double> led_by(Model<double> model, const std::vector<int>& independent) {
  for (JointInfo& joint : model.joints) {
    joint.actuated = std::any_of(independent.begin(), independent.end(),
                                 [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
  }
  return model;
}

}  // namespace

ClosedMechanism::ClosedMechanism(Model<double> model)
    : model_(with_drivers(std::move(model))),
      led_(model_),
      plan_(plan_loops(model_)),
      work_(model_, plan_),
      q_() {
  led_ = led_by(std::move(led_), plan_.independent);
  q_ = assemble_home(led_).q;
}

std::vector<double> ClosedMechanism::independent() const {
  std::vector<double> part;
  for (const int k : plan_.independent_q) part.push_back(q_[at(k)]);
  return part;
}

void ClosedMechanism::follow(In<double> independent) {
  std::vector<double> guess;
  for (const int k : plan_.dependent_q) guess.push_back(q_[at(k)]);
  LoopPosition<double> there = loop_position<double>(model_, plan_, independent, guess);
  bool near = there.converged;
  for (std::size_t k = 0; k < q_.size() && near; ++k) near = std::abs(there.q[k] - q_[k]) < kNearPose;
  if (near) {
    q_ = std::move(there.q);
    return;
  }
  Assembled from;
  from.q = q_;
  from.closed = true;
  q_ = continue_to(led_, work_.tree, from, independent).q;
}

void ClosedMechanism::inverse(In<double> qd, In<double> qdd, Out<double> tau, bool friction) {
  if (!friction) return closed_inverse<double>(model_, plan_, work_, q_, qd, qdd, tau);
  if (losses_ == nullptr) losses_ = std::make_unique<ClosedLosses<double>>(model_, plan_);
  losses_->inverse(work_, q_, qd, qdd);
  std::copy(losses_->losses.total.begin(), losses_->losses.total.end(), tau.begin());
}

void ClosedMechanism::forward(In<double> qd, In<double> tau, Out<double> qdd, bool friction) {
  if (!friction) return closed_forward<double>(model_, plan_, work_, q_, qd, tau, qdd);
  if (forward_losses_ == nullptr) forward_losses_ = std::make_unique<ClosedForwardLosses>(model_, plan_);
  (*forward_losses_)(work_, q_, qd, tau, qdd);
}

}  // namespace lw
