// Sums of squares invariant under rotation: sin² + cos² = 1, also with common factors and in (s x)² + (c x)², 1 − sin²
// = cos²; and for x = c a + s b, y = c b − s a
//
//   x² + y² = a² + b²
//
// each if the result is cheaper, taking other uses into account.
#pragma once

#include "../function.hpp"

namespace lw {

Function pythagorean(const Function& function);

}  // namespace lw
