// Cheaper operations for dear ones; results may differ in the last bit, except where a number is a power of two.
//
//   x / k            → x (1/k)             k a number
//   x / y / z        → x / (y z)
//   x / y            → x (1/y)             where 1/y is there already
//   x (1/y)          → x / y               where 1/y has no other use
//   √x √x            → x
//
// reciprocals(): x / y, z / y, … → r = 1/y, x r, z r: one division for all, an operation more, which time and factoring
// repay.
#pragma once

#include "../function.hpp"

namespace lw {

Function strength(const Function& function);
Function reciprocals(const Function& function);

}  // namespace lw
