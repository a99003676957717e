#include "branch_crossing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace lw {
namespace {

constexpr int kFewest = 8, kMostStages = 14;
constexpr double kAngle = 0.5;        // rad: as far as joints may move in one step
constexpr double kShortest = 1e-9;    // s
constexpr double kShorter = 0.8;      // the next one that is tried
constexpr double kAside = 0.035;      // of the step: so far nodes should be from the pose, while joints move farther than
constexpr double kLongEnough = 0.05;  // rad
constexpr double kNoise = 1e-14, kMostNoise = 1e-6;  // of velocities: what iteration may leave
constexpr double kTail = 1e-11;       // of velocities: the last term of the polynomial, which is as exact within the step as this
constexpr double kQuiet = 1e-11;      // noise that is none
constexpr int kTries = 4;
constexpr double kSameBranch = 1e-5;  // of how far joints move in the step: by how much closed states may be off the polynomial
constexpr int kMostIterations = 60;

// Legendre polynomials P_0 … P_n on [0, 1].
std::vector<double> legendre(int n, double x) {
  const double z = 2.0 * x - 1.0;
  std::vector<double> P{1.0, z};
  for (int k = 1; k < n; ++k) P.push_back(((2 * k + 1) * z * P[static_cast<std::size_t>(k)] - k * P[static_cast<std::size_t>(k - 1)]) / (k + 1));
  P.resize(static_cast<std::size_t>(n) + 1);
  return P;
}

}  // namespace

BranchCrossing::Rule BranchCrossing::gauss(int stages) {
  Rule rule;
  for (int i = 0; i < stages; ++i) {
    double x = 0.5 * (1.0 - std::cos(std::numbers::pi * (i + 0.75) / (stages + 0.5))), slope = 0.0;
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> P = legendre(stages, x);
      const double z = 2.0 * x - 1.0;
      slope = stages * (z * P.back() - P[P.size() - 2]) / (z * z - 1.0);
      x -= 0.5 * P.back() / slope;
    }
    const double z = 2.0 * x - 1.0;
    rule.nodes.push_back(x);
    rule.weights.push_back(1.0 / ((1.0 - z * z) * slope * slope));
  }
  for (const double x : std::vector<double>(rule.nodes)) {
    const std::vector<double> row = integrals(rule, x);
    rule.A.insert(rule.A.end(), row.begin(), row.end());
  }
  return rule;
}

std::vector<double> BranchCrossing::integrals(const Rule& rule, double x) {
  // ℓ_j = w_j Σ_k (2k + 1) P_k(x_j) P_k(x), and ∫ P_k = (P_{k+1} − P_{k−1}) / (2 (2k + 1))
  const int n = static_cast<int>(rule.nodes.size());
  const std::vector<double> P = legendre(n, x);
  std::vector<double> list;
  for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
    const std::vector<double> own = legendre(n, rule.nodes[j]);
    double sum = x;
    for (std::size_t k = 1; k < static_cast<std::size_t>(n); ++k) sum += 0.5 * own[k] * (P[k + 1] - P[k - 1]);
    list.push_back(rule.weights[j] * sum);
  }
  return list;
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
  // of several lengths the one whose closures leave least noise; the shorter, the nearer its nodes come to the pose
  Polynomial best;
  int tried = 0;
  for (; h >= kShortest && (best.length == 0.0 || tried < kTries); h *= kShorter) {
    // as many nodes as keep farthest away
    int stages = kMostStages;
    double farthest = -1.0;
    for (int k = kMostStages; k >= kFewest; --k) {
      double nearest = HUGE_VAL;
      for (const double x : gauss(k).nodes) nearest = std::min(nearest, std::abs(x * h - to_branch));
      if (nearest > 1.2 * farthest) farthest = nearest, stages = k;
    }
    const bool inside = to_branch > 0.05 * h && to_branch < 0.95 * h;
    if (inside && farthest < kAside * h && h > kLongEnough / speed) continue;  // another length does better
    if (best.length > 0.0 && best.crosses && !inside) break;  // the pose would still be ahead
    if (best.length > 0.0) ++tried;
    if (!attempt(h, stages)) {
      ++counts_.rejected;
      continue;
    }
    if (best.length == 0.0 || noise_ < best.noise) best = {rule_, k_, h, noise_, inside};
    if (noise_ <= kQuiet || std::abs(to_branch - 0.5 * h) < 0.1 * h) break;  // nothing does better than the pose in the middle
  }
  if (best.length == 0.0) {
    goes_on_ = false;
    state = start_;
    refuse();
  }
  rule_ = best.rule;
  k_ = best.slopes;
  length_ = best.length;
  goes_on_ = true;
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

bool BranchCrossing::attempt(double h, int stages) {
  rule_ = gauss(stages);
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
    if (noise_ <= kNoise || (turn > 1 && noise_ <= kMostNoise && change >= 0.5 * before && change >= 0.5 * before_that)) return true;
    if (turn > 10 && change > 0.8 * before) return false;
    before_that = std::exchange(before, change);
  }
  return noise_ <= kMostNoise;
}

bool BranchCrossing::is_one_branch(double h) {
  const double speed = fastest();
  // the last term of the polynomial of each acceleration
  const int n = static_cast<int>(k_.size());
  for (std::size_t v = 0; v < nv_; ++v) {
    double tail = 0.0;
    for (std::size_t j = 0; j < k_.size(); ++j) tail += rule_.weights[j] * (2 * n - 1) * legendre(n, rule_.nodes[j])[k_.size() - 1] * k_[j][nv_ + v];
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

void BranchCrossing::compute(double h, MotionState& out) { leave(rule_.weights, h, out); }

void BranchCrossing::at(double t, MotionState& out) {
  out = start_;
  leave(integrals(rule_, std::clamp((t - start_.t) / length_, 0.0, 1.0)), length_, out);
  out.t = t;
}

}  // namespace lw
