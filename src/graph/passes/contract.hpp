// Fused multiply-adds: a b ± c in one operation, rounded once, where the product has no other use.
//
// A sum of n terms may be taken in any order. Terms that are ready early go first, a product whose factors are ready
// late is fused last; one chain takes the fewest operations, two or three in parallel the least time. Of these ways the
// one is taken that is ready first, an operation more being worth a cycle. Counts do not change: a fused one counts
// two.
#pragma once

#include "../function.hpp"

namespace lw {

// Sets arithmetic().fused.
Function contract(const Function& function);

}  // namespace lw
