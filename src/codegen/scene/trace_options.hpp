// How a function is traced: which parameters stay symbols, what is simplified, what counts as cheap.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/loops/loop_position.hpp"
#include "../../graph/passes/optimize.hpp"
#include "../../model/model.hpp"

namespace lw {

struct TraceOptions {
  std::vector<std::string> keep = {};   // parameters by name
  ParameterValues<double> values = {};  // for those that are not kept
  bool base_parameters = true;
  bool dense = false;   // every inertial parameter a symbol, no rotors and force elements: what publications count
  double snap = 1e-10;  // rad; 0: off
  Objective objective = Objective::operations;
  bool optimize = true;                    // run the passes
  bool fused = false;                      // multiply-adds in one operation
  SearchEffort search = {};                // for what the passes miss
  std::string frame = "";                  // of functions that have one; "" is the last link
  bool limbs = false;                      // equal limbs as calls of one function (limbs.hpp)
  bool friction = false;                   // losses of joints and drives, in functions that may have them
  int newton_steps = kNewtonStepsOfLoops;  // by which the position of a mechanism with loops is found from its guess
};

}  // namespace lw
