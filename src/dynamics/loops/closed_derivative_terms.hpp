// Magnitude of the terms whose sum is each derivative of the generalised forces of a closed-loop mechanism: the scale
// of its error. Such a derivative may be zero because terms cancel: in a parallelogram no force depends on the
// velocities.
//
//   f = Rᵀ τ(q, q̇, q̈)    |∂R|ᵀ |τ| + |R|ᵀ (T_q |∂q| + T_q̇ |∂q̇| + T_q̈ |∂q̈| + T_p)
//
// |τ| are torque_terms of the tree, T its derivative_terms; ∂q, ∂q̇, ∂q̈, ∂R how all joints follow, by dual numbers.
#pragma once

#include "projection.hpp"

namespace lw {

// n rows by columns along q, q̇ and q̈ of the independent joints, then one per model of `moving`, in which a parameter
// moves at rate 1. `q`, `guess`: independent and dependent coordinates. Entries are NaN if the loops do not close.
std::vector<double> closed_derivative_terms(const Model<double>& model, std::span<const Model<Dual>> moving,
                                            const LoopPlan& plan, In<double> q, In<double> guess, In<double> qd,
                                            In<double> qdd);

}  // namespace lw
