#include "follow_path.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include "../../base/linear.hpp"
#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

// Smallest singular value divided by the largest: below the first value the rank is lost, below the second rates are
// ten thousand times larger than the frame's motion.
constexpr double kSingular = 1e-8, kNearlySingular = 1e-4;

Eigen::VectorXd task_part(const Motion<double>& m, bool position_only) {
  if (position_only) return m.lin.eigen();
  Eigen::VectorXd v(6);
  v << m.ang.eigen(), m.lin.eigen();
  return v;
}

// First and second derivative at one of three points of the quadratic through them.
struct Differences {
  double first[3], second[3];  // weights of the three values

  Differences(const double (&t)[3], int at) {
    for (int i = 0; i < 3; ++i) {
      const double a = t[(i + 1) % 3], b = t[(i + 2) % 3], scale = (t[i] - a) * (t[i] - b);
      first[i] = (2.0 * t[at] - a - b) / scale;
      second[i] = 2.0 / scale;
    }
  }
};

// Calls visit(k, first of the three samples, weights) for every sample.
template <class F>
void with_neighbours(std::vector<PathSample>& path, F&& visit) {
  require(path.size() >= 3, "a path needs at least three samples for differences");
  for (std::size_t k = 1; k < path.size(); ++k) require(path[k].t > path[k - 1].t, "times of a path must increase");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::size_t first = k == 0 ? 0 : k + 1 == path.size() ? k - 2 : k - 1;
    const double t[3] = {path[first].t, path[first + 1].t, path[first + 2].t};
    visit(k, first, Differences(t, static_cast<int>(k - first)));
  }
}

struct Step {
  IkSolution solution;
  bool out_of_reach = false, branch_ends = false;
};

// From one sample to the next, on the branch of q. Without limits this is the solution nearest to q. If it exceeds
// them, a redundant arm continues with its other joints; any other solution is another branch, or whole turns away.
Step step_to(const Model<double>& model, int frame, const Carriers& on, const IkTarget& target, In<double> q,
             IkOptions options) {
  options.starts = 1;  // the numerical method from q stays on the branch; other starts might leave it
  const std::optional<CoordinateLimits> limits = std::exchange(options.limits, std::nullopt);
  const IkResult anywhere = inverse_kinematics(model, frame, target, q, options);
  const IkSolution& free = anywhere.nearest;
  bool inside = true;
  for (std::size_t k = 0; limits && k < free.q.size(); ++k) {
    inside = inside && (!on.q[k] || (free.q[k] >= limits->lower[k] - 1e-12 && free.q[k] <= limits->upper[k] + 1e-12));
  }
  if (inside) return {free, anywhere.out_of_reach, false};
  options.limits = limits;
  const IkResult within = inverse_kinematics(model, frame, target, q, options);
  double apart = 0.0;  // small tolerance at the limits
  for (std::size_t k = 0; k < free.q.size(); ++k) apart = std::max(apart, std::abs(free.q[k] - within.nearest.q[k]));
  const bool same = within.nearest.reached && apart < 1e-8;
  return {within.nearest, within.out_of_reach, free.reached && within.freedom == 0 && !same};
}

// Rates inconsistent with the motion of the joints between two samples: q differs from
//   ½ h (q̇₀ + q̇₁) − h²/12 (q̈₁ − q̈₀),   exact for polynomials of the fourth degree,
// by more than half of either, over all joints.
bool disagree(const Model<double>& model, const JointSample& before, const JointSample& after) {
  const double h = after.t - before.t;
  double moved = 0.0, told = 0.0, off = 0.0;  // squares
  for (const JointInfo& joint : model.joints) {
    if (coordinates(joint.type) != 1) continue;
    const auto q = static_cast<std::size_t>(joint.q), v = static_cast<std::size_t>(joint.v);
    const double way = after.q[q] - before.q[q];
    const double rates = 0.5 * h * (before.qd[v] + after.qd[v]) - h * h / 12.0 * (after.qdd[v] - before.qdd[v]);
    moved += way * way;
    told += rates * rates;
    off += (way - rates) * (way - rates);
  }
  constexpr double rounding = 1e-8;
  return !(std::sqrt(off) <= rounding + 0.5 * std::sqrt(std::max(moved, told)));
}

}  // namespace

