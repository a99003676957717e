// Which joints with dry friction stick, which slip and which way: decided at the beginning of a step, kept through it,
// judged at its end.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "forward_losses.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kOneFreedom = 1e-9;  // rows that hold the same freedom

Eigen::Index position(std::size_t k) { return static_cast<Eigen::Index>(k); }

}  // namespace

std::vector<int> ForwardLosses::modes() const {
  std::vector<int> modes;
  modes.reserve(dry_.size());
  for (const Dry& d : dry_) modes.push_back(d.direction);
  return modes;
}

std::vector<std::string> ForwardLosses::sticking() const {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < n_; ++v) {
    if (sticks_[v]) names.push_back(affine_.own().velocity_names[v]);
  }
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::follower && d.sticks()) names.push_back(d.name);
  }
  return names;
}

void ForwardLosses::take(const Decisions& decisions) {
  for (std::size_t k = 0; k < dry_.size(); ++k) static_cast<Decided&>(dry_[k]) = decisions.of_each[k];
  decided_ = decisions.made;
}

void ForwardLosses::forget() {
  for (Dry& d : dry_) static_cast<Decided&>(d) = {};
  decided_ = false;
}

// Which joints are at rest, and the directions of the others. Velocities of independent joints are given, those of the
// others known to rounding; where a joint sticks an integrator leaves some.
void ForwardLosses::find_rest(In<double> qd, double rest) {
  constexpr double kRounding = 1e-12, kOfFastest = 1e-13, kDrift = 1e-6;
  double largest = 0.0;
  for (const double x : qd) largest = std::max(largest, std::abs(x));
  for (const AffineLosses::Follower& f : affine_.followers()) largest = std::max(largest, std::abs(f.moves));
  for (Dry& d : dry_) {
    const bool given = d.of != Dry::Of::follower;
    d.velocity = along(d, qd);
    d.fastest = std::max(d.fastest, std::abs(d.velocity));
    d.rest = given ? 0.0 : std::max(kRounding * d.fastest, kOfFastest * largest);
    const double drift = (given ? kRounding : kDrift) * std::max(d.fastest, largest);
    const bool stuck = decided_ && d.sticks() && std::abs(d.velocity) <= drift;
    d.at_rest = d.stopped || stuck || std::abs(d.velocity) <= rest + std::max(d.rest, rounding(d, qd));
    d.stopped = d.idle = d.spare = false;
    d.direction = d.at_rest ? 0 : d.velocity > 0.0 ? 1 : -1;
    d.force = 0.0;
  }
  decided_ = true;
}

double ForwardLosses::acceleration(const Dry& d) const {
  if (d.of == Dry::Of::joint) return qdd_[d.place];
  return d.a.dot(Eigen::Map<const VectorXd>(qdd_.data(), position(n_))) + d.b;
}

// Of what sticks and is not an independent joint: those whose freedom others hold already keep the force they have. One
// that cannot hold anything in this pose is idle, or slips as the pose has it.
void ForwardLosses::choose_holding() {
  const auto bordered = [](const Dry& d) { return d.sticks() && d.of != Dry::Of::joint; };
  if (std::none_of(dry_.begin(), dry_.end(), bordered)) return;
  llt_.compute(affine_.H());
  L_ = llt_.matrixL();
  const auto lower = L_.triangularView<Eigen::Lower>();
  MatrixXd Q(position(n_), 0);
  // whether it is the first to hold what it holds
  const auto add = [&](const VectorXd& a) {
    VectorXd b = lower.solve(a);
    const double size = b.norm();
    for (int pass = 0; pass < 2; ++pass) b -= Q * (Q.transpose() * b);
    if (!(b.norm() > 10.0 * kOneFreedom * size)) return false;
    Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
    Q.col(Q.cols() - 1) = b.normalized();
    return true;
  };
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::joint && d.sticks()) add(d.a);
  }
  for (Dry& d : dry_) {
    if (!bordered(d)) continue;
    d.reach = VectorXd(lower.solve(d.a)).squaredNorm();
    if (d.of == Dry::Of::follower && d.reach <= firm_enough(d)) {
      d.direction = d.b > 0.0 ? 1 : d.b < 0.0 ? -1 : 0;
      d.idle = d.direction == 0;
      continue;
    }
    d.spare = !add(d.a);
  }
}

