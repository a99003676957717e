// Transfers names by value: a value named in one function gets the same name in the rewritten function if the same
// number or its negative is still computed there, compared at two random points. Passes rebuild sums from scratch; this
// identifies them again.
#pragma once

#include "../function.hpp"
#include "../rewrite.hpp"

namespace lw {

// `graph` is that of `to`.
void carry_names(const Function& from, const Function& to, Graph& graph);
// The rewritten function, with the names of the original.
Function named(Rewrite& to);

}  // namespace lw
