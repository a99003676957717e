// Which joints with dry friction stick, which slip and which way: decided at the beginning of a step, kept through it,
// judged at its end.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../linear/box_complementarity.hpp"
#include "../linear/fixed_point.hpp"
#include "closed_forward_losses.hpp"

namespace lw {

using Eigen::MatrixXd, Eigen::VectorXd;

MatrixXd ClosedForwardLosses::sticking_rows(VectorXd* biases) const {
  std::vector<const Dry*> held;
  for (const Dry& d : dry_) {
    if (d.mode == Mode::sticks) held.push_back(&d);
  }
  MatrixXd rows(static_cast<Eigen::Index>(held.size()), H_.cols());
  if (biases != nullptr) biases->resize(rows.rows());
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const Dry& d = *held[static_cast<std::size_t>(k)];
    // rows of one size: in the metric of H, D_jj = 1
    const double size = L_.triangularView<Eigen::Lower>().solve(d.a).norm();
    const double scale = size > 0.0 ? 1.0 / size : 0.0;
    rows.row(k) = scale * d.a.transpose();
    if (biases != nullptr) (*biases)[k] = scale * d.b;
  }
  return rows;
}

VectorXd ClosedForwardLosses::accelerations(const VectorXd& pushed) const {
  VectorXd force = pushed;
  for (const Dry& d : dry_) {
    if (d.mode == Mode::slips && d.drive < 0) force -= d.a * (d.direction * d.size);
  }
  VectorXd biases;
  const MatrixXd rows = sticking_rows(&biases);
  const auto lower = L_.triangularView<Eigen::Lower>();
  const auto upper = L_.transpose().triangularView<Eigen::Upper>();
  if (rows.rows() == 0) return upper.solve(VectorXd(lower.solve(force)));
  // q̈ = L⁻ᵀ x:  B x = −b, B = A L⁻ᵀ, and the rest of x as the force has it
  const MatrixXd B = lower.solve(rows.transpose()).transpose();
  const Svd svd(B, true);
  const Eigen::Index left = force.size() - svd.rank(kOneFreedom);
  VectorXd x = -svd.solve(biases, kOneFreedom);
  if (left > 0) {
    const MatrixXd V = svd.V.rightCols(left);
    x += V * (V.transpose() * (VectorXd(lower.solve(force)) - x));
  }
  VectorXd qdd = upper.solve(x);
  // an independent joint that sticks has an acceleration of 0 in every bit
  for (const Dry& d : dry_) {
    if (d.mode != Mode::sticks || d.cut >= 0) continue;
    const auto own = std::find(plan_.independent.begin(), plan_.independent.end(), static_cast<int>(velocity_of(d)));
    if (own != plan_.independent.end()) qdd[own - plan_.independent.begin()] = 0.0;
  }
  return qdd;
}

// What can hold a joint, as a part of what could in a general pose: below it, its row is zero but for rounding.
double ClosedForwardLosses::firm_enough(const Dry& d, const PlantWorkspace<double>& work) const {
  constexpr double kNothing = 1e-20;
  const auto lower = L_.triangularView<Eigen::Lower>();
  const std::size_t nv = at(model_.nv), n = plan_.freedoms();
  double most = 0.0;
  VectorXd row(static_cast<Eigen::Index>(n));
  for (const Body<double>& b : model_.bodies) {
    for (int k = 0; k < b.velocities(); ++k) {
      const bool slides = b.kind == JointKind::prismatic || (b.kind == JointKind::floating && k >= 3);
      for (std::size_t i = 0; i < n; ++i) row[static_cast<Eigen::Index>(i)] = work.R[i * nv + at(b.v + k)];
      most = std::max(most, VectorXd(lower.solve(row)).squaredNorm() / (slides ? size_ * size_ : 1.0));
    }
  }
  const bool slides = d.cut >= 0 ? losses_.cuts()[at(d.cut)].joint.kind == JointKind::prismatic
                                 : d.body >= 0 && model_.bodies[at(d.body)].kind == JointKind::prismatic;
  return kNothing * most * (slides ? size_ * size_ : 1.0);
}

