#include "branch_crossing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "../../base/linear.hpp"

namespace lw {
namespace {

constexpr int kStages = 14;
constexpr double kAside = 0.08;                      // of the step: nearer to the pose there is no node
constexpr double kAngle = 0.5;                       // rad: as far as joints may move in one step
constexpr double kShortest = 1e-9;                   // s
constexpr double kShorter = 0.8;                     // the next one that is tried
constexpr double kNoise = 1e-14, kMostNoise = 1e-6;  // of velocities: what iteration may leave
constexpr double kTail = 1e-11;       // of velocities: the polynomial's last term, its error within the step
constexpr double kQuiet = 1e-10;      // noise that needs no better length
constexpr int kTries = 4;             // for one
constexpr double kSameBranch = 1e-5;  // of the way of joints: closed states may be so far off the polynomial
constexpr int kMostIterations = 60;

// Legendre polynomials P_0 … P_n on [0, 1].
std::vector<double> legendre(int n, double x) {
  const double z = 2.0 * x - 1.0;
  std::vector<double> P{1.0, z};
  for (int k = 1; k < n; ++k)
    P.push_back(((2 * k + 1) * z * P[static_cast<std::size_t>(k)] - k * P[static_cast<std::size_t>(k - 1)]) / (k + 1));
  P.resize(static_cast<std::size_t>(n) + 1);
  return P;
}

}  // namespace

// Gauss's nodes, but for those beside the pose (both in parts of the step).
BranchCrossing::Rule BranchCrossing::rule_beside(double pose) {
  Rule rule;
  for (int i = 0; i < kStages; ++i) {
    double x = 0.5 * (1.0 - std::cos(std::numbers::pi * (i + 0.75) / (kStages + 0.5)));
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> P = legendre(kStages, x);
      const double z = 2.0 * x - 1.0, slope = kStages * (z * P.back() - P[P.size() - 2]) / (z * z - 1.0);
      x -= 0.5 * P.back() / slope;
    }
    if (std::abs(x - pose) >= kAside) rule.nodes.push_back(x);
  }
  // ℓ_j = Σ_k C_kj P_k, so that C is the inverse of what P are at the nodes
  const auto n = static_cast<Eigen::Index>(rule.nodes.size());
  Eigen::MatrixXd P(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::vector<double> at_node = legendre(static_cast<int>(n) - 1, rule.nodes[static_cast<std::size_t>(j)]);
    for (Eigen::Index k = 0; k < n; ++k) P(j, k) = at_node[static_cast<std::size_t>(k)];
  }
  rule.C = inverse(P);
  for (const double x : rule.nodes) {
    const std::vector<double> row = integrals(rule, x);
    rule.A.insert(rule.A.end(), row.begin(), row.end());
  }
  return rule;
}

std::vector<double> BranchCrossing::integrals(const Rule& rule, double x) {
  // ∫ P_k = (P_{k+1} − P_{k−1}) / (2 (2k + 1))
  const Eigen::Index n = rule.C.rows();
  const std::vector<double> P = legendre(static_cast<int>(n), x);
  Eigen::RowVectorXd whole(n);
  whole[0] = x;
  for (Eigen::Index k = 1; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    whole[k] = (P[i + 1] - P[i - 1]) / (2.0 * (2.0 * static_cast<double>(k) + 1.0));
  }
  const Eigen::RowVectorXd row = whole * rule.C;
  return {row.begin(), row.end()};
}

void BranchCrossing::reserve() {
  y_.assign(2 * nv_ + nz_, 0.0);
  stage_ = start_;
  stage_.q.resize(nq_);
  stage_.v.resize(nv_);
  stage_.z.resize(nz_);
}

double BranchCrossing::fastest() const {
  double most = 0.0;
  for (const double v : start_.v) most = std::max(most, std::abs(v));
  return most;
}

