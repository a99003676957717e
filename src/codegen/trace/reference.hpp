// Functions by the algorithms in double precision, in the model's own frames: the reference for traced functions.
// Newton's method with pivoting closes loops to the last bits. Derivatives come from the algorithms over dual numbers,
// which share no formula with the methods under test and keep the digits of small entries.
#pragma once

#include <functional>
#include <memory>

#include "../../base/random.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "traced.hpp"

namespace lw {

// Inputs and outputs in one vector each, in the order of the function's groups, without `p`. Outputs are NaN if the
// loops cannot be closed.
using Reference = std::function<void(std::span<const double> inputs, std::span<double> outputs)>;

// `plan`: by default that of the model. `moving`: the model with one parameter after the other moving at rate 1, for
// derivatives by parameters.
Reference reference(const Model<double>& model, const FunctionName& function, const std::string& frame = "",
                    bool friction = false, std::shared_ptr<const LoopPlan> plan = nullptr,
                    std::vector<Model<Dual>> moving = {});
// The reference of a traced function, at its values of kept parameters.
Reference reference(const Traced& traced, bool snapped_model = false);
// The same at other values of kept parameters.
Reference reference(const Traced& traced, const OtherValues& other, bool snapped_model);

// Random states for testing a traced function. For `forward` with friction, tau is that of qdd, because not every
// torque has an acceleration (a joint may jam). For closed-loop mechanisms, the states are closed.
class StatesFor {
 public:
  // Both must outlive it.
  StatesFor(const Traced& traced, const Model<double>& model)
      : traced_(traced), model_(model), states_(model, *traced.plan) {}
  State next(Random& random);

 private:
  const Traced& traced_;
  const Model<double>& model_;
  RandomStates states_;
};

// The function's inputs in one vector: the groups of a state, and p. Without p: the inputs of a Reference.
std::vector<double> inputs_of(const Function& function, const State& state, std::span<const double> p = {});

}  // namespace lw
