// Motions of joints as CSV files: header  t,q1..[,qd1..[,qdd1..]][,tau1..], then one line per sample, with increasing
// times. Columns may be in any order; numbers count coordinates (q) and velocities (the others) in the order of the
// file. SI, radians.
#pragma once

#include <string>

#include "../../dynamics/kinematics/follow_path.hpp"
#include "../../simulate/identify/identify.hpp"

namespace lw::cli {

// With torques. Throws Error(data) with file:line: message, Error(io) if it cannot be read.
MotionLog read_log(const std::string& file, const Model<double>& model);

// Positions, velocities and accelerations of all joints; of the samples t, q, qd and qdd are set.
std::vector<JointSample> read_motion(const std::string& file, const Model<double>& model);

// The same for all joints or part of them, depending on the file: for all if it has the last of their coordinates.
struct EitherMotion {
  std::vector<JointSample> samples;
  bool is_whole = false;
};
EitherMotion read_motion_of_either(const std::string& file, const Model<double>& part, const Model<double>& whole);

// All columns of the motion.
std::string motion_csv(const Model<double>& model, const MotionLog& motion);

}  // namespace lw::cli
