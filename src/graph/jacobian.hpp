// The Jacobian J = ∂f/∂x of a function as one Function with shared subexpressions.
//
// It is computed by elimination on the linearised graph, whose edges carry the derivatives ∂v/∂u of each operation. A
// vertex v between u and w is eliminated by
//
//   ∂w/∂u += ∂w/∂v · ∂v/∂u
//
// for all its u and w, until only edges from inputs to outputs are left: the entries of J; missing edges are zeros.
// Elimination from the inputs on is forward mode for all columns at once, from the outputs back reverse mode for all
// rows. Eliminating the cheapest vertex first, as in sparse factorisation (Markowitz 1957; Griewank, Reese 1991), may
// be cheaper.
#pragma once

#include "function.hpp"

namespace lw {

enum class Elimination { forward, reverse, cheapest };
inline constexpr Elimination kEliminations[] = {Elimination::forward, Elimination::reverse, Elimination::cheapest};

// Inputs: those of f. Outputs: for each of these input groups (default: all) a matrix "d_" + its name, by columns, with
// one row per output of f. Uses the elimination with the fewest operations.
Function jacobian(const Function& f, const std::vector<std::string>& groups = {});
Function jacobian(const Function& f, const std::vector<std::string>& groups, Elimination order);

// The same within a trace: the derivatives at x along the inputs `along` (indices in x), by columns. Constants among x
// are folded, even if the derivative is along them.
std::vector<Expr> jacobian_at(const Function& f, const std::vector<Expr>& x, const std::vector<std::size_t>& along,
                              Elimination order);

}  // namespace lw
