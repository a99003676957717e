// sin and cos of many angles at once, by sincos_kernel.h: the text that generated C contains, so the bits are the same.
#pragma once

#include <span>

namespace lw {

// As many sines and cosines as angles. `fused` as in Arithmetic (function.hpp).
void sincos(std::span<const double> angles, std::span<double> sines, std::span<double> cosines, bool fused);
void sincos(std::span<const float> angles, std::span<float> sines, std::span<float> cosines, bool fused);

}  // namespace lw
