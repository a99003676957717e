// A closed-loop mechanism along a path of its actuated joints: tracked in its mode, with nearby singularities.
//
//   parallel  J_u singular: the rest can move while the actuated joints are fixed. Modes meet here, and forces are
//             unbounded. Distance: the smallest singular value of J_u.
//   serial    the actuated joints can move while the frame is fixed: [J; J_F] loses rank, J the closures', J_F the
//             frame's Jacobian. A leg is stretched or folded here, and working modes meet. Distance: the smallest
//             singular value of both together. If two degrees of freedom move the frame to any position nearby, J_F is
//             that of its position only.
//
// If a leg's own determinant (legs.hpp) changes its sign, the leg has been stretched or folded.
#pragma once

#include <string>
#include <vector>

#include "assembly.hpp"
#include "legs.hpp"

namespace lw {

struct ClosedSample {
  double t = 0.0;
  Assembled at;                 // not closed: the path ends before this sample
  std::string signs;            // of the blocks of loops, against the first sample
  std::vector<double> volumes;  // of the blocks (mode_identity.hpp)
  double parallel_distance = 0.0, parallel_condition = 1.0;
  double serial_distance = 0.0, serial_condition = 1.0;
  std::vector<double> legs;  // determinants of ClosedPath::legs
};

struct PathEvent {
  enum class Kind { approach, mode_ends, stretch } kind = Kind::approach;
  double t = 0.0;
  std::string what;
  std::vector<double> actuated;
};

struct ClosedPath {
  std::vector<Leg> legs;              // to the frame
  std::vector<ClosedSample> samples;  // up to where the mode ends
  std::vector<PathEvent> events;      // in order of time
  bool complete = true;
};

struct DrivenSample {
  double t = 0.0;
  std::vector<double> actuated;
};
// From the first sample's mode (`start`, or that of home). `warning`: a parallel singularity is announced where a
// block's volume, going on as it does, would vanish within so many seconds, or where the condition exceeds 1e3.
ClosedPath follow_modes(const Model<double>& model, const std::vector<DrivenSample>& path, int frame,
                        const Assembled& start, double warning = 0.25);

}  // namespace lw