void BranchCrossing::step(System& system, MotionState& state, double until) {
  // as OneStep::begin, but that slopes at the start are not asked for: they may not exist
  if (&system != system_) {
    system_ = &system;
    const Model<double>& model = system.model();
    chart_ = Chart(model);
    nq_ = static_cast<std::size_t>(model.nq);
    nv_ = static_cast<std::size_t>(model.nv);
    nz_ = static_cast<std::size_t>(system.nz());
    start_ = state;
    reserve();
  }
  if (continues(state)) {
    system.begin(state);
    const double end = std::min(until, start_.t + length_);
    at(end, state);
    return;
  }
  start_ = state;
  system.begin(start_);
  const auto refuse = [&] { throw BranchUndecided(system.describe_branch(start_)); };
  const double speed = fastest();
  if (!(speed > 0.0)) refuse();
  const double to_branch = system.time_to_branch(start_);
  // as long behind the pose as before it, so that the nodes keep away from it
  double h = kAngle / speed;
  if (to_branch > 0.1 * h && to_branch < h) h = 2.0 * to_branch;
  // the first length that leaves little noise, or of some the one that leaves least: the pose may be elsewhere than it
  // seemed
  Polynomial best;
  for (int more = kTries; h >= kShortest && more > 0; h *= kShorter) {
    if (best.length > 0.0) --more;
    if (!attempt(h, to_branch)) {
      ++counts_.rejected;
      continue;
    }
    if (best.length == 0.0 || noise_ < best.noise) best = {rule_, k_, h, noise_};
    if (noise_ <= kQuiet) break;
  }
  goes_on_ = best.length > 0.0;
  if (!goes_on_) {
    state = start_;
    refuse();
  }
  rule_ = best.rule;
  k_ = best.slopes;
  length_ = best.length;
  ++counts_.steps;
  at(std::min(until, start_.t + length_), state);
}

// Whether the state is one of the last polynomial, and not its end.
bool BranchCrossing::continues(const MotionState& state) {
  if (!goes_on_ || state.t < start_.t || state.t >= start_.t + length_ * (1.0 - 1e-9)) return false;
  constexpr double kSame = 1e-8;
  at(state.t, stage_);
  const double speed = fastest();
  for (std::size_t v = 0; v < nv_; ++v) {
    if (!(std::abs(stage_.v[v] - state.v[v]) <= kSame * speed)) return false;
  }
  for (std::size_t q = 0; q < nq_; ++q) {
    if (!(std::abs(stage_.q[q] - state.q[q]) <= kSame * speed * length_)) return false;
  }
  return true;
}

bool BranchCrossing::attempt(double h, double to_branch) {
  rule_ = rule_beside(to_branch / h);
  k_.assign(rule_.nodes.size(), std::vector<double>(2 * nv_ + nz_, 0.0));
  try {
    first_guess(h);
    return iterate(h) && is_one_branch(h);
  } catch (const NotFinite&) {
    return false;
  } catch (const ModesMeet&) {
    return false;
  }
}

// Node after node in the order of time, each from where those before it point.
void BranchCrossing::first_guess(double h) {
  MotionState last = start_;
  std::vector<double> acceleration(nv_, 0.0), u(nv_);
  for (std::size_t i = 0; i < k_.size(); ++i) {
    const double t = start_.t + rule_.nodes[i] * h, d = t - last.t;
    stage_.t = t;
    for (std::size_t v = 0; v < nv_; ++v) {
      u[v] = d * last.v[v] + 0.5 * d * d * acceleration[v];
      stage_.v[v] = last.v[v] + d * acceleration[v];
    }
    chart_.point(last.q, u, stage_.q);
    stage_.z = start_.z;
    system_->close(stage_);
    evaluate(t, stage_.q, stage_.v, stage_.z, k_[i]);
    std::copy_n(k_[i].begin() + static_cast<std::ptrdiff_t>(nv_), nv_, acceleration.begin());
    last = stage_;
    std::copy(stage_.v.begin(), stage_.v.end(), k_[i].begin());
  }
}

