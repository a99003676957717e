#include "ik_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"
#include "closure.hpp"

namespace lw::detail {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Singular values below this fraction of the largest: J may have lost rank.
constexpr double kLost = 1e-4;

// Periodic coordinates: angles of revolute bodies without mimic joints.
std::vector<bool> full_turns(const Model<double>& model) {
  std::vector<bool> turns(static_cast<std::size_t>(model.nq), false);
  for (const Body<double>& b : model.bodies) {
    if (b.kind == JointKind::revolute && !b.mimics) turns[static_cast<std::size_t>(b.q)] = true;
  }
  for (const Body<double>& b : model.bodies) {
    if (b.mimics) turns[static_cast<std::size_t>(b.q)] = false;
  }
  return turns;
}

}  // namespace

IkSearch::IkSearch(const Model<double>& model, int frame, const IkTarget& target, const IkOptions& options)
    : model_(model),
      work_(model),
      frame_(frame),
      target_(target),
      options_(options),
      limits_(options.limits ? *options.limits : no_limits(model)),
      carriers_(carriers(model, frame)),
      turns_(full_turns(model)) {
  velocity_to_coordinate_.assign(static_cast<std::size_t>(model.nv), -1);
  for (const JointInfo& joint : model.joints) {
    if (coordinates(joint.type) == 1) velocity_to_coordinate_[static_cast<std::size_t>(joint.v)] = joint.q;
  }
  const Frame<double>& f = model.frames[static_cast<std::size_t>(frame)];
  const auto add = [&](double length, double where_endless) {
    reach_ += length;
    size_ += std::isfinite(length) ? length : where_endless;
  };
  add(f.X_BF.p.eigen().norm(), 0.0);
  for (int i = f.body; i >= 0;) {
    const Body<double>& b = model.bodies[static_cast<std::size_t>(i)];
    const auto k = static_cast<std::size_t>(b.q);
    if (b.kind == JointKind::floating) add(HUGE_VAL, 1.0);
    if (b.kind == JointKind::prismatic) {
      add(b.mimics ? HUGE_VAL : std::max(std::abs(limits_.lower[k]), std::abs(limits_.upper[k])), 1.0);
    }
    if (b.parent >= 0) add(b.X_PJ.p.eigen().norm(), 0.0);
    root_ = b.X_PJ.p;
    i = b.parent;
  }
  if (size_ == 0.0) size_ = 1.0;
}

IkSolution IkSearch::judged(std::vector<double> q, std::string branch) {
  IkSolution s{std::move(q), 0.0, 0.0, false, std::move(branch), 0};
  const Eigen::Matrix<double, 6, 1> r = error(s.q);
  s.position_error = r.tail<3>().norm();
  s.rotation_error = target_.position_only ? 0.0 : r.head<3>().norm();
  s.reached = s.position_error <= options_.tolerance * size_ && s.rotation_error <= options_.tolerance;
  return s;
}

IkSolution IkSearch::descend(std::vector<double> q) {
  bring_inside(q);
  double damping = 1e-4;
  Eigen::VectorXd r = weighted(error(q));
  for (int iteration = 0; iteration < 400 && r.norm() > 1e-15; ++iteration) {
    Eigen::MatrixXd J = jacobian();
    const Eigen::VectorXd gradient = J.transpose() * r;
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      if (held(q, k, gradient[k])) J.col(k).setZero();
    }
    // relative to r: where branches meet, both vanish together
    if ((J.transpose() * r).norm() < 1e-15 * r.norm()) break;
    const Eigen::VectorXd step = damped_least_squares(J, r, damping);
    std::vector<double> trial = moved(q, step);
    bring_inside(trial);
    const Eigen::VectorXd after = weighted(error(trial));
    if (after.norm() < r.norm()) {
      q = trial;
      r = after;
      damping = std::max(damping * 0.1, 1e-14);
    } else {
      error(q);  // the workspace is at q again
      damping *= 10.0;
      if (damping > 1e6) break;
    }
  }
  return judged(std::move(q));
}

double IkSearch::badness(const IkSolution& s) const {
  return std::hypot(s.position_error / size_, options_.radian * s.rotation_error);
}

