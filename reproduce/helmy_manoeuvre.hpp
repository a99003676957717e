// Helmy's manoeuvre: cranks from (90, 60, 120)° to (120, 120, 0)° by cycloids in three seconds.
#pragma once

#include <array>
#include <vector>

#include "control/trajectory.hpp"
#include "dynamics/planar_3rrr/three_legs.hpp"

namespace lw::reproduce {

const Trajectory& helmy_manoeuvre();
std::array<double, 3> helmy_cranks(double t);  // rad

// The platform's corners, centroid and angle (of the side from the first corner to the second).
struct HelmyPlatform {
  Triangle<double> corners;
  double x, y, angle;
};
HelmyPlatform helmy_platform(const Triangle<double>& corners);
// At samples of the manoeuvre, by the mechanism's own closures, continued from the home pose.
std::vector<HelmyPlatform> helmy_platforms(const std::vector<double>& times);

}  // namespace lw::reproduce
