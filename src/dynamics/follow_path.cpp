#include "follow_path.hpp"

#include <Eigen/Dense>

#include "../model/rotation_vector.hpp"
#include "kinematics.hpp"

namespace lw {
namespace {

// Smallest singular value over largest at which the rank counts as lost.
constexpr double kSingular = 1e-8;

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
  require(path.size() >= 3, "differences need three samples of a path");
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::size_t first = k == 0 ? 0 : k + 1 == path.size() ? k - 2 : k - 1;
    const double t[3] = {path[first].t, path[first + 1].t, path[first + 2].t};
    visit(k, first, Differences(t, static_cast<int>(k - first)));
  }
}

}  // namespace

std::vector<JointSample> follow_path(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                                     bool position_only, In<double> start, const IkOptions& options) {
  Workspace<double> work(model);
  std::vector<double> q(start.begin(), start.end());
  std::vector<JointSample> out;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const PathSample& sample = path[k];
    const IkTarget target{sample.pose, position_only};
    // after the first sample the numerical road from there stays on the branch; other starts would leave it
    IkOptions here = options;
    if (k > 0) here.starts = 1;
    const IkSolution s = inverse_kinematics(model, frame, target, q, here).nearest;
    q = s.q;

    forward_kinematics<double>(model, work, q);
    const TaskJacobian task = task_jacobian(model, work, frame, position_only);
    const Eigen::Map<const Eigen::MatrixXd> J(task.values.data(), task.rows, model.nv);
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(kSingular);
    const Eigen::VectorXd rates = svd.solve(task_part(sample.velocity, position_only));
    const std::vector<double> qd(rates.data(), rates.data() + rates.size());
    forward_velocities<double>(model, work, q, qd);
    const Eigen::VectorXd bias = task_part(frame_bias<double>(model, work, frame, q, qd), position_only);
    const Eigen::VectorXd accelerations = svd.solve(task_part(sample.acceleration, position_only) - bias);
    out.push_back({sample.t,
                   q,
                   qd,
                   {accelerations.data(), accelerations.data() + accelerations.size()},
                   s.position_error,
                   s.rotation_error,
                   s.reached,
                   svd.rank() < std::min<Eigen::Index>(task.rows, task.joints)});
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
