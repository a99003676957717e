// A function of a mechanism as an expression graph. It is traced by each of its methods (functions/); the cheapest that
// agrees with the reference is taken.
//
//   const Traced inverse = trace_function(load("puma560"), FunctionId::inverse);
//
// Inputs and outputs are those of the function's row (functions/function_row.hpp). Entries belong to the independent
// joints, torques to the actuated ones; in a tree both are all joints. With loops, `guess` are the dependent
// coordinates of a moment ago, `dependent` are those found, the next guess, and `residual` is the residual of the
// closure equations after the steps of their Solve node (m, rad).
//
// Kept parameters stay symbols: they are the last group of inputs, `p`. All other numbers are folded. Before tracing,
// the model is snapped and, for functions of torques only, its inertias are regrouped (dynamics/canonical/), as far as
// bearing loads permit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../functions/method_list.hpp"

namespace lw {

struct MethodTaken {
  std::string name;
  FunctionCost plain;  // as traced
  double price = 0.0;  // after the passes if they were run, else as traced
  bool chosen_frames;  // link axes are not those of the file
  bool elaborate;      // it made choices that need an explanation for readers of the code
};

struct Traced {
  const FunctionRow* row;
  Function function;
  std::shared_ptr<const LoopPlan> plan;
  std::vector<std::string> parameters;   // names of `p`
  std::vector<double> parameter_values;  // their values in the mechanism; for dense symbols any possible values
  std::vector<MethodTaken> methods;      // the methods tried, the cheapest first
  std::vector<PassReport> passes = {};   // of the cheapest method
  Model<double> model;                   // the model before snapping; if `dense`, with dense bodies
  std::vector<Model<Dual>> moving =
      {};  // for derivatives: the model with one kept parameter after the other moving at rate 1
  double snap = 0.0;
  std::string frame = {};
  std::vector<OtherValues> others = {};  // some random, some with parallel axes or zero lengths
  bool friction = false;                 // losses of joints and drives are included
};

// Throws Error(usage) for an unknown function, parameter or frame.
Traced trace_function(const Mechanism& mechanism, const FunctionName& function, const TraceOptions& options = {});

// Whether a function includes losses of joints and drives. Throws Error(usage) if they are requested but not supported.
bool includes_losses(const FunctionRow& row, const TraceOptions& options);

}  // namespace lw