std::vector<double> IkSearch::start_number(int number, In<double> start) const {
  std::vector<double> q(start.begin(), start.end());
  if (number == 0) return q;
  Random random(static_cast<std::uint64_t>(number));
  const double far = size_ + (target_.pose.p - root_).eigen().norm();
  std::vector<double> step(static_cast<std::size_t>(model_.nv));
  for (std::size_t k = 0; k < step.size(); ++k) {
    if (carriers_.v[k]) step[k] = random.between(-1.0, 1.0);
  }
  for (const Body<double>& b : model_.bodies) {
    if (b.mimics) continue;
    for (int k = 0; k < b.velocities(); ++k) {
      const bool slides = b.kind == JointKind::prismatic || (b.kind == JointKind::floating && k >= 3);
      step[static_cast<std::size_t>(b.v + k)] *= slides ? far : std::numbers::pi;
    }
  }
  advance(model_, q, step);
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!carriers_.q[k]) continue;
    const double lower = limits_.lower[k], upper = limits_.upper[k];
    if (std::isfinite(lower) && std::isfinite(upper)) q[k] = random.between(lower, upper);
  }
  return q;
}

bool IkSearch::unwind(std::vector<double>& q, In<double> start) const {
  bool inside = true;
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!carriers_.q[k]) continue;
    const double lower = limits_.lower[k] - 1e-12, upper = limits_.upper[k] + 1e-12;
    if (turns_[k]) {
      q[k] -= kTurn * std::round((q[k] - start[k]) / kTurn);
      if (q[k] < lower) q[k] += kTurn * std::ceil((lower - q[k]) / kTurn);
      if (q[k] > upper) q[k] -= kTurn * std::ceil((q[k] - upper) / kTurn);
    }
    inside = inside && q[k] >= lower && q[k] <= upper;
  }
  return inside;
}

IkSolution IkSearch::settle(IkSolution s, In<double> start) {
  double far = distance(s.q, start, false), part = 1.0;
  for (int iteration = 0; iteration < 200 && part > 1e-3; ++iteration) {
    Eigen::VectorXd way = difference(s.q, start, false);
    error(s.q);
    Eigen::MatrixXd J = jacobian();
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      if (carriers_.v[static_cast<std::size_t>(k)] && !held(s.q, k, way[k])) continue;
      J.col(k).setZero();
      way[k] = 0.0;
    }
    const Svd svd(J);
    for (Eigen::Index n = 0; n < svd.rank(1e-9); ++n) way -= svd.V.col(n) * svd.V.col(n).dot(way);
    if (way.norm() < 1e-9 * (1.0 + far)) break;
    const double longest = std::min(1.0, 0.5 / way.norm());  // no farther than the correction can handle
    IkSolution next = descend(moved(s.q, way * (part * longest)));
    unwind(next.q, start);
    const double now = distance(next.q, start, false);
    if (next.reached && now < far) {
      part = std::min(1.0, 2.0 * part);
      if (far - now < 1e-12 * (1.0 + far)) part = 0.0;
      s = std::move(next);
      far = now;
    } else {
      part *= 0.5;
    }
  }
  return s;
}

Eigen::VectorXd IkSearch::difference(In<double> a, In<double> b, bool around) const {
  Eigen::VectorXd way = Eigen::VectorXd::Zero(model_.nv);
  const auto R = [](In<double> q, std::size_t at) {
    return rotation_from_quaternion(q[at], q[at + 1], q[at + 2], q[at + 3]);
  };
  for (const Body<double>& body : model_.bodies) {
    const auto q = static_cast<std::size_t>(body.q);
    if (body.mimics || !carriers_.q[q]) continue;
    if (body.velocities() == 1) {
      way[body.v] = around && turns_[q] ? std::remainder(b[q] - a[q], kTurn) : b[q] - a[q];
      continue;
    }
    const bool floats = body.kind == JointKind::floating;
    const Mat3<double> from = R(a, floats ? q + 3 : q), to = R(b, floats ? q + 3 : q);
    way.segment<3>(body.v) = rotation_vector(transpose(from) * to).eigen();
    if (floats) {
      const Vec3<double> move(b[q] - a[q], b[q + 1] - a[q + 1], b[q + 2] - a[q + 2]);
      way.segment<3>(body.v + 3) = (transpose(from) * move).eigen();
    }
  }
  return way;
}

std::vector<double> IkSearch::moved(std::vector<double> q, const Eigen::VectorXd& step) const {
  const std::vector<double> old = q;
  advance(model_, q, {step.data(), static_cast<std::size_t>(step.size())});
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!carriers_.q[k]) q[k] = old[k];  // avoids repeated normalisation of quaternions
  }
  return q;
}

double IkSearch::distance(In<double> a, In<double> b, bool around) const { return difference(a, b, around).norm(); }

