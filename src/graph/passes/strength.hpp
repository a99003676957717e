// Strength reduction: cheaper operations for expensive ones. Results may differ in the last bit, unless a constant is a
// power of two.
//
//   x / k            → x (1/k)             k a constant
//   x / y / z        → x / (y z)
//   x / y            → x (1/y)             if 1/y exists already
//   x (1/y)          → x / y               if 1/y has no other use
//   √x √x            → x
//
// reciprocals(): x / y, z / y, … → r = 1/y, x r, z r: one division for all, and one more operation, which time and
// factoring repay.
#pragma once

#include "../function.hpp"

namespace lw {

Function strength(const Function& function);
Function reciprocals(const Function& function);

}  // namespace lw
