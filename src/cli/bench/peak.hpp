// The peak performance of one core: independent fused multiply-adds in its longest vectors, two operations each.
#pragma once

namespace lw::cli {

// Floating-point operations (double) per nanosecond, measured now: the maximum of many short repetitions.
double peak_rate();

}  // namespace lw::cli
