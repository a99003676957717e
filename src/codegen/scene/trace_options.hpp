// How a function is traced: which parameters stay symbols, what is simplified, and the measure of cost.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/loops/loop_position.hpp"
#include "../../graph/passes/optimize.hpp"
#include "../../model/model.hpp"

namespace lw {

struct TraceOptions {
  std::vector<std::string> keep = {};   // parameters by name
  ParameterValues<double> values = {};  // of parameters that are not kept
  bool base_parameters = true;
  bool dense = false;   // all inertial parameters are symbols; no rotors, no force elements: as in publications
  double snap = 1e-10;  // rad; 0: off
  Objective objective = Objective::operations;
  bool optimize = true;                    // run the passes
  bool fused = false;                      // with fused multiply-adds
  SearchEffort search = {};                // beyond the passes
  std::string frame = "";                  // for functions that take one; "" is the last link
  bool limbs = false;                      // equal limbs as calls of one function (limbs.hpp)
  bool friction = false;                   // includes losses of joints and drives
  int newton_steps = kNewtonStepsOfLoops;  // that find the position of a closed-loop mechanism from its guess
};

}  // namespace lw
