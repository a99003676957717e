#include "inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Core>

#include "../base/linear.hpp"
#include "../base/random.hpp"
#include "../model/rotation_vector.hpp"
#include "closed_form_arm.hpp"
#include "closure.hpp"
#include "kinematics.hpp"

namespace lw {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Coordinates that come back after a full turn: angles of revolute bodies that no other follows.
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

// Closer than this, angles modulo a turn, two configurations are one: where branches meet, a residual at the rounding of
// doubles leaves them known to its square root only.
constexpr double kDistinct = 1e-5;

class Solver {
 public:
  Solver(const Model<double>& model, int frame, const IkTarget& target, const IkOptions& options)
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
  }

  IkSolution judged(std::vector<double> q, std::string branch = {}) {
    IkSolution s{std::move(q), 0.0, 0.0, false, std::move(branch), 0};
    const Eigen::Matrix<double, 6, 1> r = error(s.q);
    s.position_error = r.tail<3>().norm();
    s.rotation_error = target_.position_only ? 0.0 : r.head<3>().norm();
    s.reached = s.position_error <= options_.tolerance && s.rotation_error <= options_.tolerance;
    return s;
  }

  IkSolution descend(std::vector<double> q) {
    bring_inside(q);
    double damping = 1e-4;
    Eigen::VectorXd r = weighted(error(q));
    for (int iteration = 0; iteration < 400 && r.norm() > 1e-15; ++iteration) {
      Eigen::MatrixXd J = jacobian();
      const Eigen::VectorXd gradient = J.transpose() * r;
      for (Eigen::Index k = 0; k < J.cols(); ++k) {
        if (held(q, k, gradient[k])) J.col(k).setZero();
      }
      if ((J.transpose() * r).norm() < 1e-15) break;
      const Eigen::VectorXd step = damped_least_squares(J, r, damping);
      std::vector<double> trial = q;
      advance(model_, trial, {step.data(), static_cast<std::size_t>(step.size())});
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

  // The start, then poses all over the place: angles anywhere, slides within what the target's distance suggests.
  std::vector<double> start_number(int number, In<double> start) {
    std::vector<double> q(start.begin(), start.end());
    if (number == 0) return q;
    Random random(static_cast<std::uint64_t>(number));
    const double far = 1.0 + target_.pose.p.eigen().norm();
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

  // Whole turns added to angles: nearest to the start within the limits. False where no turn brings it there.
  bool unwind(std::vector<double>& q, In<double> start) const {
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

  // Of two configurations, over the joints that carry the frame; quaternions by their angle. `around`: whole turns do not count.
  double distance(In<double> a, In<double> b, bool around) const {
    double square = 0.0;
    const auto add = [&](double x) { square += x * x; };
    const auto turn = [&](std::size_t at) {
      const Eigen::Map<const Eigen::Vector4d> x(&a[at]), y(&b[at]);
      add(4.0 * std::atan2(std::min((x - y).norm(), (x + y).norm()), std::max((x - y).norm(), (x + y).norm())));
    };
    for (const JointInfo& joint : model_.joints) {
      auto at = static_cast<std::size_t>(joint.q);
      if (coordinates(joint.type) == 0 || !carriers_.q[at]) continue;
      if (joint.type == JointType::spherical) {
        turn(at);
      } else if (joint.type == JointType::floating) {
        for (std::size_t k = 0; k < 3; ++k) add(a[at + k] - b[at + k]);
        turn(at + 3);
      } else {
        for (int k = 0; k < coordinates(joint.type); ++k, ++at) {
          add(around && turns_[at] ? std::remainder(a[at] - b[at], kTurn) : a[at] - b[at]);
        }
      }
    }
    return std::sqrt(square);
  }

  // Of a solution, directions of motion beyond the `rank` of general position that the target leaves free. Losing rank is
  // not enough (a stretched elbow has), so small steps along what J does not see are brought back to the target: those
  // free come back elsewhere.
  int extra_freedom(const std::vector<double>& q, int rank) {
    error(q);
    const TaskJacobian task = task_jacobian(model_, work_, frame_, target_.position_only);
    Eigen::MatrixXd J(task.rows, carriers_.velocities);
    std::vector<std::size_t> velocity;
    for (std::size_t k = 0; k < carriers_.v.size(); ++k) {
      if (!carriers_.v[k]) continue;
      J.col(static_cast<Eigen::Index>(velocity.size())) =
          Eigen::Map<const Eigen::VectorXd>(&task.values[k * static_cast<std::size_t>(task.rows)], task.rows);
      velocity.push_back(k);
    }
    if (rank == 0) return 0;
    constexpr double lost = 1e-4, step = 0.05;
    if (lw::rank(J, lost) >= rank) return 0;
    const Svd svd(J, true);
    int free = 0;
    for (Eigen::Index n = 0; n < J.cols(); ++n) {
      if (n < svd.rank(lost)) continue;
      bool moves = false;
      for (const double sign : {step, -step}) {
        std::vector<double> trial = q, along(carriers_.v.size());
        for (std::size_t k = 0; k < velocity.size(); ++k)
          along[velocity[k]] = sign * svd.V(static_cast<Eigen::Index>(k), n);
        advance(model_, trial, along);
        const IkSolution back = descend(std::move(trial));
        const double away = distance(back.q, q, true);
        moves = moves || (back.reached && away > 0.5 * step && away < 2.0 * step);
      }
      free += moves;
    }
    return std::max(0, free - (carriers_.velocities - rank));
  }

  // Whether small steps from a towards b, each brought back to the target, arrive there.
  bool connected(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < velocity_to_coordinate_.size(); ++k) {
      if (carriers_.v[k] && velocity_to_coordinate_[k] < 0) return false;  // only for joints with one coordinate
    }
    double left = distance(a, b, true);
    for (int steps = 0; left >= kDistinct; ++steps) {
      if (steps == 1000) return false;
      const double part = std::min(0.25, 0.1 / left);  // never at once: what is isolated is not left by a small step
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (!carriers_.q[k]) continue;
        const double way = turns_[k] ? std::remainder(b[k] - a[k], kTurn) : b[k] - a[k];
        a[k] += way * part;
      }
      IkSolution back = descend(std::move(a));
      const double now = distance(back.q, b, true);
      if (!back.reached || now > left * (1.0 - 0.5 * part)) return false;
      a = std::move(back.q);
      left = now;
    }
    return true;
  }

 private:
  void bring_inside(std::vector<double>& q) const {
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (carriers_.q[k]) q[k] = std::clamp(q[k], limits_.lower[k], limits_.upper[k]);
    }
  }
  // [rotation; position] from where the frame is at q; leaves the workspace there.
  Eigen::Matrix<double, 6, 1> error(const std::vector<double>& q) {
    forward_kinematics<double>(model_, work_, q);
    const Transform<double> X = frame_pose(model_, work_, frame_);
    Eigen::Matrix<double, 6, 1> r;
    r.head<3>() = target_.position_only ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                        : rotation_vector(target_.pose.R * transpose(X.R)).eigen();
    r.tail<3>() = (target_.pose.p - X.p).eigen();
    return r;
  }
  Eigen::VectorXd weighted(const Eigen::Matrix<double, 6, 1>& r) const {
    if (target_.position_only) return r.tail<3>();
    Eigen::VectorXd w = r;
    w.head<3>() *= options_.length;
    return w;
  }
  Eigen::MatrixXd jacobian() {
    const TaskJacobian task = task_jacobian(model_, work_, frame_, target_.position_only);
    Eigen::MatrixXd J = Eigen::Map<const Eigen::MatrixXd>(task.values.data(), task.rows, model_.nv);
    if (!target_.position_only) J.topRows<3>() *= options_.length;
    return J;
  }
  // At its limit, and the step would leave.
  bool held(const std::vector<double>& q, Eigen::Index velocity, double direction) const {
    const int k = velocity_to_coordinate_[static_cast<std::size_t>(velocity)];
    if (k < 0) return false;
    const auto at = static_cast<std::size_t>(k);
    return (q[at] <= limits_.lower[at] && direction < 0.0) || (q[at] >= limits_.upper[at] && direction > 0.0);
  }

  const Model<double>& model_;
  Workspace<double> work_;
  int frame_;
  IkTarget target_;
  IkOptions options_;
  CoordinateLimits limits_;
  Carriers carriers_;
  std::vector<bool> turns_;
  std::vector<int> velocity_to_coordinate_;  // of joints with one; else -1
};

double badness(const IkSolution& s, const IkOptions& options) {
  return std::hypot(s.position_error, options.length * s.rotation_error);
}

}  // namespace

