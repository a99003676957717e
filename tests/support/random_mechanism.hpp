// Random mechanisms as awkward as a file can write them: frames turned anyhow and written in every way, axes of any
// length, dense inertias off the origin, about either point and in turned axes, DH rows, fixed links in between,
// payloads, children before their parents. All are physically valid: every joint moves mass.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "model/mechanism.hpp"

namespace lw {

inline const std::vector<JointType> kAllJointTypes = {
    JointType::revolute,  JointType::prismatic, JointType::cylindrical, JointType::universal,
    JointType::spherical, JointType::planar,    JointType::floating};

struct RandomMechanismOptions {
  int joints = 6;  // with coordinates
  std::vector<JointType> types = kAllJointTypes;
  double branching = 0.3;  // chance that a link hangs on any earlier link (or the base), not on the last
  double fixed = 0.2;      // chance of a fixed link before the next joint
  double dh = 0.2;         // chance that a revolute or prismatic joint is placed by a DH row
  double payload = 0.1;
  bool shuffle = true;  // links in any order
  bool drives = false, springs = false;
  double mimic = 0.0;  // chance that a joint with one coordinate follows an earlier one
};

Mechanism random_mechanism(std::uint64_t seed, const RandomMechanismOptions& options = {});

// A mechanism whose axes are parallel, meet and stand square as often as not: axes of coordinates, quarter turns,
// offsets that are mostly zero, gravity along an axis, none, or anyhow.
Mechanism special_mechanism(std::uint64_t seed, const RandomMechanismOptions& options = {});

}  // namespace lw
