// Squares that a rotation keeps: sin² + cos² = 1, also with common factors and out of (s x)² + (c x)², 1 − sin² = cos²;
// and for x = c a + s b, y = c b − s a
//
//   x² + y² = a² + b²
//
// each where what comes out is cheaper, all that lives on elsewhere taken into account.
#pragma once

#include "../function.hpp"

namespace lw {

Function pythagorean(const Function& function);

}  // namespace lw