Carriers carriers(const Model<double>& model, int frame) {
  require(frame >= 0 && frame < static_cast<int>(model.frames.size()), "no such frame in the model");
  Carriers on{std::vector<bool>(static_cast<std::size_t>(model.nq), false),
              std::vector<bool>(static_cast<std::size_t>(model.nv), false), 0};
  for (int i = model.frames[static_cast<std::size_t>(frame)].body; i >= 0;) {
    const Body<double>& b = model.bodies[static_cast<std::size_t>(i)];
    const bool turns_freely = b.kind == JointKind::spherical || b.kind == JointKind::floating;  // a quaternion
    for (int k = 0; k < b.velocities(); ++k) on.v[static_cast<std::size_t>(b.v + k)] = true;
    for (int k = 0; k < b.velocities() + turns_freely; ++k) on.q[static_cast<std::size_t>(b.q + k)] = true;
    i = b.parent;
  }
  on.velocities = static_cast<int>(std::count(on.v.begin(), on.v.end(), true));
  return on;
}

TaskJacobian task_jacobian(const Model<double>& model, const Workspace<double>& work, int frame, bool position_only) {
  const auto nv = static_cast<std::size_t>(model.nv);
  TaskJacobian task{position_only ? 3 : 6, std::vector<double>(6 * nv)};
  frame_jacobian<double>(model, work, frame, task.values);
  if (position_only) {
    for (std::size_t k = 0; k < nv; ++k) {
      for (std::size_t i = 0; i < 3; ++i) task.values[3 * k + i] = task.values[6 * k + 3 + i];
    }
    task.values.resize(3 * nv);
  }
  return task;
}

