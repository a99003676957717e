// Names follow values: what has a name in one function has it in its rewritten twin wherever the same number is still
// computed there, or its negative, judged at two random points. Passes rebuild sums from scratch; this finds them
// again.
#pragma once

#include "../function.hpp"
#include "../rewrite.hpp"

namespace lw {

// `graph` is that of `to`.
void carry_names(const Function& from, const Function& to, Graph& graph);
// The rewritten function, with the names of what it was made from.
Function named(Rewrite& to);

}  // namespace lw
