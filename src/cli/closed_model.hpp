// Mechanisms with loops on the command line: vectors run over the independent joints, which are the actuated ones (of more than there are
// freedoms, the first that are independent), torques over all that are actuated, and the loops are closed around them.
#pragma once

#include "../dynamics/assembly.hpp"
#include "../dynamics/loop_plan.hpp"
#include "model_input.hpp"

namespace lw::cli {

struct ClosedModel {
  LoadedModel loaded;    // its model: the spanning tree, with drivers where the file names none
  LoopPlan plan;
  Model<double> led;     // the same with the independent joints alone actuated: what assembly leads
  LoadedModel joints;    // nothing but the independent joints
  Model<double> motors;  // nothing but the actuated joints
};
// Reads MODEL as load_model does. Throws Error where it cannot be assembled, or where the actuated joints do not determine it.
ClosedModel closed_model(LoadedModel loaded);

// The pose of --q: the mode of home continued to it, noting what passes its limits.
Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed);

// The next pose of a motion from the one before.
std::vector<double> follow_pose(const ClosedModel& closed, const std::vector<double>& before, const std::vector<double>& joints);

// "loops closed to 1.2e-16 m; coupler = ..., rocker = ..."
std::string dependent_line(const ClosedModel& closed, const Assembled& pose);

}  // namespace lw::cli
