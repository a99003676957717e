// Sines and cosines of sums of angles, in the cheaper direction (a sine or cosine costs 15 operations):
//
//   sin(a ± b) → s_a c_b ± c_a s_b    if the sines and cosines of a and b exist anyway
//   s_a c_b ± c_a s_b → sin(a ± b)    if that saves those of a or b, as with parallel axes
// and the same for cos(a ± b) = c_a c_b ∓ s_a s_b.
#pragma once

#include "../function.hpp"

namespace lw {

Function angle_sums(const Function& function);

}  // namespace lw