// y_i = y_0 + h Σ weights k
void BranchCrossing::leave(std::span<const double> weights, double h, MotionState& out) const {
  std::vector<double> y(2 * nv_ + nz_, 0.0);
  for (std::size_t j = 0; j < k_.size(); ++j) {
    for (std::size_t n = 0; n < y.size(); ++n) y[n] += h * weights[j] * k_[j][n];
  }
  chart_.point(start_.q, std::span(y).first(nv_), out.q);
  for (std::size_t v = 0; v < nv_; ++v) out.v[v] = start_.v[v] + y[nv_ + v];
  for (std::size_t z = 0; z < nz_; ++z) out.z[z] = start_.z[z] + y[2 * nv_ + z];
}

bool BranchCrossing::iterate(double h) {
  const double speed = fastest();
  double before = HUGE_VAL, before_that = HUGE_VAL;  // positions and velocities settle by turns
  std::vector<std::vector<double>> next = k_;
  for (int turn = 0; turn < kMostIterations; ++turn) {
    double change = 0.0, accelerations = 0.0;
    for (std::size_t i = 0; i < k_.size(); ++i) {
      const std::span<const double> weights(&rule_.A[i * k_.size()], k_.size());
      leave(weights, h, stage_);
      evaluate(start_.t + rule_.nodes[i] * h, stage_.q, stage_.v, stage_.z, next[i]);
      std::vector<double> u(nv_, 0.0);
      for (std::size_t j = 0; j < k_.size(); ++j) {
        for (std::size_t v = 0; v < nv_; ++v) u[v] += h * weights[j] * k_[j][v];
      }
      chart_.rates(u, stage_.q, stage_.v, std::span(next[i]).first(nv_));
      for (std::size_t v = 0; v < nv_; ++v) {
        change = std::max(change, h * std::abs(next[i][nv_ + v] - k_[i][nv_ + v]));
        accelerations = std::max(accelerations, std::abs(next[i][nv_ + v]));
      }
    }
    std::swap(k_, next);
    const double scale = std::max(speed, h * accelerations);
    if (!std::isfinite(change)) return false;
    noise_ = change / scale;
    // to rounding, or to what the closures leave of it beside the pose
    if (noise_ <= kNoise || (turn > 1 && noise_ <= kMostNoise && change >= 0.5 * before && change >= 0.5 * before_that))
      return true;
    if (turn > 10 && change > 0.8 * before) return false;
    before_that = std::exchange(before, change);
  }
  return noise_ <= kMostNoise;
}

bool BranchCrossing::is_one_branch(double h) {
  const double speed = fastest();
  // the last term of the polynomial of each acceleration
  const Eigen::Index last = rule_.C.rows() - 1;
  for (std::size_t v = 0; v < nv_; ++v) {
    double tail = 0.0;
    for (std::size_t j = 0; j < k_.size(); ++j) tail += rule_.C(last, static_cast<Eigen::Index>(j)) * k_[j][nv_ + v];
    if (!(h * std::abs(tail) <= std::max(kTail, 10.0 * noise_) * speed)) return false;
  }
  MotionState closed = stage_;
  for (std::size_t i = 0; i < k_.size(); ++i) {
    leave({&rule_.A[i * k_.size()], k_.size()}, h, stage_);
    stage_.t = closed.t = start_.t + rule_.nodes[i] * h;
    closed.q = stage_.q;
    closed.v = stage_.v;
    closed.z = stage_.z;
    system_->close(closed);
    for (std::size_t v = 0; v < nv_; ++v) {
      if (!(std::abs(closed.v[v] - stage_.v[v]) <= kSameBranch * speed)) return false;
    }
    for (std::size_t q = 0; q < nq_; ++q) {
      if (!(std::abs(closed.q[q] - stage_.q[q]) <= kSameBranch * speed * h)) return false;
    }
  }
  return true;
}

void BranchCrossing::compute(double h, MotionState& out) { leave(integrals(rule_, 1.0), h, out); }

void BranchCrossing::at(double t, MotionState& out) {
  out = start_;
  leave(integrals(rule_, std::clamp((t - start_.t) / length_, 0.0, 1.0)), length_, out);
  out.t = t;
}

}  // namespace lw
