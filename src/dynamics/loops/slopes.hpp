// Derivatives of inverse or forward dynamics by dual numbers through everything: position, velocities, torques. Of
// forward dynamics H⁻¹ times what is missing where something changes, at the same accelerations; then zeros are zeros.
//
//   inverse   ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈, [∂τ/∂p]         forward   ∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ, [∂q̈/∂p]
//
// by columns, along the velocities of the independent joints. They share no formula with analytic derivatives and keep
// the digits of small entries, which makes them the reference; a column costs about two evaluations.
#pragma once

#include "../tree/workspace.hpp"
#include "loop_plan.hpp"
#include "projection.hpp"

namespace lw {

class Slopes {
 public:
  enum class Of { inverse, forward };
  // `moving`: the model with one parameter after the other moving at rate 1. The plan must outlive it.
  Slopes(const Model<double>& model, const LoopPlan& plan, Of of, std::vector<Model<Dual>> moving = {});

  // `third`: q̈ or τ; `guess`: the dependent coordinates, nearly. Columns one behind the other; NaN where the loops
  // cannot be closed.
  void operator()(In<double> q, In<double> qd, In<double> third, In<double> guess, Out<double> columns);

 private:
  const LoopPlan& plan_;
  Model<double> model_, joints_;
  Model<Dual> twin_;
  std::vector<Model<Dual>> moving_;
  PlantWorkspace<double> values_;
  PlantWorkspace<Dual> work_;
  const bool forward_;
};

}  // namespace lw
