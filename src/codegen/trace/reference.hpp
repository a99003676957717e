// The functions by the algorithms over double, in the model's own frames: what traced functions are checked against.
// Loops are closed by Newton's method to the last bits, pivots as they come. Derivatives are those of the algorithms
// over dual numbers, which share no formula with the methods that are checked and keep the digits of small entries.
#pragma once

#include <functional>
#include <memory>

#include "../../base/random.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "traced.hpp"

namespace lw {

// Inputs and outputs in one vector each, in the order of the function's groups, without `p`. Outputs are NaN where
// loops cannot be closed.
using Reference = std::function<void(std::span<const double> inputs, std::span<double> outputs)>;

// `plan`: without one, that of the model. `moving`: the model with one parameter after the other moving at rate 1, for
// derivatives along parameters.
Reference reference(const Model<double>& model, const FunctionName& function, const std::string& frame = "",
                    bool friction = false, std::shared_ptr<const LoopPlan> plan = nullptr,
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
  StatesFor(const Traced& traced, const Model<double>& model)
      : traced_(traced), model_(model), states_(model, *traced.plan) {}
  State next(Random& random);

 private:
  const Traced& traced_;
  const Model<double>& model_;
  RandomStates states_;
};

// The function's inputs in one vector: the groups of a state, and p. Without p: what a Reference takes.
std::vector<double> inputs_of(const Function& function, const State& state, std::span<const double> p = {});

}  // namespace lw
