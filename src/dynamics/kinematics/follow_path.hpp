// Joint motion along a path of a frame:
//
//   q̇ = J⁺ v,   q̈ = J⁺ (a − J̇ q̇)
//
// with q the solution of the inverse kinematics nearest to that of the previous sample, with angles continued beyond
// ±π. J⁺ is the inverse if J is square, else the pseudo-inverse (minimum-norm joint rates for a redundant arm). If J
// has lost rank the sample is marked: rates are then those of least squares, without motion in unreachable directions.
// If a branch ends at a joint's limit, the path does not continue on another.
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
  bool out_of_reach = false;  // not reached, and certainly unreachable
  bool branch_ends = false;   // not reached, because a joint would exceed its limit; q is another pose
  bool singular = false;      // J has less than its rank in general position
  bool doubtful = false;      // J nearly has, or the rates contradict the motion from the previous sample
};

// A sample that is not reached has reached = false and the nearest pose found; the following samples continue from
// there. Throws Error(usage) as inverse_kinematics does, and if no joint moves the frame.
std::vector<JointSample> follow_path(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                                     bool position_only, In<double> start, const IkOptions& options = {});

// Velocities and accelerations by three-point differences of the samples (exact for quadratics in time; rotations by
// their rotation vectors from the sample in question). Error(usage) unless there are three samples with increasing
// times.
void difference_poses(std::vector<PathSample>& path);
// Only accelerations, from the velocities.
void difference_velocities(std::vector<PathSample>& path);

}  // namespace lw
