// Forward-mode differentiation: for y = f(x) a Function that computes the directional derivative
//
//   ẏ = ∂f/∂x ẋ
//
// Each operation passes on ẏ = Σ ∂f/∂a ȧ. A call becomes a call of the called function's derivative. A Newton iteration
// x(p) with r(x, p) = 0 is differentiated by the implicit function theorem: ẋ solves the linear system ∂r/∂x ẋ + ∂r/∂p
// ṗ = 0, for which one Newton step from 0 suffices.
#pragma once

#include "function.hpp"

namespace lw {

// Inputs: those of f, then a group "d" with the derivatives of the first `directions` inputs (the others are constant).
// Outputs: the derivatives of those of f, in groups of the same names.
Function tangent(const Function& f, std::size_t directions);

// The same within a trace: ẏ at x, at least one of which is an expression, along `rates`.
std::vector<Expr> tangent_at(const Function& f, const std::vector<Expr>& x, const std::vector<Expr>& rates);

}  // namespace lw