// What can hold a joint, as a part of what could in a general pose: below it, its row is zero but for rounding.
double ForwardLosses::firm_enough(const Dry& d) const {
  constexpr double kNothing = 1e-20;
  const std::size_t nv = at(model_.nv);
  const std::vector<double>& R = affine_.work().R;
  double most = 0.0;
  VectorXd row(position(n_));
  for (const Body<double>& b : model_.bodies) {
    for (int k = 0; k < b.velocities(); ++k) {
      const bool slides = b.kind == JointKind::prismatic || (b.kind == JointKind::floating && k >= 3);
      for (std::size_t i = 0; i < n_; ++i) row[position(i)] = R[i * nv + at(b.v + k)];
      L_.triangularView<Eigen::Lower>().solveInPlace(row);
      most = std::max(most, row.squaredNorm() / (slides ? size_ * size_ : 1.0));
    }
  }
  const bool slides = affine_.followers()[d.place].joint.kind == JointKind::prismatic;
  return kNothing * most * (slides ? size_ * size_ : 1.0);
}

// Accelerations and the decisions that fit them.
void ForwardLosses::settle_decisions(In<double> qd) {
  constexpr std::size_t kTogether = 12;
  const std::size_t most = kTogether + 50 + 10 * dry_.size();
  for (std::size_t trial = 0;; ++trial) {
    choose_holding();
    set_velocities(qd);
    solve();
    if (std::none_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.at_rest; })) return;
    find_bounds();
    double fastest = 0.0;
    for (const double a : qdd_) fastest = std::max(fastest, std::abs(a));
    if (fits(fastest)) return;
    if (trial == most) refuse_directions();
    if (trial < kTogether)
      change_together();
    else
      change_first(fastest);
  }
}

// Between which forces each element at rest would stick, under the loads of qdd_.
void ForwardLosses::find_bounds() {
  for (const int side : {-1, 1}) {
    for (std::size_t v = 0; v < n_; ++v) {
      limit_.dynamic[v] = affine_.losses().dynamic[v];
      limit_.velocity[v] = affine_.losses().velocity[v];
      limit_.damping[v] = affine_.losses().damping[v];
      limit_velocity_[v] = affine_.velocity()[v];
    }
    for (const Dry& d : dry_) {
      if (!d.at_rest || d.of != Dry::Of::joint) continue;
      if (d.sticks()) limit_.dynamic[d.place] -= d.force;
      if (d.joint) limit_velocity_[d.place] = side * kImpending;
      if (d.drive) limit_.velocity[d.place] = side * kImpending;
    }
    affine_.evaluate_at(limit_velocity_, limit_);
    for (Dry& d : dry_) {
      if (!d.at_rest) continue;
      double& bound = side < 0 ? d.low : d.high;
      if (d.of == Dry::Of::joint) {
        bound = d.coupling != nullptr ? limit_.bearing[d.place] : limit_.total[d.place] - limit_.dynamic[d.place];
        bound -= limit_.damping[d.place];
      } else if (d.of == Dry::Of::follower) {
        const AffineLosses::Follower& f = affine_.followers()[d.place];
        bound = affine_.law_at(f, side * kImpending) + side * f.breakaway;
      } else {
        const double output = affine_.losses().output[d.place];
        bound = drive_input<double>(d.coupling->drives[d.k], output, side * kImpending, 0.0) - output;
      }
    }
  }
}

// Whether what holds of an element at rest that sticks or slips holds of this one; else which way it should go.
bool ForwardLosses::is_consistent(const Dry& d, double fastest, int& other) const {
  constexpr double kAtRest = 1e-12, kStands = 1e-9;
  other = 0;
  if (d.idle) return true;
  const double noise = noise_[position(d.unknown)];
  if (d.sticks()) {
    const double slack = d.of == Dry::Of::follower ? kStands * (std::abs(d.low) + std::abs(d.high) + std::abs(d.force))
                                                   : 1e4 * (d.of == Dry::Of::joint ? noise : noise_[position(d.place)]);
    other = d.force > d.high + slack ? 1 : d.force < d.low - slack ? -1 : 0;
    // at rest altogether, accelerations are rounding: what its friction could do is the measure
    const double scale = parts(d) + d.reach * (std::abs(d.low) + std::abs(d.high));
    if (other == 0 && d.spare && std::abs(acceleration(d)) > kStands * scale) other = acceleration(d) > 0.0 ? 1 : -1;
    return other == 0;
  }
  const double least = d.of == Dry::Of::follower ? kStands * parts(d) : kAtRest * fastest;
  return d.direction * acceleration(d) >= -least;
}

