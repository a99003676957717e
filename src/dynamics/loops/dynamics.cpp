#include "dynamics.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../assembly/assembly.hpp"
#include "../assembly/mode_identity.hpp"
#include "../derivatives/forward_derivatives.hpp"
#include "../derivatives/inverse_derivatives.hpp"
#include "../tree/kinematics.hpp"
#include "forward_losses.hpp"
#include "loop_position.hpp"
#include "multipliers.hpp"
#include "slopes.hpp"

namespace lw {
namespace {

// As far as a coordinate may move for Newton's method alone to keep the mode.
constexpr double kNearPose = 0.1;

}  // namespace

Dynamics::Dynamics(Plant plant)
    : plant_(std::move(plant)), work_(plant_.model, plant_.plan), q_(plant_.home), zero_(plant_.plan.freedoms(), 0.0) {
  find_blocks();
}
Dynamics::~Dynamics() = default;

void Dynamics::follow(In<double> independent, In<double> guess) {
  if (plan().is_tree()) {
    check_sizes("Dynamics", model(), {{"q", independent.size(), model().nq}});
    std::copy(independent.begin(), independent.end(), q_.begin());
    return;
  }
  std::vector<double> near = q_, first(guess.begin(), guess.end());
  if (first.empty()) {
    for (const int k : plan().dependent_q) first.push_back(q_[at(k)]);
  }
  for (std::size_t k = 0; k < first.size(); ++k) near[at(plan().dependent_q[k])] = first[k];
  for (std::size_t k = 0; k < plan().independent_q.size() && !guess.empty(); ++k)
    near[at(plan().independent_q[k])] = independent[k];
  LoopPosition<double> there = loop_position<double>(model(), plan(), independent, first);
  bool arrived = there.converged;
  for (std::size_t k = 0; k < q_.size() && arrived; ++k) arrived = std::abs(there.q[k] - near[k]) < kNearPose;
  if (arrived) {
    q_ = std::move(there.q);
    return;
  }
  Assembled from;
  from.q = q_;
  from.closed = true;
  q_ = continue_to(plant_.minimal, work_.tree, from, independent).q;
}

void Dynamics::inverse(In<double> q, In<double> qd, In<double> qdd, Out<double> tau, bool friction) {
  follow(q);
  inverse(qd, qdd, tau, friction);
}

void Dynamics::forward(In<double> q, In<double> qd, In<double> tau, Out<double> qdd, bool friction) {
  follow(q);
  forward(qd, tau, qdd, friction);
}

void Dynamics::mass_matrix(In<double> q, Out<double> M) {
  follow(q);
  check_sizes("mass_matrix", model(), {{"M", M.size(), static_cast<int>(zero_.size() * zero_.size())}});
  lw::mass_matrix<double>(model(), plan(), work_, q_, M);
}

void Dynamics::bias(In<double> q, In<double> qd, Out<double> force) {
  follow(q);
  forces(qd, zero_, force);
}

void Dynamics::gravity(In<double> q, Out<double> force) { bias(q, zero_, force); }

Transform<double> Dynamics::pose(In<double> q, int frame) {
  follow(q);
  forward_kinematics<double>(model(), work_.tree, q_);
  return frame_pose<double>(model(), work_.tree, frame);
}

void Dynamics::jacobian(In<double> q, int frame, Out<double> jacobian) {
  follow(q);
  set_pose<double>(model(), plan(), work_, q_);
  frame_jacobian<double>(model(), plan(), work_, frame, jacobian);
}

namespace {

void put_slopes(const std::vector<double>& columns, std::initializer_list<Out<double>> parts) {
  auto next = columns.begin();
  for (const Out<double>& part : parts) {
    std::copy_n(next, part.size(), part.begin());
    next += static_cast<std::ptrdiff_t>(part.size());
  }
}

}  // namespace

DerivativeWorkspace<double>* Dynamics::tree_derivatives() {
  if (plan().is_tree() && derivatives_ == nullptr)
    derivatives_ = std::make_unique<DerivativeWorkspace<double>>(model());
  return derivatives_.get();
}

void Dynamics::inverse_derivatives(In<double> q, In<double> qd, In<double> qdd, Out<double> d_q, Out<double> d_qd,
                                   Out<double> d_qdd) {
  const int n = static_cast<int>(plan().actuated.size() * zero_.size());
  check_sizes("inverse_derivatives", model(),
              {{"d_q", d_q.size(), n}, {"d_qd", d_qd.size(), n}, {"d_qdd", d_qdd.size(), n}});
  follow(q);
  if (auto* work = tree_derivatives())
    return lw::inverse_derivatives<double>(model(), *work, q, qd, qdd, d_q, d_qd, d_qdd);
  if (inverse_slopes_ == nullptr) inverse_slopes_ = std::make_unique<Slopes>(model(), plan(), Slopes::Of::inverse);
  std::vector<double> columns(d_q.size() + d_qd.size() + d_qdd.size());
  (*inverse_slopes_)(q, qd, qdd, plant_.dependent(q_), columns);
  put_slopes(columns, {d_q, d_qd, d_qdd});
}

void Dynamics::forward_derivatives(In<double> q, In<double> qd, In<double> tau, Out<double> d_q, Out<double> d_qd,
                                   Out<double> d_tau) {
  const int n = static_cast<int>(zero_.size()), m = static_cast<int>(plan().actuated.size());
  check_sizes("forward_derivatives", model(),
              {{"d_q", d_q.size(), n * n}, {"d_qd", d_qd.size(), n * n}, {"d_tau", d_tau.size(), n * m}});
  follow(q);
  if (auto* work = tree_derivatives())
    return lw::forward_derivatives<double>(model(), *work, q, qd, tau, d_q, d_qd, d_tau);
  if (forward_slopes_ == nullptr) forward_slopes_ = std::make_unique<Slopes>(model(), plan(), Slopes::Of::forward);
  std::vector<double> columns(d_q.size() + d_qd.size() + d_tau.size());
  (*forward_slopes_)(q, qd, tau, plant_.dependent(q_), columns);
  put_slopes(columns, {d_q, d_qd, d_tau});
}

void Dynamics::move(In<double> qd) {
  set_pose<double>(model(), plan(), work_, q_);
  tree_velocities<double>(model(), plan(), work_, qd);
}

std::vector<double> Dynamics::determinants() {
  set_pose<double>(model(), plan(), work_, q_);
  const auto n = static_cast<Eigen::Index>(plan().dependent.size());
  const Eigen::Map<const Eigen::MatrixXd> J(work_.square.data(), n, n);
  std::vector<double> list;
  for (const Block& block : blocks_) list.push_back(lw::determinant(Eigen::MatrixXd(J(block.rows, block.columns))));
  return list;
}

void Dynamics::find_blocks() {
  for (const ClosureBlock& shared : closure_blocks(model(), plan().independent)) {
    Block block;
    for (std::size_t k = 0; k < plan().equations.size(); ++k) {
      const auto loop = static_cast<int>(plan().equations.rows[k].loop);
      if (std::find(shared.loops.begin(), shared.loops.end(), loop) != shared.loops.end())
        block.rows.push_back(static_cast<int>(k));
    }
    for (std::size_t k = 0; k < plan().dependent.size(); ++k) {
      const auto& v = shared.velocities;
      if (std::find(v.begin(), v.end(), plan().dependent[k]) != v.end()) block.columns.push_back(static_cast<int>(k));
    }
    require(block.rows.size() == block.columns.size(), "loops that share joints determine these");
    if (!block.rows.empty()) blocks_.push_back(std::move(block));
  }
}

void Dynamics::require_inertia() { lw::require_inertia(model(), plan(), work_, q_); }

void Dynamics::set_wrenches(const std::vector<ForceElement<double>>& forces) {
  for (std::size_t k = 0; k < forces.size(); ++k) plant_.model.forces[k].wrench = forces[k].wrench;
}

void Dynamics::inverse(In<double> qd, In<double> qdd, Out<double> tau, bool friction) {
  if (!friction) return inverse_dynamics<double>(model(), plan(), work_, q_, qd, qdd, tau);
  if (losses_ == nullptr) losses_ = std::make_unique<ClosedLosses<double>>(model(), plan());
  losses_->inverse(work_, q_, qd, qdd);
  std::copy(losses_->losses.total.begin(), losses_->losses.total.end(), tau.begin());
}

void Dynamics::forward(In<double> qd, In<double> tau, Out<double> qdd, bool friction, bool same_directions) {
  if (!friction) return forward_dynamics<double>(model(), plan(), work_, q_, qd, tau, qdd);
  forward_losses()(q_, qd, tau, qdd, {.same_directions = same_directions});
}

ForwardLosses& Dynamics::forward_losses() {
  if (forward_losses_ == nullptr) forward_losses_ = std::make_unique<ForwardLosses>(model(), plan());
  return *forward_losses_;
}

}  // namespace lw
