// Inverse kinematics of a closed mechanism: driven joints for a pose of a frame, in every working mode.
//
// The target is one more closure, between the base and the frame (fixed, or spherical where only the position counts);
// then nothing is held, and every way to assemble the mechanism is a solution. With the platform in its place the legs
// are independent of each other: each closes by itself, a planar one in closed form, and the solutions are all
// combinations.
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
  bool complete = false;                    // in closed form: there are no others
  bool rounded = false;                     // no pose is the target, but one is within its last digits: this one
  int freedom = 0;                          // left over by the target: then one solution of infinitely many
  int beyond_limits = 0;                    // solutions that were left out for it
  ClosedIkSolution nearest;                 // where there is none: the nearest pose that was found
  std::vector<OpenPolygon> too_far;         // and why there is none, where that is certain
};
// `start`: a closed configuration. Throws Error(usage) where no loop or joint moves the frame.
ClosedIk closed_inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target,
                                   const Assembled& start, const CoordinateLimits& limits);

// Along a path: of the solutions at each sample that which goes on smoothly from the two before, through full stretch
// where the path leads there. Events tell where a leg's working mode changed.
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
