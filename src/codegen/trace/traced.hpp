// A function of a mechanism as an expression graph: traced by each of its methods (functions/), and of these the
// cheapest that agrees with the reference.
//
//   const Traced inverse = trace_function(load("puma560"), FunctionId::inverse);
//
// Inputs and outputs are those of the function's row (functions/function_row.hpp). Joints are the independent ones, and
// torques those of the actuated ones, which of a tree are all. With loops, `guess` are the dependent coordinates as
// they were a moment ago; `dependent` comes back as what they are, the next guess, and `residual` as what is left of
// the position's equations after the steps of its Solve node (m, rad).
//
// Parameters that are kept stay symbols: they are the last group of inputs, `p`. Everything else folds. Before tracing,
// the model is snapped and, where only torques are asked for, its inertias are regrouped (model/canonical headers say
// how), as far as bearings leave them free.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../functions/method_list.hpp"

namespace lw {

struct MethodTaken {
  std::string name;
  FunctionCost plain;  // as traced
  double price = 0.0;  // after the passes, where it came so far, else as traced
  bool chosen_frames;  // links have axes of their own, not those of the file
  bool elaborate;      // choices were made that readers of the code want explained
};

struct Traced {
  const FunctionRow* row;
  Function function;
  std::shared_ptr<const LoopPlan> plan;
  std::vector<std::string> parameters;   // names of `p`
  std::vector<double> parameter_values;  // what the mechanism gives them; of dense symbols, any that are possible
  std::vector<MethodTaken> methods;      // that were tried, the cheapest first
  std::vector<PassReport> passes = {};   // of the cheapest
  Model<double> model;                   // that it is of, before snapping; where dense, with bodies that are
  std::vector<Model<Dual>> moving = {};  // of derivatives: it, with one kept parameter after the other moving at rate 1
  double snap = 0.0;
  std::string frame = {};
  std::vector<OtherValues> others = {};  // some random, some at which axes are parallel or lengths vanish
  bool friction = false;                 // losses of joints and drives are in it
};

// Throws Error(usage) for an unknown function or parameter, a frame that is not there.
Traced trace_function(const Mechanism& mechanism, const FunctionName& function, const TraceOptions& options = {});

// Whether losses of joints and drives are in a function. Throws Error(usage) where they are asked for and cannot be.
bool includes_losses(const FunctionRow& row, const TraceOptions& options);

}  // namespace lw
