// Dhanaraj 1990, program D.1.3: the straight line of his case study, px constant and py = pz rising, and the arm whose
// joints follow it. The samples of his line are lost; here they follow a quintic over 2 s from 0.1 to 0.4 m. Its
// geometry (e = f = 0.4318, g = 0.127, no elbow offset, the forearm along +y of link 3) is not that of his dynamics
// (0.4331, 0.1501, −0.0203, along −y).
#pragma once

#include "dynamics/kinematics/follow_path.hpp"
#include "evaluate.hpp"

namespace lw::reproduce {

constexpr double kD13Upper = 0.4318, kD13Fore = 0.4318, kD13Offset = 0.127;
constexpr int kD13Tip = 4;            // frame
constexpr double kD13Duration = 2.0;  // seconds

Model<double> d13_arm();

struct D13Line {
  std::vector<PathSample> path;
  std::vector<JointSample> motion;
};
// From the joints `start`, equally spaced in time.
D13Line d13_line(const Model<double>& arm, double px, int samples, const Vector& start);

}  // namespace lw::reproduce
