// Tracing: every function of the contract as an expression graph, by each method that leads to it, and of these the
// cheapest.
//
//   inverse      acceleration tensor on the canonical tree (its variants: which links share a carrier, which are
//                evaluated in it, how axis masses are divided); link-frame Newton-Euler; 6-D recursive Newton-Euler
//   bias         the same, with q̈ = 0
//   mass-matrix  composite bodies on the canonical tree (its variants); composite rigid bodies, 6-D
//   forward      mass matrix and bias by these, factorised along the branches; articulated bodies
//   inverse-derivatives, forward-derivatives   elimination on the graph of inverse dynamics; analytic recursion
//                (derivative_methods.hpp). Output groups d_q, d_qd and d_qdd or d_tau, matrices by columns, along the
//                joints' velocities; with parameters kept also d_p
//   friction     inverse with what joints and drives lose, its parts one by one (dynamics/friction/friction.hpp):
//                groups dynamic, bearing, at_joint, transmission, total, motor. With TraceOptions::friction also
//                `inverse` (tau is the total) and `forward` (of the same tau); see friction_methods.hpp
//   kinematics, jacobian, energy, regressor   one method
//
// Mechanisms with loops have the same functions over their independent joints, with a guess of the dependent
// coordinates as input (closed_methods.hpp); their methods are those of the spanning tree.
//
// Parameters that are kept stay symbols: they are the last group of inputs, `p`. Everything else folds. Before tracing,
// the model is snapped and, where only torques are asked for, its inertias are regrouped (model/canonical headers say
// how), as far as bearings leave them free.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../dynamics/loops/loop_position.hpp"
#include "../../graph/passes/optimize.hpp"
#include "../../model/model.hpp"
#include "../../model/random_state.hpp"

namespace lw {

struct TraceOptions {
  std::vector<std::string> keep = {};   // parameters by name
  ParameterValues<double> values = {};  // for those that are not kept
  bool base_parameters = true;
  bool dense = false;  // every inertial parameter a symbol, rotors and force elements left out: what publications count
  double snap = 1e-10;  // rad; 0: off
  Objective objective = Objective::operations;
  bool optimize = true;                    // run the passes
  bool fused = false;                      // multiply-adds in one operation
  SearchEffort search = {};                // for what the passes miss
  std::string frame = "";                  // of kinematics and jacobian; "" is the last link
  bool limbs = false;                      // equal limbs as calls of one function (limbs.hpp)
  bool friction = false;                   // in `inverse` and `forward`
  int newton_steps = kNewtonStepsOfLoops;  // by which the position of a mechanism with loops is found from its guess
};
// Whether what joints and drives lose is in a function. Throws Error(usage) where it is asked for and cannot be.
bool includes_losses(const std::string& function, const TraceOptions& options);

struct MethodTaken {
  std::string name;
  FunctionCost plain;  // as traced
  double price = 0.0;  // after the passes, where it came so far, else as traced
};

// A mechanism with other values of the parameters that are kept.
struct OtherValues {
  std::vector<double> p;
  Model<double> model;
  std::vector<Model<Dual>> moving;  // of derivatives: it, with one kept parameter after the other moving at rate 1
};

struct Traced {
  Function function;
  std::vector<std::string> parameters;   // names of `p`
  std::vector<double> parameter_values;  // what the mechanism gives them; of dense symbols, any that are possible
  std::vector<MethodTaken> methods;      // that were tried, the cheapest first
  std::vector<PassReport> passes;        // of the cheapest
  Model<double> model;                   // that it is of, before snapping; where dense, with bodies that are
  std::vector<Model<Dual>> moving;       // of derivatives: it, with one kept parameter after the other moving at rate 1
  double snap = 0.0;
  std::string frame;
  std::vector<OtherValues> others;        // some random, some at which axes are parallel or lengths vanish
  bool friction = false;                  // what joints and drives lose is in it
  std::shared_ptr<const LoopPlan> loops;  // of a mechanism with loops (closed_methods.hpp), else null
};

// "inverse", "forward", … in the order of the documentation.
const std::vector<std::string>& traceable_functions();

// Throws Error(usage) for an unknown function or parameter, a frame that is not there.
Traced trace_function(const Mechanism& mechanism, const std::string& function, const TraceOptions& options = {});

// How far a traced function is from the reference at random states, with the file's values of what is kept and with
// others: against the model as snapped, and the snapped model against the model. Torques relative to the terms of each
// (dynamics/tree/torque_terms.hpp), entries of mass matrices relative to √(M_ii M_jj), derivatives of torques entry by
// entry relative to the terms of each (dynamics/derivatives/derivative_terms.hpp), others relative to the largest. Of
// forward dynamics the torques that its accelerations need are compared with those given; of its derivatives those
// needed for their error, M Δ, relative to those terms and √(M_ii M_jj)|∂q̈_j|: they start from accelerations that are
// known to the condition of M.
struct Verification {
  int states = 0;
  double error = 0.0;  // NaN where a result is
  double snapping = 0.0;
  double limit = 1e-12;  // of derivatives of forward dynamics 1e-10
  bool passed() const { return error <= limit; }
};
Verification verify(const Traced& traced, int states, std::uint64_t seed = 1);
// What errors of a state's outputs are a fraction of in self-tests: the largest of them, or of the terms that they are
// sums of. The outputs alone are no measure: all of them may be sums that cancel (an arm in balance).
double output_size(const Traced& traced, const State& state, const std::vector<double>& expected);
// The error of the same in single precision, at states that have no more digits than that.
double float_error(const Traced& traced, int states, std::uint64_t seed = 1);

// The same by the algorithms over double, in the model's own frames: what traced functions are checked against.
// Derivatives are those of rnea by dual numbers, of forward dynamics −M⁻¹ times them: no formula is shared with the
// analytic recursion. Inputs and outputs in one vector each, without `p`.
using Reference = std::function<void(std::span<const double> inputs, std::span<double> outputs)>;
Reference reference(const Model<double>& model, const std::string& function, const std::string& frame = "",
                    bool friction = false);
// The same of a mechanism with loops, over its independent joints; position by Newton's method to the last bits. NaN
// where that does not converge.
Reference closed_reference(const Model<double>& model, std::shared_ptr<const LoopPlan> plan,
                           const std::string& function, const std::string& frame = "", bool friction = false,
                           std::vector<Model<Dual>> moving = {});
// Of a traced function, with the derivatives along the parameters that it keeps, at their values.
Reference reference(const Traced& traced, bool snapped_model = false);
// The same at other values of what it keeps.
Reference reference(const Traced& traced, const OtherValues& other, bool snapped_model);

// Random states of the model with which a traced function can be tried: where friction is in `forward`, tau is that of
// qdd, since not all torques have accelerations (a joint may jam); of a mechanism with loops, closed ones.
class StatesFor {
 public:
  // Both must outlive it.
  StatesFor(const Traced& traced, const Model<double>& model);
  ~StatesFor();
  State next(Random& random);

 private:
  const Traced& traced_;
  const Model<double>& model_;
  std::unique_ptr<class RandomStates> closed_;
};
// The function's inputs in one vector: the groups of a state, and p. Without p: what a Reference takes.
std::vector<double> inputs_of(const Function& function, const State& state, std::span<const double> p = {});

// The model with right angles between axes that are so within `snap` (rad), and without lengths below `snap` times its
// size. Its rotations are rotations, to the last bits.
template <class T>
Model<T> snapped(Model<T> model, double snap);

}  // namespace lw