bool IkSearch::one_within_tolerance(const IkSolution& a, const IkSolution& b) {
  const Eigen::VectorXd way = difference(a.q, b.q, true);
  return way.norm() < 1e-2 && judged(moved(a.q, 0.5 * way)).reached;
}

bool IkSearch::loses_rank(const std::vector<double>& q, int rank) {
  error(q);
  return rank > 0 && lw::rank(jacobian(), kLost) < rank;
}

// Loss of rank is not sufficient (a stretched elbow has it), so small steps in the null space of J are corrected back
// to the target: along free directions they end elsewhere.
int IkSearch::extra_freedom(const std::vector<double>& q, int rank) {
  if (!loses_rank(q, rank)) return 0;
  constexpr double step = 0.05;
  const Eigen::MatrixXd all = jacobian();
  Eigen::MatrixXd J(all.rows(), carriers_.velocities);
  std::vector<Eigen::Index> velocity;
  for (Eigen::Index k = 0; k < all.cols(); ++k) {
    if (!carriers_.v[static_cast<std::size_t>(k)]) continue;
    J.col(static_cast<Eigen::Index>(velocity.size())) = all.col(k);
    velocity.push_back(k);
  }
  const Svd svd(J, true);
  int free = 0;
  for (Eigen::Index n = svd.rank(kLost); n < J.cols(); ++n) {
    Eigen::VectorXd along = Eigen::VectorXd::Zero(model_.nv);
    for (std::size_t k = 0; k < velocity.size(); ++k) along[velocity[k]] = svd.V(static_cast<Eigen::Index>(k), n);
    bool moves = false;
    for (const double sign : {step, -step}) {
      const IkSolution back = descend(moved(q, along * sign));
      const double away = distance(back.q, q, true);
      moves = moves || (back.reached && away > 0.5 * step && away < 2.0 * step);
    }
    free += moves;
  }
  return std::max(0, free - (carriers_.velocities - rank));
}

bool IkSearch::connected(std::vector<double> a, const std::vector<double>& b) {
  double left = distance(a, b, true);
  for (int steps = 0; left >= 1e-5; ++steps) {
    if (steps == 1000) return false;
    const double part = std::min(0.25, 0.1 / left);  // in small steps, which do not leave an isolated solution
    IkSolution back = descend(moved(a, difference(a, b, true) * part));
    const double now = distance(back.q, b, true);
    if (!back.reached || now > left * (1.0 - 0.5 * part)) return false;
    a = std::move(back.q);
    left = now;
  }
  return true;
}

bool IkSearch::too_far() const {
  return carriers_.velocities > 0 && (target_.pose.p - root_).eigen().norm() > reach_ + options_.tolerance * size_;
}

void IkSearch::bring_inside(std::vector<double>& q) const {
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (carriers_.q[k]) q[k] = std::clamp(q[k], limits_.lower[k], limits_.upper[k]);
  }
}

Eigen::Matrix<double, 6, 1> IkSearch::error(const std::vector<double>& q) {
  forward_kinematics<double>(model_, work_, q);
  const Transform<double> X = frame_pose(model_, work_, frame_);
  Eigen::Matrix<double, 6, 1> r;
  r.head<3>() = target_.position_only ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                      : rotation_vector(target_.pose.R * transpose(X.R)).eigen();
  r.tail<3>() = (target_.pose.p - X.p).eigen();
  return r;
}

Eigen::VectorXd IkSearch::weighted(const Eigen::Matrix<double, 6, 1>& r) const {
  if (target_.position_only) return r.tail<3>() / size_;
  Eigen::VectorXd w = r;
  w.head<3>() *= options_.radian;
  w.tail<3>() /= size_;
  return w;
}

Eigen::MatrixXd IkSearch::jacobian() const {
  const TaskJacobian task = task_jacobian(model_, work_, frame_, target_.position_only);
  Eigen::MatrixXd J = Eigen::Map<const Eigen::MatrixXd>(task.values.data(), task.rows, model_.nv);
  J.bottomRows<3>() /= size_;
  if (!target_.position_only) J.topRows<3>() *= options_.radian;
  return J;
}

// Whether it is at its limit and the step would exceed it.
bool IkSearch::held(const std::vector<double>& q, Eigen::Index velocity, double direction) const {
  const int k = velocity_to_coordinate_[static_cast<std::size_t>(velocity)];
  if (k < 0) return false;
  const auto at = static_cast<std::size_t>(k);
  return (q[at] <= limits_.lower[at] && direction < 0.0) || (q[at] >= limits_.upper[at] && direction > 0.0);
}

}  // namespace lw::detail
