// Mechanisms with loops on the command line: vectors run over the independent joints, which are the actuated ones (of more than there are
// freedoms, the first that are independent), torques over all that are actuated, and the loops are closed around them.
#pragma once

#include <memory>

#include "../dynamics/assembly.hpp"
#include "../dynamics/closed_mechanism.hpp"
#include "model_input.hpp"

namespace lw::cli {

struct ClosedModel {
  // Throws Error where it cannot be assembled, or where the actuated joints do not determine it.
  explicit ClosedModel(LoadedModel read);

  LoadedModel loaded;    // its model: the spanning tree, with drivers where the file names none
  std::unique_ptr<ClosedMechanism> mechanism;
  LoopPlan plan;
  LoadedModel joints;    // nothing but the independent joints
  Model<double> motors;  // nothing but the actuated joints
};

// The pose of --q: the mode of home continued to it, noting what passes its limits. The mechanism stands there.
Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed);

// "loops closed to 1.2e-16 m; coupler = ..., rocker = ..."
std::string dependent_line(const ClosedModel& closed, const Assembled& pose);

}  // namespace lw::cli
