// Mechanisms with loops on the command line: vectors run over the independent joints, which are the actuated ones (of
// more than there are freedoms, the first that are independent; of fewer, others with them), torques over all that are
// actuated, and the loops are closed around them.
#pragma once

#include <memory>

#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/loops/dynamics.hpp"
#include "model_input.hpp"

namespace lw::cli {

struct ClosedModel {
  // Throws Error where it cannot be assembled.
  explicit ClosedModel(LoadedModel read);

  LoadedModel loaded;  // its model: the spanning tree, with drivers where the file names none
  std::unique_ptr<Dynamics> mechanism;
  LoopPlan plan;
  LoadedModel joints;    // nothing but the independent joints
  Model<double> motors;  // nothing but the actuated joints
};

// Before the loops of a mechanism are computed with, as its file has it: throws Error where they conflict or lock it.
// Warns of loops that say nothing.
void judge_closed(const Arguments& arguments, const Model<double>& model);

// The pose of --q, with a warning where that is next to a singular one: the mode of home continued to it, noting what
// passes its limits. The mechanism stands there.
Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed);
// The same of a model and its independent joints alone actuated.
Assembled read_closed_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led);

// "loops closed to 1.2e-16 m; coupler = ..., rocker = ..."
std::string dependent_line(const ClosedModel& closed, const Assembled& pose);

}  // namespace lw::cli
