#include "affine_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../model/over.hpp"
#include "../tree/crba.hpp"
#include "../tree/elements.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

Vec3<Dual> dual(const Vec3<double>& v, const Vec3<double>& d) { return {{v[0], d[0]}, {v[1], d[1]}, {v[2], d[2]}}; }

// Without what does not come of accelerations: torques and reactions are then linear in q̈.
Model<double> inertial_part(Model<double> model) {
  model.gravity = {};
  for (Body<double>& b : model.bodies) b.stiffness = 0.0;
  return without_elements(std::move(model));
}

std::vector<std::size_t> places_of(const std::vector<bool>& chosen) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (chosen[k]) places.push_back(k);
  }
  return places;
}

bool has_efficiencies(const Model<double>& model) {
  for (const Transmission<double>& t : model.transmissions) {
    if (std::any_of(t.drives.begin(), t.drives.end(), [](const DriveLoss<double>& d) { return !d.efficiency.empty(); }))
      return true;
  }
  return false;
}

}  // namespace

AffineLosses::AffineLosses(const Model<double>& model)
    : model_(model),
      inertial_(inertial_part(model)),
      laws_(over<Dual>(model)),
      work_(model),
      nv_(work_.h.size()),
      felt_(places_of(felt_reactions<double>(model))),
      plain_(felt_.empty() && !has_efficiencies(model)),
      elements_(has_elements(model)),
      M_(model.nv, model.nv),
      h_(model.nv),
      W_(nv_ * felt_.size()),
      w0_(felt_.size()),
      unit_(nv_),
      column_(nv_),
      qdd_(nv_),
      velocity_(nv_),
      reactions_(model.bodies.size()),
      losses_(model),
      reactions_dual_(model.bodies.size()),
      velocity_dual_(nv_),
      qdd_dual_(nv_),
      losses_dual_(laws_) {
  state_.reserve(static_cast<std::size_t>(model.nq) + nv_);
}

bool AffineLosses::take_equations_from(Equations equations) {
  if (elements_ || !felt_.empty()) return false;
  equations_ = std::move(equations);
  state_.clear();
  return true;
}

void AffineLosses::set_state(In<double> q, In<double> qd, std::span<const Force<double>> external) {
  std::copy(qd.begin(), qd.end(), velocity_.begin());
  drive_velocities<double>(model_, qd, losses_);
  if (felt_.empty()) return set_equations(q, qd, external);
  rnea_with_damping<double>(model_, work_, q, qd, work_.zero, column_, losses_.damping, external);
  h_ = Eigen::Map<const Eigen::VectorXd>(column_.data(), h_.size());
  for (std::size_t b = 0; b < felt_.size(); ++b) w0_[b] = work_.force[felt_[b]];
  for (std::size_t j = 0; j < nv_; ++j) {
    unit_[j] = 1.0;
    rnea<double>(inertial_, work_, q, work_.zero, unit_, column_);
    unit_[j] = 0.0;
    M_.col(static_cast<Eigen::Index>(j)) = Eigen::Map<const Eigen::VectorXd>(column_.data(), h_.size());
    for (std::size_t b = 0; b < felt_.size(); ++b) W_[j * felt_.size() + b] = work_.force[felt_[b]];
  }
}

// Steps of an integrator end and begin in the same state, with other torques at most.
void AffineLosses::set_equations(In<double> q, In<double> qd, std::span<const Force<double>> external) {
  const bool alone = !elements_ && external.empty();
  if (alone && state_.size() == q.size() + qd.size() && std::equal(q.begin(), q.end(), state_.begin()) &&
      std::equal(qd.begin(), qd.end(), state_.end() - static_cast<std::ptrdiff_t>(qd.size()))) {
    return;
  }
  const Out<double> M(M_.data(), nv_ * nv_), h(h_.data(), nv_);
  if (alone && equations_) {
    equations_(q, qd, M, h);
  } else {
    rnea_with_damping<double>(model_, work_, q, qd, work_.zero, h, losses_.damping, external);
    crba<double>(model_, work_, q, M);
  }
  state_.clear();
  if (!alone) return;
  state_.insert(state_.end(), q.begin(), q.end());
  state_.insert(state_.end(), qd.begin(), qd.end());
}

void AffineLosses::evaluate(In<double> qdd, In<double> force) {
  std::copy(qdd.begin(), qdd.end(), qdd_.begin());
  for (std::size_t b = 0; b < felt_.size(); ++b) {
    Force<double> sum = w0_[b];
    for (std::size_t j = 0; j < nv_; ++j) {
      const Force<double>& w = W_[j * felt_.size() + b];
      sum += Force<double>{w.ang * qdd[j], w.lin * qdd[j]};
    }
    reactions_[felt_[b]] = sum;
  }
  const Eigen::Map<const Eigen::VectorXd> a(qdd_.data(), h_.size());
  for (std::size_t v = 0; v < nv_; ++v) {
    const auto k = static_cast<Eigen::Index>(v);
    losses_.dynamic[v] = h_[k] + M_.row(k).dot(a) + force[v];
  }
  losses_at<double>(model_, reactions_, {}, velocity_, qdd_, losses_);
}

void AffineLosses::evaluate_at(In<double> velocity, Losses<double>& other) const {
  losses_at<double>(model_, reactions_, {}, velocity, qdd_, other);
}

double AffineLosses::rounding(std::size_t v) const {
  const auto k = static_cast<Eigen::Index>(v);
  const Eigen::Map<const Eigen::VectorXd> a(qdd_.data(), h_.size());
  return std::numeric_limits<double>::epsilon() * (std::abs(h_[k]) + M_.row(k).cwiseAbs().dot(a.cwiseAbs()) +
                                                   std::abs(losses_.total[v]) + std::abs(losses_.bearing[v]));
}

void AffineLosses::slopes(std::size_t j, By by, Eigen::Ref<Eigen::VectorXd> of_total) {
  const bool force = by == By::force;
  for (std::size_t v = 0; v < nv_; ++v) {
    const double own = v == j ? 1.0 : 0.0;
    const double slope = force ? own : M_(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(j));
    losses_dual_.dynamic[v] = {losses_.dynamic[v], slope};
    qdd_dual_[v] = {qdd_[v], force ? 0.0 : own};
    velocity_dual_[v] = velocity_[v];
    losses_dual_.velocity[v] = losses_.velocity[v];
    losses_dual_.damping[v] = losses_.damping[v];
  }
  for (std::size_t b = 0; b < felt_.size(); ++b) {
    const Force<double>& w = reactions_[felt_[b]];
    const Force<double> d = force ? Force<double>{} : W_[j * felt_.size() + b];
    reactions_dual_[felt_[b]] = {dual(w.ang, d.ang), dual(w.lin, d.lin)};
  }
  losses_at<Dual>(laws_, reactions_dual_, {}, velocity_dual_, qdd_dual_, losses_dual_);
  for (std::size_t v = 0; v < nv_; ++v) of_total[static_cast<Eigen::Index>(v)] = losses_dual_.total[v].d;
}

}  // namespace lw
