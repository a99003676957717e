// Joint motion along a path of a frame:
//
//   q̇ = J⁺ v,   q̈ = J⁺ (a − J̇ q̇)
//
// with q the solution of the inverse kinematics nearest to that of the sample before, angles running on past ±π. J⁺ is
// the inverse where J is square, else the pseudo-inverse (least joint rates for a redundant arm). Where J has lost rank
// the sample is marked: rates are then those of least squares, and motion out of the reachable directions is not made.
// A branch that ends at a joint's limit is not left for another.
#pragma once

#include <vector>

#include "inverse_kinematics.hpp"

namespace lw {

struct PathSample {
  double t = 0.0;
  Transform<double> pose;
  Motion<double> velocity, acceleration;  // of the frame's origin, in world axes
};

struct JointSample {
  double t = 0.0;
  std::vector<double> q, qd, qdd;  // nq, nv, nv
  double position_error = 0.0, rotation_error = 0.0;
  bool reached = false;
  bool out_of_reach = false;  // not reached, and it is certain that it cannot be
  bool branch_ends = false;   // not reached: a joint would be beyond its limit; q is elsewhere
  bool singular = false;      // J has less than its rank in general position
  bool doubtful = false;      // it nearly has, or the rates do not fit the way from the sample before
};

// A sample that is not reached has reached = false and the nearest pose found; the samples after it go on from there.
// Throws Error(usage) as inverse_kinematics does, and where no joint moves the frame.
std::vector<JointSample> follow_path(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                                     bool position_only, In<double> start, const IkOptions& options = {});

// Velocities and accelerations by three-point differences of the samples (exact for quadratics in time; rotations by
// their rotation vectors from the sample in question). Error(usage) without three samples of rising time.
void difference_poses(std::vector<PathSample>& path);
// Accelerations alone, from the velocities.
void difference_velocities(std::vector<PathSample>& path);

}  // namespace lw