int general_rank(const Model<double>& model, int frame, bool position_only) {
  if (model.nv == 0) return 0;
  Random random(1);
  std::vector<double> q = model.home, step(static_cast<std::size_t>(model.nv));
  for (double& x : step) x = random.between(-std::numbers::pi, std::numbers::pi);
  advance(model, q, step);
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  const TaskJacobian task = task_jacobian(model, work, frame, position_only);
  const Eigen::Map<const Eigen::MatrixXd> J(task.values.data(), task.rows, model.nv);
  return Svd(J).rank(1e-9);
}

IkResult inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target, In<double> start,
                            const IkOptions& options) {
  check_sizes("inverse_kinematics", model, {{"start", start.size(), model.nq}});
  if (options.limits) {
    const auto& [lower, upper] = *options.limits;
    check_sizes("inverse_kinematics", model,
                {{"limits.lower", lower.size(), model.nq}, {"limits.upper", upper.size(), model.nq}});
    for (std::size_t k = 0; k < lower.size(); ++k) require(lower[k] <= upper[k], "a lower limit is above its upper");
  }
  require(options.starts >= 1, "inverse kinematics needs a start");
  Solver solver(model, frame, target, options);
  std::optional<ClosedFormArm> arm;
  if (options.closed_form) arm = ClosedFormArm::recognise(model, frame);
  if (arm && arm->has_wrist() && target.position_only) arm.reset();  // infinitely many
  const int velocities = carriers(model, frame).velocities;
  const int rank = arm ? velocities : general_rank(model, frame, target.position_only);  // a recognised one wastes none
  IkResult result;
  const auto keep = [&](IkSolution s) {
    s.freedom = velocities - rank + solver.extra_freedom(s.q, rank);
    const bool known = std::any_of(result.solutions.begin(), result.solutions.end(), [&](const IkSolution& other) {
      return solver.distance(s.q, other.q, true) < kDistinct ||
             (s.freedom > 0 && s.freedom == other.freedom && solver.connected(other.q, s.q));
    });
    if (!known) result.solutions.push_back(std::move(s));
  };

  if (arm) {
    for (ClosedFormArm::Branch& branch : arm->solve(target.pose, start)) {
      IkSolution s = solver.judged(std::move(branch.q), std::move(branch.name));
      if (!s.reached) continue;  // an arm of three joints meets an orientation by chance only
      if (solver.unwind(s.q, start)) {
        keep(std::move(s));
      } else {
        ++result.beyond_limits;
      }
    }
  }
  result.closed_form = !result.solutions.empty();
  if (!result.closed_form) {
    std::optional<IkSolution> best;
    result.freedom = velocities - rank;
    for (int number = 0; number < (velocities == 0 ? 1 : options.starts); ++number) {
      IkSolution s = solver.descend(solver.start_number(number, start));
      solver.unwind(s.q, start);
      s = solver.judged(std::move(s.q));
      if (!best || badness(s, options) < badness(*best, options)) best = s;
      if (!s.reached) continue;
      keep(s);
      if (result.freedom > 0) break;
    }
    result.nearest = *best;
  }
  std::stable_sort(result.solutions.begin(), result.solutions.end(), [&](const IkSolution& a, const IkSolution& b) {
    return solver.distance(a.q, start, false) < solver.distance(b.q, start, false);
  });
  if (!result.solutions.empty()) result.nearest = result.solutions.front();
  return result;
}

}  // namespace lw