// Who of those at rest sticks, and which way the others begin to slip. True where that is another decision than before.
bool ClosedForwardLosses::decide(const VectorXd& pushed, const PlantWorkspace<double>& work) {
  std::vector<Dry*> rest;
  VectorXd force = pushed;
  for (Dry& d : dry_) {
    if (d.at_rest)
      rest.push_back(&d);
    else if (d.drive < 0)
      force -= d.a * (d.direction * d.size);
  }
  if (rest.empty()) return false;
  const auto m = static_cast<Eigen::Index>(rest.size());
  const auto lower = L_.triangularView<Eigen::Lower>();
  MatrixXd B(H_.cols(), m);
  VectorXd c(m), size(m);
  const VectorXd x = lower.solve(force);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Dry& d = *rest[static_cast<std::size_t>(k)];
    B.col(k) = lower.solve(d.a);
    c[k] = B.col(k).dot(x) + d.b;
    size[k] = d.size;
  }
  const MatrixXd D = B.transpose() * B;
  const BoxForces box = box_forces(D, c, size);
  if (!box.found) refuse_decision(*rest.front());
  const VectorXd s = c - D * box.force;
  bool changed = false;
  for (Eigen::Index k = 0; k < m; ++k) {
    Dry& d = *rest[static_cast<std::size_t>(k)];
    const Dry before = d;
    constexpr double kStands = 1e-9;
    const double scale =
        B.col(k).cwiseAbs().dot(x.cwiseAbs()) + std::abs(d.b) + D.row(k).cwiseAbs().dot(box.force.cwiseAbs());
    const bool stands = std::abs(s[k]) <= kStands * scale;
    d.mode = !stands ? Mode::slips : D(k, k) <= firm_enough(d, work) || d.size == 0.0 ? Mode::idle : Mode::sticks;
    d.direction = stands ? 0 : s[k] > 0.0 ? 1 : -1;
    if (d.mode == before.mode && d.direction == before.direction) continue;
    changed = true;
    last_changed_ = d.name;
  }
  return changed;
}

namespace {

constexpr int kMostPasses = 60, kMostDecisions = 20;

}  // namespace

void ClosedForwardLosses::refuse_decision(const Dry& d) const {
  throw Error(
      ErrorCode::data,
      fmt::format(
          "no accelerations with friction are found: neither sticking nor slipping to either side fits `{}` and "
          "the other joints at rest together",
          last_changed_.empty() ? d.name : last_changed_));
}

// The accelerations whose loads make the friction that leads to them.
VectorXd ClosedForwardLosses::settle_loads(const Push& push, Decision decision, const PlantWorkspace<double>& work) {
  const bool make = decision == Decision::make;
  if (!loads_matter_) {
    const VectorXd pushed = push(VectorXd::Zero(H_.cols()));
    if (make) decide(pushed, work);
    return accelerations(pushed);
  }
  for (Dry& d : dry_) d.force = 0.0;
  rubs_.assign(smooth_losses_.rubbing(), 0.0);
  const auto scale = [&](const VectorXd& a) {
    return std::max({largest(a), sum_of_forces_ / H_.diagonal().maxCoeff(), 1e-12});
  };
  const std::size_t n = plan_.freedoms(), m = dry_.size();
  // q̈, forces of dry friction, and what else rubs
  std::vector<double> x(n + m + rubs_.size(), 0.0), next(x);
  const auto put = [&](const std::vector<double>& from) {
    for (std::size_t k = 0; k < m; ++k) dry_[k].force = from[n + k];
    std::copy(from.begin() + static_cast<std::ptrdiff_t>(n + m), from.end(), rubs_.begin());
    return VectorXd(Eigen::Map<const VectorXd>(from.data(), H_.cols()));
  };
  const auto take = [&](const VectorXd& qdd, std::vector<double>& to) {
    std::copy(qdd.data(), qdd.data() + n, to.begin());
    for (std::size_t k = 0; k < m; ++k) to[n + k] = dry_[k].force;
    std::copy(rubs_.begin(), rubs_.end(), to.begin() + static_cast<std::ptrdiff_t>(n + m));
  };
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const VectorXd now = put(x), pushed = push(now);
    const bool changed = make && decide(pushed, work);
    find_forces();
    const VectorXd qdd = accelerations(pushed);
    take(qdd, next);
    const double change = largest(qdd - now);
    double force_change = 0.0, most = 0.0;
    for (std::size_t k = n; k < x.size(); ++k) {
      force_change = std::max(force_change, std::abs(next[k] - x[k]));
      most = std::max(most, std::abs(next[k]));
    }
    x = next;
    if (!(change <= 1e30)) break;
    if (!changed && change <= 1e-13 * scale(qdd) && force_change <= 1e-13 * most) return qdd;
  }
  // it does not settle by itself: with decisions held, then a look whether they fit
  if (!std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); })) std::ranges::fill(x, 0.0);
  for (int decisions = 0; decisions < kMostDecisions; ++decisions) {
    const FixedPoint found = fixed_point(x, [&](const std::vector<double>& from, std::vector<double>& to) {
      const VectorXd pushed = push(put(from));
      find_forces();
      take(accelerations(pushed), to);
    });
    if (!found.settled) break;
    const VectorXd pushed = push(put(x));
    if (!make || !decide(pushed, work)) return accelerations(pushed);
  }
  refuse_jam();
}