// What its acceleration is the sum of, by size.
double ForwardLosses::parts(const Dry& d) const {
  return d.a.cwiseAbs().dot(Eigen::Map<const VectorXd>(qdd_.data(), position(n_)).cwiseAbs()) + std::abs(d.b);
}

bool ForwardLosses::fits(double fastest) const {
  int other = 0;
  return std::all_of(dry_.begin(), dry_.end(),
                     [&](const Dry& d) { return !d.at_rest || is_consistent(d, fastest, other); });
}

void ForwardLosses::change_first(double fastest) {
  int other = 0;
  const auto wrong = std::find_if(dry_.begin(), dry_.end(),
                                  [&](const Dry& d) { return d.at_rest && !is_consistent(d, fastest, other); });
  if (wrong == dry_.end()) return;
  wrong->direction = other;
  last_changed_ = wrong->name;
}

// Who of those at rest sticks, and which way the others begin to slip, were their bounds those of the loads found.
void ForwardLosses::change_together() {
  llt_.compute(affine_.H());
  L_ = llt_.matrixL();
  Eigen::Index m = 0;
  for (const Dry& d : dry_) {
    if (!d.at_rest) continue;
    B_.col(m) = d.a;
    L_.triangularView<Eigen::Lower>().solveInPlace(B_.col(m));
    low_[m] = std::min(d.low, d.high);
    high_[m] = std::max(d.low, d.high);
    F_rest_[m] = d.sticks() ? d.force : d.direction > 0 ? d.high : d.direction < 0 ? d.low : 0.0;
    c_[m++] = d.of == Dry::Of::joint && d.sticks() ? 0.0 : acceleration(d);
  }
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) D_(i, j) = B_.col(i).dot(B_.col(j));
  }
  for (Eigen::Index i = 0; i < m; ++i) c_[i] += D_.row(i).head(m).dot(F_rest_.head(m));
  if (!box_.find(D_.topLeftCorner(m, m), c_.head(m), low_.head(m), high_.head(m))) refuse_directions();
  Eigen::Index k = 0;
  for (Dry& d : dry_) {
    if (!d.at_rest) continue;
    constexpr double kStands = 1e-9;
    double s = c_[k], scale = parts(d);
    for (Eigen::Index j = 0; j < m; ++j) {
      s -= D_(k, j) * box_.force(j);
      scale += std::abs(D_(k, j)) * (std::abs(box_.force(j)) + std::abs(F_rest_[j]));
    }
    const bool stands = std::abs(s) <= kStands * scale;
    const int direction = stands ? 0 : s > 0.0 ? 1 : -1;
    const bool idle = stands && d.of == Dry::Of::follower && (D_(k, k) <= firm_enough(d) || low_[k] == high_[k]);
    if (direction != d.direction || idle != d.idle) last_changed_ = d.name;
    d.direction = direction;
    d.idle = idle;
    d.spare = false;
    d.force = box_.force(k++);
  }
}

void ForwardLosses::refuse_directions() const {
  throw Error(ErrorCode::data,
              fmt::format("no accelerations with friction are found: neither sticking nor slipping to either side fits "
                          "`{}` and the other joints at rest together",
                          last_changed_));
}

bool ForwardLosses::decide_by_motion(In<double> qd) {
  if (std::any_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.of == Dry::Of::follower; })) return false;
  find_rest(qd, 0.0);
  if (std::any_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.at_rest; })) return false;
  std::fill(sticks_.begin(), sticks_.end(), false);
  report();
  return true;
}

bool ForwardLosses::all_move(In<double> qd) const {
  return std::all_of(dry_.begin(), dry_.end(), [&](const Dry& d) {
    return d.of != Dry::Of::follower && d.direction * along(d, qd) > rounding(d, qd);
  });
}

