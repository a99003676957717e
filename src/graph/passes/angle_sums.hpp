// Sines and cosines of sums of angles, both ways, whichever is cheaper (a sine or cosine costs 15 operations):
//
//   sin(a ± b) → s_a c_b ± c_a s_b    where the sines and cosines of a and b are there anyway
//   s_a c_b ± c_a s_b → sin(a ± b)    where that saves those of a or b, as with parallel axes
// and the same for cos(a ± b) = c_a c_b ∓ s_a s_b.
#pragma once

#include "../function.hpp"

namespace lw {

Function angle_sums(const Function& function);

}  // namespace lw
