// Inverse kinematics of a closed-loop mechanism: actuated joints for a pose of a frame, in every working mode.
//
// The target is an additional closure between the base and the frame (fixed, or spherical if only the position
// matters); no coordinates are given, and every assembly of the mechanism is a solution. With the platform fixed, the
// legs are independent: each is closed separately, planar legs in closed form, and the solutions are all combinations.
#pragma once

#include <string>
#include <vector>

#include "../kinematics/follow_path.hpp"
#include "feasibility.hpp"
#include "legs.hpp"
#include "modes.hpp"

namespace lw {

struct ClosedIkSolution {
  std::vector<double> actuated;
  Assembled at;  // residual and condition: those of the closures by what the actuated joints leave free
  std::string
      // the sign of each leg's determinant (legs.hpp), of a volume against home; '0' where it is stretched or folded,
      working_mode;
  // empty without legs
  double position_error = 0.0, rotation_error = 0.0;
};
struct ClosedIk {
  std::vector<ClosedIkSolution> solutions;  // nearest to the start first; apart by their actuated joints
  bool complete = false;                    // in closed form, so there are no others
  bool rounded = false;                     // no pose is the target, but one is within its last digits: this one
  int freedom = 0;                          // left over by the target: then one solution of infinitely many
  int beyond_limits = 0;                    // number of solutions omitted because of limits
  ClosedIkSolution nearest;                 // if there is none: the nearest pose found
  std::vector<OpenPolygon> too_far;         // and the reason, if it is certain
};
// `start`: a closed configuration. Throws Error(usage) if no loop or joint moves the frame.
ClosedIk closed_inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target,
                                   const Assembled& start, const CoordinateLimits& limits);

// Along a path: at each sample the solution that continues smoothly from the previous two, also through full stretch.
// Events report changes of a leg's working mode.
struct ClosedIkSample {
  double t = 0.0;
  ClosedIkSolution solution;
  std::vector<double> rates;  // of the actuated joints, from the frame's velocity; empty where that is singular
  bool reached = false;
};
struct WorkingModeSwitch {
  double t = 0.0;  // between the samples, where the leg's determinant vanishes if it runs straight
  int leg = 0;
};
struct ClosedIkPath {
  std::vector<ClosedIkSample> samples;
  std::vector<WorkingModeSwitch> switches;
  std::vector<Leg> legs;
};
ClosedIkPath follow_closed(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                           bool position_only, const Assembled& start, const CoordinateLimits& limits);

}  // namespace lw