bool ForwardLosses::still_fits(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external) {
  bool any_sticks = false, any_follows = false;
  for (const Dry& d : dry_) any_follows = any_follows || d.of == Dry::Of::follower;
  if (any_follows) set_state(q, qd, tau, external);
  for (const Dry& d : dry_) {
    if (d.sticks())
      any_sticks = true;
    else if (d.idle ? std::abs(d.velocity) > d.rest : has_turned(d, qd))
      return false;
  }
  if (!any_sticks) return true;
  if (!any_follows) set_state(q, qd, tau, external);
  choose_holding();
  set_velocities(qd);
  solve();
  find_bounds();
  int other = 0;
  const auto fits = [&](const Dry& d) { return !d.sticks() || is_consistent(d, 0.0, other); };
  if (std::all_of(dry_.begin(), dry_.end(), fits)) return true;
  if (std::none_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.spare; })) return false;
  // joints that hold one freedom may share it in another way
  const std::vector<Dry> decided = dry_;
  for (Dry& d : dry_) d.at_rest = d.sticks();
  try {
    settle_decisions(qd);
  } catch (const Error&) {
    dry_ = decided;
    throw;
  }
  bool still = true;
  for (std::size_t k = 0; k < dry_.size(); ++k) still = still && (!decided[k].sticks() || dry_[k].direction == 0);
  dry_ = decided;
  return still;
}

std::vector<std::string> ForwardLosses::stop_turned(Out<double> qd) const {
  std::vector<std::string> stopped;
  for (const Dry& d : dry_) {
    if (d.sticks() || !has_turned(d, qd)) continue;
    stopped.push_back(affine_.own().velocity_names[d.place]);
    // the least change of the joints after which it is at rest
    const double excess = along(d, qd) / d.a.squaredNorm();
    for (std::size_t v = 0; v < n_; ++v)
      qd[v] = d.of == Dry::Of::joint && v == d.place ? 0.0 : qd[v] - excess * d.a[position(v)];
  }
  return stopped;
}

std::vector<std::string> ForwardLosses::settle(In<double> q, Out<double> qd, In<double> tau) {
  if (plan_.dependent.empty()) return stop_turned(qd);
  set_state(q, qd, tau, {});
  std::vector<bool> came(dry_.size());
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    Dry& d = dry_[k];
    came[k] = !d.sticks() && !d.idle && (d.direction * d.velocity < 0.0 || std::abs(d.velocity) <= d.rest);
    d.stopped = came[k];
  }
  find_rest(qd, 0.0);
  settle_decisions(qd);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    dry_[k].stopped = came[k];
    if (came[k] && dry_[k].sticks()) names.push_back(dry_[k].name);
  }
  hold(q, qd);
  return names;
}

void ForwardLosses::hold(In<double> q, Out<double> qd) {
  const auto count = std::count_if(dry_.begin(), dry_.end(), [](const Dry& d) { return d.sticks(); });
  const bool left = std::any_of(dry_.begin(), dry_.end(), [&](const Dry& d) {
    return d.sticks() && (d.of == Dry::Of::follower || along(d, qd) != 0.0);
  });
  if (!left) return;
  set_state(q, qd, {}, {});
  llt_.compute(affine_.H());
  const auto lower = llt_.matrixL();
  // rows of one size: in the metric of H, D_jj = 1
  MatrixXd rows(count, position(n_));
  Eigen::Index k = 0;
  for (const Dry& d : dry_) {
    if (!d.sticks()) continue;
    const double size = VectorXd(lower.solve(d.a)).norm();
    rows.row(k++) = (size > 0.0 ? 1.0 / size : 0.0) * d.a.transpose();
  }
  Eigen::Map<VectorXd> v(qd.data(), position(n_));
  const Svd svd(MatrixXd(lower.solve(rows.transpose()).transpose()));
  if (svd.rank(kOneFreedom) == v.size()) {
    v.setZero();
    return;
  }
  v -= VectorXd(llt_.matrixU().solve(svd.solve(rows * v, kOneFreedom)));
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::joint && d.sticks()) v[position(d.place)] = 0.0;
  }
}

}  // namespace lw
