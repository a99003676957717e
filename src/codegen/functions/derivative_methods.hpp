// Methods for the derivatives of inverse and forward dynamics.
//
//   inverse   ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ = M        of τ(q, q̇, q̈): by elimination on its graph, or by the analytic
//             recursion
//   forward   ∂q̈/∂x = −M⁻¹ ∂τ/∂x, ∂q̈/∂τ = M⁻¹   at q̈ = M⁻¹ (τ − h), with the factors of M that keep its zeros
//
// and for kept parameters p also ∂τ/∂p or ∂q̈/∂p. Matrices are stored by columns; derivatives by q are along the
// velocities.
#pragma once

#include "../../dynamics/canonical/tensor_inverse.hpp"
#include "../../graph/jacobian.hpp"
#include "../../model/model.hpp"

namespace lw {

// The input of elimination: q, qd, qdd, step, [p] → tau, M, the dynamics at q displaced by `step` (model/displace.hpp).
struct EliminationMethod {
  const Function& dynamics;
  Elimination order;
  bool composite;  // M is an output of `dynamics`, not found by elimination
};

// in: q, qd, qdd, [p] → out: d_q, d_qd, d_qdd, [d_p]
void inverse_derivatives_by(const Model<Expr>& model, const EliminationMethod& method, const Arguments& in,
                            Results& out);
// in: q, qd, tau, [p] → out: d_q, d_qd, d_tau, [d_p]
void forward_derivatives_by(const Model<Expr>& model, const EliminationMethod& method, const Arguments& in,
                            Results& out);

// By composite bodies in link frames (canonical/tensor_derivatives.hpp). Derivatives by parameters, if `out` has them,
// by elimination on `dynamics`; otherwise that may be null.
void composite_inverse_derivatives(const Model<Expr>& model, const CanonicalTree<Expr>& tree,
                                   const TensorMethod& method, const Function* dynamics, const Arguments& in,
                                   Results& out);
void composite_forward_derivatives(const Model<Expr>& model, const CanonicalTree<Expr>& tree,
                                   const TensorMethod& method, const Function* dynamics, const Arguments& in,
                                   Results& out);

// By composite bodies in the root's frame (dynamics/derivatives/forward_derivatives.hpp), without parameters.
void analytic_inverse_derivatives(const Model<Expr>& model, const Arguments& in, Results& out);
void analytic_forward_derivatives(const Model<Expr>& model, const Arguments& in, Results& out);

}  // namespace lw
