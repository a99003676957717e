// All derivatives of a function as one Function that shares everything: J = ∂f/∂x.
//
// By elimination on the linearised graph. Its edges carry the derivatives ∂v/∂u of each operation; a vertex v between u
// and w is taken out by
//
//   ∂w/∂u += ∂w/∂v · ∂v/∂u
//
// for all its u and w, until only edges from inputs to outputs are left: the entries of J, those without an edge being
// zero. From the inputs on, this is forward mode for all columns at once; from the outputs back, reverse mode for all
// rows. Taking out the vertex that costs least next, as in sparse factorisation (Markowitz 1957; Griewank, Reese 1991),
// may be cheaper.
#pragma once

#include "function.hpp"

namespace lw {

enum class Elimination { forward, reverse, cheapest };
inline constexpr Elimination kEliminations[] = {Elimination::forward, Elimination::reverse, Elimination::cheapest};

// Inputs: those of f. Outputs: for each of these input groups (none named: all) a matrix "d_" + its name, by columns,
// with a row for each output of f. The elimination that leads to the fewest operations.
Function jacobian(const Function& f, const std::vector<std::string>& groups = {});
Function jacobian(const Function& f, const std::vector<std::string>& groups, Elimination order);

// The same within a trace: the derivatives at x along the inputs `along` (places in x), by columns. Constants among x
// are folded, also where the derivative is along them.
std::vector<Expr> jacobian_at(const Function& f, const std::vector<Expr>& x, const std::vector<std::size_t>& along,
                              Elimination order);

}  // namespace lw
