// Displacement of a joint between two configurations: rotation (rad, whole turns included) and translation (m).
#pragma once

#include "../tree/workspace.hpp"

namespace lw {

struct JointWay {
  double turn = 0.0, slide = 0.0;
};
JointWay joint_way(const JointInfo& joint, In<double> a, In<double> b);

}  // namespace lw
