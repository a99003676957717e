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
double ClosedForwardLosses::firm_enough(const Dry& d, const ClosedWorkspace<double>& work) const {
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
bool ClosedForwardLosses::decide(const VectorXd& pushed, const ClosedWorkspace<double>& work) {
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

constexpr int kMostIterations = 40, kMostNewton = 30, kMostDecisions = 20;

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
VectorXd ClosedForwardLosses::settle_loads(const Push& push, Decision decision, const ClosedWorkspace<double>& work) {
  const bool make = decision == Decision::make;
  VectorXd now = VectorXd::Zero(H_.cols());
  if (!loads_matter_) {
    const VectorXd pushed = push(now);
    if (make) decide(pushed, work);
    return accelerations(pushed);
  }
  const auto scale = [&](const VectorXd& a) {
    return std::max({largest(a), sum_of_forces_ / H_.diagonal().maxCoeff(), 1e-12});
  };
  for (int k = 0; k < kMostIterations; ++k) {
    const VectorXd pushed = push(now);
    const bool changed = make && decide(pushed, work);
    const VectorXd next = accelerations(pushed);
    const double change = largest(next - now);
    now = next;
    if (!(change <= 1e30)) break;
    if (!changed && change <= (k == 0 ? 4e-15 : 1e-13) * scale(now)) return now;
  }
  // it does not settle by itself: Newton's method with decisions held, then a look whether they fit
  if (!now.allFinite()) now.setZero();
  for (int decisions = 0; decisions < kMostDecisions; ++decisions) {
    bool settled = false;
    for (int k = 0; k < kMostNewton && !settled; ++k) {
      const VectorXd open = accelerations(push(now)) - now;
      settled = largest(open) <= 1e-12 * scale(now);
      if (settled) break;
      MatrixXd slope = slopes_of_loads(push, now);
      slope.diagonal().array() += 1.0;  // 1 − G'
      now += least_squares(slope, open);
      if (!now.allFinite()) break;
    }
    if (!settled) break;
    if (!make || !decide(push(now), work)) return now;
  }
  refuse_jam(push, VectorXd::Zero(H_.cols()), true);
  return now;  // never reached
}

// −∂G/∂q̈ of accelerations G that the loads of q̈ lead to.
MatrixXd ClosedForwardLosses::slopes_of_loads(const Push& push, const VectorXd& now) {
  const VectorXd here = accelerations(push(now));
  const double step = 1e-6 * std::max({largest(now), largest(here), 1e-6});
  MatrixXd slopes(now.size(), now.size());
  for (Eigen::Index k = 0; k < now.size(); ++k) {
    VectorXd moved = now;
    moved[k] += step;
    slopes.col(k) = (here - accelerations(push(moved))) / step;
  }
  return slopes;
}

// Throws where inertia does not resist some acceleration (or in any case) with the joint whose friction grows most with
// it.
void ClosedForwardLosses::refuse_jam(const Push& push, const VectorXd& now, bool certain) {
  MatrixXd resists = slopes_of_loads(push, now);
  resists.diagonal().array() += 1.0;
  resists = H_ * resists;
  MatrixXd pivots = resists;
  Eigen::Index first = -1;
  for (Eigen::Index k = 0; k < pivots.cols() && first < 0; ++k) {
    if (!(pivots(k, k) > 1e-9 * H_(k, k))) first = k;
    for (Eigen::Index i = k + 1; i < pivots.rows() && first < 0; ++i)
      pivots.row(i) -= pivots(i, k) / pivots(k, k) * pivots.row(k);
  }
  if (first < 0 && !certain) return;
  // along what resists least
  const Svd svd(resists);
  const VectorXd along = svd.V.col(svd.V.cols() - 1);
  const auto sizes = [&](const VectorXd& a) {
    push(a);
    std::vector<double> list;
    for (const Dry& d : dry_) list.push_back(d.size);
    return list;
  };
  const double step = std::max(largest(now), 1.0);
  const std::vector<double> before = sizes(now), after = sizes(now + step * along);
  std::string name = model_.name;
  double most = 0.0;
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    const double grows = std::abs(after[k] - before[k]) * dry_[k].a.norm();
    if (grows > most) most = grows, name = dry_[k].name;
  }
  throw Error(
      ErrorCode::data,
      fmt::format(
          "`{}` jams: its friction grows faster with the acceleration than inertia resists, so the torques determine "
          "no acceleration, or more than one",
          name));
}

bool ClosedForwardLosses::still_fits(ClosedWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau) {
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

std::vector<std::string> ClosedForwardLosses::settle(ClosedWorkspace<double>& work, In<double> q, Out<double> qd,
                                                     In<double> tau) {
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
  std::vector<std::string> names;
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    Dry& d = dry_[k];
    d.stopped = came[k];
    if (came[k] && d.mode == Mode::sticks) names.push_back(d.name);
  }
  hold(work, q, qd);
  return names;
}

void ClosedForwardLosses::hold(ClosedWorkspace<double>& work, In<double> q, Out<double> qd) {
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
