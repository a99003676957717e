// Reverse-mode differentiation: for y = f(x) a Function that computes the transposed product
//
//   x̄ = (∂f/∂x)ᵀ ȳ
//
// in one sweep from the outputs to the inputs, at the cost of a few evaluations of f for any number of inputs. Each
// operation contributes ā += ∂f/∂a f̄ to its operands. A call becomes a call of the called function's adjoint. For a
// Newton iteration x(p) with r(x, p) = 0, p̄ = −(∂r/∂p)ᵀ λ where (∂r/∂x)ᵀ λ = x̄. This system is linear: one Newton
// step from 0 solves it.
#pragma once

#include "function.hpp"

namespace lw {

// Inputs: those of f, then a group "w": ȳ. Outputs: x̄, in groups named like the inputs of f.
Function adjoint(const Function& f);

// The same within a trace: x̄ at x, at least one of which is an expression.
std::vector<Expr> adjoint_at(const Function& f, const std::vector<Expr>& x, const std::vector<Expr>& weights);

}  // namespace lw
