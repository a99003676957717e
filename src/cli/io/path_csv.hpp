// Paths of a frame and motions of joints as CSV files.
//
// A path: header  t,x,y,z[,roll,pitch,yaw][,vx,vy,vz[,wx,wy,wz]][,ax,ay,az[,alphax,alphay,alphaz]], then a line a
//                 sample,
// times rising. Columns stand in any order; blank lines and lines that begin with # are skipped. World axes, SI,
// radians (`90deg` where an angle is meant). With an orientation, angular velocities come with linear ones, and
// likewise accelerations; without one they make no sense.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/kinematics/follow_path.hpp"

namespace lw::cli {

struct Path {
  std::vector<PathSample> samples;
  bool has_orientation = false, has_velocity = false, has_acceleration = false;
};
// What the file does not give comes from three-point differences of the samples: accelerations of the velocities, both
// of the poses. Throws Error(data) with file:line: what is wrong, Error(io) where it cannot be read.
Path read_path(const std::string& file);

// t,q1..,qd1..,qdd1..
std::string joint_csv(const Model<double>& model, const std::vector<JointSample>& motion);

}  // namespace lw::cli
