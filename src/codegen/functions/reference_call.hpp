// One call of a function by the algorithms in double precision, in the model's own frames: the reference for traced
// functions. Newton's method closes loops to the last bits.
#pragma once

#include <memory>

#include "../../dynamics/loops/forward_losses.hpp"
#include "../../dynamics/loops/slopes.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "function_row.hpp"

namespace lw {

struct ReferenceCall {
  const FunctionRow& row;
  const Model<double>& model;
  const LoopPlan& plan;
  PlantWorkspace<double>& work;
  In<double> q;                             // all coordinates of the tree, loops closed
  In<double> given_q, qd, qdd, tau, guess;  // as given; zeros if the function does not take them
  std::vector<Out<double>> out;             // one per output group
  int frame;
  bool friction;
  const std::vector<Model<Dual>>& moving;
  // Created on first use and kept from call to call.
  struct Parts {
    std::unique_ptr<ParameterTable> table;
    std::unique_ptr<Slopes> slopes;
  };
  Parts& parts;
};

}  // namespace lw
