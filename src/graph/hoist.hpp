// What a function computes from its later inputs alone, taken out of it: a Newton step is made several times with other
// unknowns and the same parameters, and whatever these give by themselves need not be computed again.
//
//   f(x, p) = inner(x, g(p))
#pragma once

#include "function.hpp"

namespace lw {

struct Hoisted {
  Function inner;               // groups x and p; outputs those of f
  std::vector<Expr> arguments;  // g: what its p are, in the graph of the arguments given
};
// `unknowns` inputs of f stand for x; `p` are expressions for the others.
Hoisted hoisted(const Function& f, std::size_t unknowns, const std::vector<Expr>& p);

}  // namespace lw
