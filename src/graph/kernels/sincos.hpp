// sin and cos of many angles at once, and angles of many points, by sincos_kernel.h and arcs_kernel.h, which generated
// C contains too, so that the bits are the same.
#pragma once

#include <span>

namespace lw {

// One sine and one cosine per angle. `fused` as in Arithmetic (function.hpp).
void sincos(std::span<const double> angles, std::span<double> sines, std::span<double> cosines, bool fused);
void sincos(std::span<const float> angles, std::span<float> sines, std::span<float> cosines, bool fused);
// atan2(y, x) of each point.
void arcs(std::span<const double> y, std::span<const double> x, std::span<double> angles, bool fused);

}  // namespace lw
