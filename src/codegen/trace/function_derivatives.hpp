// Derivatives of any function of the table (inverse, kinematics, energy, …) as Functions; derivatives by q are along
// the joints' velocities:
//
//   derivatives   ∂f/∂(q, q̇, …)               all columns
//   directional   ẏ = ∂f/∂(q, q̇, …) (d_q, d_q̇, …)   one product, at about twice the cost of f
//   transposed    x̄ = (∂f/∂(q, q̇, …))ᵀ ȳ             one product with all rows, at a few times the cost of f
//
//   const Traced energy = trace_function(mechanism, "energy");
//   Function gradient = optimize(transposed(energy.model, energy.function), Objective::operations);
//
// They are not simplified: use `optimize`. A Program takes them like any other function.
#pragma once

#include "../../graph/function.hpp"
#include "../../model/model.hpp"

namespace lw {

// Inputs: those of f. Outputs: a matrix d_NAME for each input group, by columns, a row for each output of f.
Function derivatives(const Model<double>& model, const Function& f);
// Inputs: those of f, then d_NAME for each of them. Outputs: d_NAME for each output group.
Function directional(const Model<double>& model, const Function& f);
// Inputs: those of f, then w_NAME for each output group. Outputs: d_NAME for each input group.
Function transposed(const Model<double>& model, const Function& f);

// Second derivatives of inverse dynamics, from `inverse-derivatives`: d_q_q, d_qd_q and d_qdd_q, the derivatives of
// d_q, d_qd and d_qdd with respect to q, and d_qd_qd. The other second derivatives equal these or are zero. Matrices by
// columns: nv² rows, nv columns. Rotations do not commute: for joints with quaternions d_q_q is not symmetric.
Function second_derivatives(const Model<double>& model, const Function& inverse_derivatives);

}  // namespace lw
