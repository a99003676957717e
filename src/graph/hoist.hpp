// Loop-invariant code motion: the part of a function that depends only on its later inputs is taken out of it. A Newton
// step is repeated with different unknowns and the same parameters, so this part is computed only once.
//
//   f(x, p) = inner(x, g(p))
#pragma once

#include "function.hpp"

namespace lw {

struct Hoisted {
  Function inner;               // input groups x and p; outputs of f
  std::vector<Expr> arguments;  // g: the values of its p, in the graph of the given arguments
};
// The first `unknowns` inputs of f are x; `p` are expressions for the others.
Hoisted hoisted(const Function& f, std::size_t unknowns, const std::vector<Expr>& p);

}  // namespace lw