std::vector<JointSample> follow_path(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                                     bool position_only, In<double> start, const IkOptions& options) {
  check_sizes("follow_path", model, {{"start", start.size(), model.nq}});
  const Carriers on = carriers(model, frame);
  const int rank = general_rank(model, frame, position_only);
  require(rank > 0, "the frame is fixed: no joint moves it");
  Workspace<double> work(model);
  std::vector<double> q(start.begin(), start.end());
  std::vector<JointSample> out;
  for (const PathSample& sample : path) {
    const IkTarget target{sample.pose, position_only};
    const auto begin = [&] {
      const IkResult first = inverse_kinematics(model, frame, target, q, options);
      return Step{first.nearest, first.out_of_reach, false};
    };
    const Step step = out.empty() ? begin() : step_to(model, frame, on, target, q, options);
    q = step.solution.q;

    forward_kinematics<double>(model, work, q);
    const TaskJacobian task = task_jacobian(model, work, frame, position_only);
    const Eigen::Map<const Eigen::MatrixXd> J(task.values.data(), task.rows, model.nv);
    const Svd svd(J);
    const double smallest = svd.s[rank - 1] / svd.s[0];
    const Eigen::VectorXd rates = svd.solve(task_part(sample.velocity, position_only), kSingular);
    const std::vector<double> qd(rates.data(), rates.data() + rates.size());
    forward_velocities<double>(model, work, q, qd);
    const Eigen::VectorXd bias = task_part(frame_bias<double>(model, work, frame, q, qd), position_only);
    const Eigen::VectorXd accelerations = svd.solve(task_part(sample.acceleration, position_only) - bias, kSingular);
    JointSample here{.t = sample.t,
                     .q = q,
                     .qd = qd,
                     .qdd = {accelerations.data(), accelerations.data() + accelerations.size()},
                     .position_error = step.solution.position_error,
                     .rotation_error = step.solution.rotation_error,
                     .reached = step.solution.reached && !step.branch_ends,
                     .out_of_reach = step.out_of_reach,
                     .branch_ends = step.branch_ends,
                     .singular = !(smallest > kSingular),
                     .doubtful = !(smallest > kNearlySingular)};
    if (!out.empty() && out.back().reached && here.reached && disagree(model, out.back(), here)) here.doubtful = true;
    out.push_back(std::move(here));
  }
  return out;
}

void difference_poses(std::vector<PathSample>& path) {
  const std::vector<PathSample> given = path;
  with_neighbours(path, [&](std::size_t k, std::size_t first, const Differences& d) {
    Motion<double> v, a;
    for (std::size_t i = 0; i < 3; ++i) {
      const Transform<double>& X = given[first + i].pose;
      const Vec3<double> turn = rotation_vector(X.R * transpose(given[k].pose.R)), move = X.p - given[k].pose.p;
      v += Motion<double>{turn * d.first[i], move * d.first[i]};
      a += Motion<double>{turn * d.second[i], move * d.second[i]};
    }
    path[k].velocity = v;
    path[k].acceleration = a;
  });
}

void difference_velocities(std::vector<PathSample>& path) {
  const std::vector<PathSample> given = path;
  with_neighbours(path, [&](std::size_t k, std::size_t first, const Differences& d) {
    Motion<double> a;
    for (std::size_t i = 0; i < 3; ++i) {
      const Motion<double>& v = given[first + i].velocity;
      a += Motion<double>{v.ang * d.first[i], v.lin * d.first[i]};
    }
    path[k].acceleration = a;
  });
}

}  // namespace lw
