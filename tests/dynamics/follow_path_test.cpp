// Joint motion along a path: rates and accelerations that move the frame as asked, on one branch all the way.
#include "dynamics/kinematics/follow_path.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <tuple>

#include "control/trajectory.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"
#include "spatial/rotation_vector.hpp"

namespace lw {
namespace follow_path_test {

double apart(const Vec3<double>& a, const Vec3<double>& b) { return (a - b).eigen().norm(); }

std::vector<PathSample> samples(const CartesianLine& line, int n) {
  std::vector<PathSample> path;
  for (int k = 0; k < n; ++k) {
    const double t = line.duration() * k / (n - 1);
    const FrameMotion<double> m = line.at(t);
    path.push_back({t, m.pose, m.velocity, m.acceleration});
  }
  return path;
}

// Pose, velocity and acceleration of the frame under the joint motion are those of the path.
void expect_followed(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                     const std::vector<JointSample>& joints, bool position_only) {
  ASSERT_EQ(path.size(), joints.size());
  Workspace<double> work(model);
  std::vector<double> J(6 * static_cast<std::size_t>(model.nv));
  for (std::size_t k = 0; k < path.size(); ++k) {
    ASSERT_TRUE(joints[k].reached) << k;
    EXPECT_FALSE(joints[k].singular) << k;
    forward_velocities<double>(model, work, joints[k].q, joints[k].qd);
    const Transform<double> X = frame_pose(model, work, frame);
    const Motion<double> v = frame_velocity(model, work, frame);
    Motion<double> a = frame_bias<double>(model, work, frame, joints[k].q, joints[k].qd);
    frame_jacobian<double>(model, work, frame, J);
    for (std::size_t j = 0; j < joints[k].qdd.size(); ++j) {
      const double* c = &J[6 * j];
      a += Motion<double>{Vec3<double>(c[0], c[1], c[2]) * joints[k].qdd[j],
                          Vec3<double>(c[3], c[4], c[5]) * joints[k].qdd[j]};
    }
    EXPECT_LE(apart(X.p, path[k].pose.p), 1e-10);
    EXPECT_LE(apart(v.lin, path[k].velocity.lin), 1e-9);
    EXPECT_LE(apart(a.lin, path[k].acceleration.lin), 1e-8);
    if (position_only) continue;
    EXPECT_LE(apart(rotation_vector(X.R * transpose(path[k].pose.R)), {}), 1e-10);
    EXPECT_LE(apart(v.ang, path[k].velocity.ang), 1e-9);
    EXPECT_LE(apart(a.ang, path[k].acceleration.ang), 1e-8);
  }
}

// q̇ and q̈ are the derivatives of q: central differences over the samples.
void expect_derivatives(const std::vector<JointSample>& joints, double tolerance) {
  for (std::size_t k = 1; k + 1 < joints.size(); ++k) {
    const double h = joints[k + 1].t - joints[k].t;
    for (std::size_t j = 0; j < joints[k].q.size(); ++j) {
      const double down = joints[k - 1].q[j], here = joints[k].q[j], up = joints[k + 1].q[j];
      EXPECT_NEAR((up - down) / (2 * h), joints[k].qd[j], tolerance) << k << " " << j;
      EXPECT_NEAR((up - 2 * here + down) / (h * h), joints[k].qdd[j], 10 * tolerance) << k << " " << j;
    }
  }
}

Transform<double> pose_at(const Model<double>& model, int frame, const std::vector<double>& q) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  return frame_pose(model, work, frame);
}

TEST(FollowPath, LinesOfArmsInClosedFormAndNumerically) {
  for (const char* name : {"puma560", "stanford", "ur5"}) {
    const Model<double> model = instantiate<double>(load(name));
    const int frame = static_cast<int>(model.frames.size()) - 1;
    std::vector<double> from = model.home, to = model.home;
    if (std::string(name) == "ur5") from = to = {0.2, -1.2, 1.5, -0.6, 1.1, 0.3};
    for (std::size_t j = 0; j < 6; ++j) to[j] += 0.15 + 0.02 * static_cast<double>(j);
    const CartesianLine line(pose_at(model, frame, from), pose_at(model, frame, to), 1.0);
    const std::vector<PathSample> path = samples(line, 2001);
    const std::vector<JointSample> joints = follow_path(model, frame, path, false, from);
    expect_followed(model, frame, path, joints, false);
    expect_derivatives(joints, 3e-5);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(joints.back().q[j], to[j], 1e-6) << name;
  }
}

TEST(FollowPath, RedundantArmMovesItsPointWithLeastRates) {
  const Model<double> model = instantiate<double>(load("arm7"));
  const int frame = static_cast<int>(model.frames.size()) - 1;
  std::vector<double> q{0.3, 0.5, -0.2, 1.1, 0.4, -0.6, 0.2};
  const Transform<double> X = pose_at(model, frame, q);
  const CartesianLine line(X, {X.R, X.p + Vec3<double>(0.05, -0.04, 0.03)}, 1.0);
  for (const bool position_only : {false, true}) {
    const std::vector<PathSample> path = samples(line, 101);
    const std::vector<JointSample> joints = follow_path(model, frame, path, position_only, q);
    expect_followed(model, frame, path, joints, position_only);
    // least rates: they have no part that leaves the task unmoved, so that they are orthogonal to all such
    Workspace<double> work(model);
    const JointSample& s = joints[50];
    forward_kinematics<double>(model, work, s.q);
    const TaskJacobian task = task_jacobian(model, work, frame, position_only);
    const Eigen::Map<const Eigen::MatrixXd> J(task.values.data(), task.rows, 7);
    const Eigen::MatrixXd kernel = Eigen::FullPivLU<Eigen::MatrixXd>(J).kernel();
    EXPECT_EQ(kernel.cols(), position_only ? 4 : 1);
    EXPECT_LE((kernel.transpose() * Eigen::Map<const Eigen::VectorXd>(s.qd.data(), 7)).norm(), 1e-12);
  }
}

TEST(FollowPath, AnglesRunOnPastHalfATurn) {
  // the tip of a Stanford arm on a circle around its first axis, once round: joint 1 ends a full turn further
  const Model<double> model = instantiate<double>(load("stanford"));
  const int frame = 6, n = 400;
  const Transform<double> X = pose_at(model, frame, model.home);
  std::vector<PathSample> path;
  for (int k = 0; k <= n; ++k) {
    const Mat3<double> R = rotation_about_axis<double>(Vec3<double>::unit(2), 2 * M_PI * k / n);
    const Vec3<double> w(0, 0, 2 * M_PI / 10.0), r = R * X.p;  // in 10 s
    path.push_back({10.0 * k / n, {R * X.R, r}, {w, cross(w, r)}, {{}, cross(w, cross(w, r))}});
  }
  const std::vector<JointSample> joints = follow_path(model, frame, path, false, model.home);
  expect_followed(model, frame, path, joints, false);
  for (int k = 0; k <= n; ++k) {
    const JointSample& s = joints[static_cast<std::size_t>(k)];
    EXPECT_NEAR(s.q[0], model.home[0] + 2 * M_PI * k / n, 1e-12);
    EXPECT_NEAR(s.qd[0], 2 * M_PI / 10.0, 1e-12);
    for (std::size_t j = 1; j < 6; ++j) EXPECT_NEAR(s.q[j], model.home[j], 1e-12);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(s.qdd[j], 0.0, 1e-10);
  }
}

TEST(FollowPath, SingularAndUnreachableSamplesAreMarked) {
  const Model<double> model = instantiate<double>(load("puma560"));
  const std::vector<double> straight{0.1, -0.6, 1.9, 0.0, 0.0, 0.0}, bent{0.1, -0.6, 1.9, 0.0, 0.4, 0.0};
  std::vector<PathSample> path(3);
  path[0].pose = pose_at(model, 6, bent);
  path[1].pose = pose_at(model, 6, straight);
  path[2].pose = path[0].pose;
  path[2].pose.p = {5, 0, 0};
  const std::vector<JointSample> joints = follow_path(model, 6, path, false, bent);
  EXPECT_FALSE(joints[0].singular);
  EXPECT_TRUE(joints[1].singular && joints[1].reached);
  EXPECT_FALSE(joints[2].reached);
  EXPECT_GT(joints[2].position_error, 4.0);
}

// A path on which the joints move evenly from one configuration to another.
std::vector<PathSample> joint_line(const Model<double>& model, int frame, const std::vector<double>& from,
                                   const std::vector<double>& to, int n) {
  std::vector<PathSample> path(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    std::vector<double> q = from;
    const double s = static_cast<double>(k) / (n - 1);
    for (std::size_t j = 0; j < q.size(); ++j) q[j] += s * (to[j] - from[j]);
    path[static_cast<std::size_t>(k)].t = s;
    path[static_cast<std::size_t>(k)].pose = pose_at(model, frame, q);
  }
  difference_poses(path);
  return path;
}

TEST(FollowPath, ABranchThatEndsAtALimitIsNotLeftForAnother) {
  const Mechanism mechanism = load("puma560");
  const Model<double> model = instantiate<double>(mechanism);
  IkOptions options;
  options.limits = coordinate_limits(mechanism, model);
  std::vector<double> from = model.home, to = model.home;
  // past 160° of joint 1, where another shoulder would do; past 266° of joint 6, where a turn back would do
  for (const auto& [joint, begin, end, limit] : {std::tuple{0u, 2.5, 3.1, 160.0}, std::tuple{5u, 4.0, 5.0, 266.0}}) {
    from = to = model.home;
    from[joint] = begin;
    to[joint] = end;
    const std::vector<JointSample> joints =
        follow_path(model, 6, joint_line(model, 6, from, to, 61), false, from, options);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const double q = begin + (end - begin) * static_cast<double>(k) / 60.0;
      if (q < limit * M_PI / 180.0) {
        EXPECT_TRUE(joints[k].reached) << k;
        EXPECT_NEAR(joints[k].q[joint], q, 1e-10);
      } else {
        EXPECT_FALSE(joints[k].reached) << k;
        EXPECT_TRUE(joints[k].branch_ends) << k;
        break;  // what comes after it goes on from elsewhere
      }
    }
    for (const JointSample& s : follow_path(model, 6, joint_line(model, 6, from, to, 61), false, from)) {
      EXPECT_TRUE(s.reached && !s.branch_ends);
    }
  }
  // up to the limit itself, by both methods
  from = to = model.home;
  from[0] = 2.5;
  to[0] = options.limits->upper[0];
  for (const bool closed_form : {true, false}) {
    options.closed_form = closed_form;
    for (const JointSample& s : follow_path(model, 6, joint_line(model, 6, from, to, 61), false, from, options)) {
      EXPECT_TRUE(s.reached && !s.branch_ends) << closed_form << " " << s.t;
    }
  }
  // numerically, past it
  to[0] = 3.1;
  const std::vector<JointSample> past = follow_path(model, 6, joint_line(model, 6, from, to, 61), false, from, options);
  EXPECT_TRUE(past[29].reached);
  EXPECT_TRUE(!past[30].reached && past[30].branch_ends);  // 2.8
}