// Names the joint whose friction does most.
void ClosedForwardLosses::refuse_jam() const {
  std::string name = model_.name;
  double most = 0.0;
  for (const Dry& d : dry_) {
    if (d.loss == nullptr || d.loss->bearings.empty()) continue;
    const double force = std::abs(d.force) * d.a.norm();
    if (!(force <= most)) most = force, name = d.name;
  }
  throw Error(ErrorCode::data,
              fmt::format("`{}` jams: its friction grows faster than its load, so that the torques determine no "
                          "acceleration, or more than one",
                          name));
}

bool ClosedForwardLosses::decide_by_motion(In<double> qd) { return tree_ != nullptr && tree_->decide_by_motion(qd); }

bool ClosedForwardLosses::still_fits(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau) {
  if (tree_ != nullptr) return tree_->still_fits(q, qd, tau);
  set_state(work, q, qd);
  bool any_sticks = false;
  for (const Dry& d : dry_) {
    if (d.mode == Mode::slips && d.direction * d.velocity < -d.rest) return false;
    if (d.mode == Mode::idle && std::abs(d.velocity) > d.rest) return false;
    any_sticks = any_sticks || d.mode == Mode::sticks;
  }
  if (!any_sticks) return true;
  const std::vector<Dry> decided = dry_;
  for (Dry& d : dry_) d.at_rest = d.mode == Mode::sticks;
  find_biases(work, q);
  const auto restore = [&](bool fits) {
    dry_ = decided;
    return fits;
  };
  try {
    settle_loads([&](const VectorXd& now) { return push(work, q, qd, tau, now, {}); }, Decision::make, work);
  } catch (const Error&) {
    restore(false);
    throw;
  }
  bool fits = true;
  for (std::size_t k = 0; k < dry_.size(); ++k)
    fits = fits && (decided[k].mode != Mode::sticks || dry_[k].mode != Mode::slips);
  return restore(fits);
}

std::vector<std::string> ClosedForwardLosses::settle(PlantWorkspace<double>& work, In<double> q, Out<double> qd,
                                                     In<double> tau) {
  std::vector<std::string> names;
  if (tree_ != nullptr) {
    for (const int v : tree_->stop_turned(qd)) names.push_back(model_.velocity_names[at(v)]);
    return names;
  }
  set_state(work, q, qd);
  std::vector<bool> came(dry_.size());
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    Dry& d = dry_[k];
    came[k] = d.mode == Mode::slips && (d.direction * d.velocity < 0.0 || std::abs(d.velocity) <= d.rest);
    d.stopped = came[k];
  }
  find_rest(work);
  find_biases(work, q);
  settle_loads([&](const VectorXd& now) { return push(work, q, qd, tau, now, {}); }, Decision::make, work);
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    Dry& d = dry_[k];
    d.stopped = came[k];
    if (came[k] && d.mode == Mode::sticks) names.push_back(d.name);
  }
  hold(work, q, qd);
  return names;
}

void ClosedForwardLosses::hold(PlantWorkspace<double>& work, In<double> q, Out<double> qd) {
  if (std::none_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.mode == Mode::sticks; })) return;
  set_state(work, q, qd);
  const MatrixXd rows = sticking_rows();
  const auto lower = L_.triangularView<Eigen::Lower>();
  Eigen::Map<VectorXd> v(qd.data(), H_.cols());
  const Svd svd(MatrixXd(lower.solve(rows.transpose()).transpose()));
  if (svd.rank(kOneFreedom) == v.size()) {
    v.setZero();
    return;
  }
  v -= L_.transpose().triangularView<Eigen::Upper>().solve(svd.solve(rows * v, kOneFreedom));
  for (const Dry& d : dry_) {
    if (d.mode != Mode::sticks || d.cut >= 0) continue;
    const auto own = std::find(plan_.independent.begin(), plan_.independent.end(), static_cast<int>(velocity_of(d)));
    if (own != plan_.independent.end()) v[own - plan_.independent.begin()] = 0.0;
  }
}

}  // namespace lw
