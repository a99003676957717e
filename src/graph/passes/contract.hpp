// Fused multiply-adds: a b ± c in one operation, rounded once, if the product has no other use.
//
// A sum of n terms may be evaluated in any order. Terms that are ready early come first, products with late factors are
// fused last. One chain takes the fewest operations, two or three parallel chains the least time. The variant that is
// ready first is chosen, where an additional operation counts as a cycle. Counts do not change: a fused operation
// counts as two.
#pragma once

#include "../function.hpp"

namespace lw {

// Sets arithmetic().fused.
Function contract(const Function& function);

}  // namespace lw
