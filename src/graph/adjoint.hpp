// Reverse mode, as a Function of its own: from y = f(x) the transposed product
//
//   x̄ = (∂f/∂x)ᵀ ȳ
//
// in one sweep from the outputs to the inputs, at the price of a few evaluations of f however many inputs there are.
// Each operation gives to its operands ā += ∂f/∂a f̄. A call becomes a call of the called function's adjoint. Of a
// Newton iteration x(p) with r(x, p) = 0, p̄ = −(∂r/∂p)ᵀ λ where (∂r/∂x)ᵀ λ = x̄, which is linear: one Newton step from
// 0.
#pragma once

#include "function.hpp"

namespace lw {

// Inputs: those of f, then a group "w": ȳ. Outputs: x̄, in groups of the names of f's inputs.
Function adjoint(const Function& f);

// The same within a trace: x̄ at x, one of which is an expression.
std::vector<Expr> adjoint_at(const Function& f, const std::vector<Expr>& x, const std::vector<Expr>& weights);

}  // namespace lw