TEST(FollowPath, PlanarArmsAreSingularOnlyWhereTheyAre) {
  const Model<double> model = instantiate<double>(load("twu-3r"));
  const int frame = static_cast<int>(model.frames.size()) - 1;
  EXPECT_EQ(general_rank(model, frame, false), 3);
  EXPECT_EQ(general_rank(model, frame, true), 2);
  for (const bool position_only : {false, true}) {
    for (const JointSample& s :
         follow_path(model, frame, joint_line(model, frame, {0.3, 0.9, 0.5}, {0.6, 0.5, 0.8}, 21), position_only,
                     std::vector<double>{0.3, 0.9, 0.5})) {
      EXPECT_TRUE(s.reached && !s.singular && !s.doubtful);
    }
  }
  std::vector<PathSample> stretched(1);
  stretched[0].pose = pose_at(model, frame, {0.3, 0.0, 0.0});
  EXPECT_TRUE(follow_path(model, frame, stretched, true, std::vector<double>{0.3, 0.0, 0.0})[0].singular);
}

TEST(FollowPath, RatesNearASingularityAreDoubtful) {
  const Model<double> model = instantiate<double>(load("puma560"));
  for (const double bend : {0.3, 1e-2, 1e-5, 1e-7}) {
    const std::vector<double> q{0.1, -0.6, 1.9, 0.2, bend, 0.3};
    std::vector<PathSample> path(1);
    path[0].pose = pose_at(model, 6, q);
    const JointSample s = follow_path(model, 6, path, false, q)[0];
    EXPECT_EQ(s.doubtful, bend < 1e-4) << bend;
    EXPECT_FALSE(s.singular) << bend;
  }
  // rates that do not belong to the poses
  std::vector<PathSample> path =
      joint_line(model, 6, {0.1, -0.6, 1.9, 0.2, 0.8, 0.3}, {0.4, -0.5, 1.8, 0.1, 0.9, 0.2}, 3);
  const std::vector<double> from{0.1, -0.6, 1.9, 0.2, 0.8, 0.3};
  for (const JointSample& s : follow_path(model, 6, path, false, from)) EXPECT_FALSE(s.doubtful);
  path[1].velocity.lin = path[1].velocity.lin * 50.0;
  const std::vector<JointSample> joints = follow_path(model, 6, path, false, from);
  EXPECT_TRUE(!joints[0].doubtful && joints[1].doubtful);
}

