// How far a joint is between two configurations: by how much it turns (rad, whole turns counted) and slides (m).
#pragma once

#include "../tree/workspace.hpp"

namespace lw {

struct JointWay {
  double turn = 0.0, slide = 0.0;
};
JointWay joint_way(const JointInfo& joint, In<double> a, In<double> b);

}  // namespace lw
