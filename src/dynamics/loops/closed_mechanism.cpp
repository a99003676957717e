#include "closed_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../assembly/assembly.hpp"
#include "../assembly/mode_identity.hpp"
#include "loop_position.hpp"
#include "multipliers.hpp"

namespace lw {
namespace {

// As far as a coordinate may move for Newton's method alone to keep the mode.
constexpr double kNearPose = 0.1;

}  // namespace

ClosedMechanism::ClosedMechanism(Model<double> model)
    : model_(with_drivers(std::move(model))), led_(model_), plan_(plan_loops(model_)), work_(model_, plan_), q_() {
  led_ = led_by(std::move(led_), plan_.independent);
  find_blocks();
  q_ = assemble_home(led_).q;
}

std::vector<double> ClosedMechanism::independent() const {
  std::vector<double> part;
  for (const int k : plan_.independent_q) part.push_back(q_[at(k)]);
  return part;
}

void ClosedMechanism::follow(In<double> independent, In<double> guess) {
  std::vector<double> near = q_, first(guess.begin(), guess.end());
  if (first.empty()) {
    for (const int k : plan_.dependent_q) first.push_back(q_[at(k)]);
  }
  for (std::size_t k = 0; k < first.size(); ++k) near[at(plan_.dependent_q[k])] = first[k];
  for (std::size_t k = 0; k < plan_.independent_q.size() && !guess.empty(); ++k)
    near[at(plan_.independent_q[k])] = independent[k];
  LoopPosition<double> there = loop_position<double>(model_, plan_, independent, first);
  bool arrived = there.converged;
  for (std::size_t k = 0; k < q_.size() && arrived; ++k) arrived = std::abs(there.q[k] - near[k]) < kNearPose;
  if (arrived) {
    q_ = std::move(there.q);
    return;
  }
  Assembled from;
  from.q = q_;
  from.closed = true;
  q_ = continue_to(led_, work_.tree, from, independent).q;
}

void ClosedMechanism::move(In<double> qd) {
  set_closed_pose<double>(model_, plan_, work_, q_);
  closed_velocities<double>(model_, plan_, work_, qd);
}

std::vector<double> ClosedMechanism::determinants() {
  set_closed_pose<double>(model_, plan_, work_, q_);
  const auto n = static_cast<Eigen::Index>(plan_.dependent.size());
  const Eigen::Map<const Eigen::MatrixXd> J(work_.square.data(), n, n);
  std::vector<double> list;
  for (const Block& block : blocks_) list.push_back(lw::determinant(Eigen::MatrixXd(J(block.rows, block.columns))));
  return list;
}

void ClosedMechanism::find_blocks() {
  for (const ClosureBlock& shared : closure_blocks(model_, plan_.independent)) {
    Block block;
    for (std::size_t k = 0; k < plan_.equations.size(); ++k) {
      const auto loop = static_cast<int>(plan_.equations.rows[k].loop);
      if (std::find(shared.loops.begin(), shared.loops.end(), loop) != shared.loops.end())
        block.rows.push_back(static_cast<int>(k));
    }
    for (std::size_t k = 0; k < plan_.dependent.size(); ++k) {
      const auto& v = shared.velocities;
      if (std::find(v.begin(), v.end(), plan_.dependent[k]) != v.end()) block.columns.push_back(static_cast<int>(k));
    }
    require(block.rows.size() == block.columns.size(), "loops that share joints determine these");
    if (!block.rows.empty()) blocks_.push_back(std::move(block));
  }
}

void ClosedMechanism::require_inertia() {
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  std::vector<double> H(plan_.freedoms() * plan_.freedoms());
  closed_mass_matrix<double>(model_, plan_, work_, q_, H);
  const Eigen::MatrixXd M = Eigen::Map<const Eigen::MatrixXd>(H.data(), n, n);
  // next to a singular pose, which is another matter, what moves fastest hides the inertia of the rest
  constexpr double kFast = 1e6;
  const bool sound = std::all_of(work_.R.begin(), work_.R.end(), [](double x) { return std::abs(x) < kFast; });
  if (!sound || is_definite(M)) return;
  Eigen::Index most = 0;
  Svd(M).V.col(n - 1).cwiseAbs().maxCoeff(&most);
  throw Error(ErrorCode::data, no_inertia(model_, plan_.independent[at(static_cast<int>(most))]));
}

void ClosedMechanism::set_wrenches(const std::vector<ForceElement<double>>& forces) {
  for (std::size_t k = 0; k < forces.size(); ++k) model_.forces[k].wrench = forces[k].wrench;
  if (forward_losses_ != nullptr) forward_losses_->set_wrenches(model_.forces);
}

void ClosedMechanism::inverse(In<double> qd, In<double> qdd, Out<double> tau, bool friction) {
  if (!friction) return closed_inverse<double>(model_, plan_, work_, q_, qd, qdd, tau);
  if (losses_ == nullptr) losses_ = std::make_unique<ClosedLosses<double>>(model_, plan_);
  losses_->inverse(work_, q_, qd, qdd);
  std::copy(losses_->losses.total.begin(), losses_->losses.total.end(), tau.begin());
}

void ClosedMechanism::forward(In<double> qd, In<double> tau, Out<double> qdd, bool friction, bool same_directions) {
  if (!friction) return closed_forward<double>(model_, plan_, work_, q_, qd, tau, qdd);
  forward_losses()(work_, q_, qd, tau, qdd, {}, same_directions);
}

ClosedForwardLosses& ClosedMechanism::forward_losses() {
  if (forward_losses_ == nullptr) forward_losses_ = std::make_unique<ClosedForwardLosses>(model_, plan_);
  return *forward_losses_;
}

}  // namespace lw