TEST(FollowPath, DifferencesAreExactForQuadraticsAndConvergeForTurns) {
  const double times[] = {0.0, 0.1, 0.25, 0.3, 0.5};
  std::vector<PathSample> path;
  const Vec3<double> axis(0.6, 0.0, 0.8);
  for (const double t : times) {
    path.push_back(
        {t, {rotation_about_axis<double>(axis, 0.3 + 0.7 * t - t * t), {1 + t - 2 * t * t, 3 * t * t, t}}, {}, {}});
  }
  std::vector<PathSample> differenced = path;
  difference_poses(differenced);
  for (const PathSample& s : differenced) {
    EXPECT_LE(apart(s.velocity.lin, {1 - 4 * s.t, 6 * s.t, 1}), 1e-13);
    EXPECT_LE(apart(s.acceleration.lin, {-4, 6, 0}), 1e-12);
    EXPECT_LE(apart(s.velocity.ang, axis * (0.7 - 2 * s.t)), 1e-13);
    EXPECT_LE(apart(s.acceleration.ang, axis * -2.0), 1e-12);
  }
  difference_velocities(differenced);
  for (const PathSample& s : differenced) {
    EXPECT_LE(apart(s.acceleration.lin, {-4, 6, 0}), 1e-12);
    EXPECT_LE(apart(s.acceleration.ang, axis * -2.0), 1e-12);
  }
}

TEST(FollowPath, RatesThatContradictThePathAreDoubtful) {
  // of a line with its true rates none, however fine the steps; with a component of the velocity reversed all
  const Model<double> model = instantiate<double>(load("puma560"));
  const std::vector<double> q{0.3, -0.7, 1.9, 0.4, 0.6, 0.5};
  const Transform<double> X = pose_at(model, 6, q);
  const CartesianLine line(X, {X.R, X.p + Vec3<double>(-0.15, -0.1, -0.05)}, 1.0);
  for (const int n : {11, 101, 1001}) {
    std::vector<PathSample> path = samples(line, n);
    for (const JointSample& s : follow_path(model, 6, path, false, q)) EXPECT_FALSE(s.doubtful || !s.reached) << n;
    for (PathSample& s : path) s.velocity.lin = Vec3<double>(-s.velocity.lin[0], s.velocity.lin[1], s.velocity.lin[2]);
    difference_velocities(path);
    const std::vector<JointSample> reversed = follow_path(model, 6, path, false, q);
    for (std::size_t k = 5; k + 5 < reversed.size(); ++k) EXPECT_TRUE(reversed[k].doubtful) << n << " " << k;
  }
}

}  // namespace follow_path_test
}  // namespace lw
