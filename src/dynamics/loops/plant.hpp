// A mechanism ready to be computed with: instantiated, its drivers chosen, its loops planned. Made once; every stage
// below takes it. A tree is the plant whose loop plan is empty.
//
//   Plant plant(load("four-bar"));
//   Dynamics(plant)                        numbers (dynamics.hpp)
//   trace_function(plant, "inverse")       code (codegen/trace/traced.hpp)
#pragma once

#include <optional>

#include "../../model/mechanism.hpp"
#include "loop_plan.hpp"

namespace lw {

struct Plant {
  // Throws Error if the mechanism cannot be assembled, or nothing can move. `values` replace those of the file.
  explicit Plant(const Mechanism& mechanism, const ParameterValues<double>& values = {});
  // Without a mechanism: nothing can be compiled from it.
  explicit Plant(Model<double> model);

  std::optional<Mechanism> mechanism;
  ParameterValues<double> values;  // that replaced those of the file
  Model<double> model;             // the spanning tree; with loops and no joint called actuated, drivers are chosen
  LoopPlan plan;
  Model<double> minimal;     // the same with the independent joints alone actuated
  std::vector<double> home;  // all coordinates of the tree, loops closed
  Model<double> joints;      // the independent joints alone, at home: what q, qd and qdd list
  Model<double> motors;      // the actuated joints alone: what tau lists

  // Parts of a vector over all coordinates of the tree.
  std::vector<double> independent(In<double> q) const;
  std::vector<double> dependent(In<double> q) const;
};

}  // namespace lw
