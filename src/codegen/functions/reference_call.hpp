// One call of a function by the algorithms over double, in the model's own frames: the reference that traced functions
// are checked against. Loops are closed by Newton's method to the last bits.
#pragma once

#include <memory>

#include "../../dynamics/loops/closed_forward_losses.hpp"
#include "../../dynamics/loops/slopes.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "function_row.hpp"

namespace lw {

struct ReferenceCall {
  const FunctionRow& row;
  const Model<double>& model;
  const LoopPlan& plan;
  PlantWorkspace<double>& work;
  In<double> q;                             // all coordinates of the tree, closed
  In<double> given_q, qd, qdd, tau, guess;  // as given; zeros if the function does not take them
  std::vector<Out<double>> out;             // one per output group
  int frame;
  bool friction;
  const std::vector<Model<Dual>>& moving;
  // Made when first asked for, kept from call to call.
  struct Parts {
    std::unique_ptr<ParameterTable> table;
    std::unique_ptr<Slopes> slopes;
  };
  Parts& parts;
};

}  // namespace lw
