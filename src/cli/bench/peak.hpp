// What one core can do at most: fused multiply-adds in its longest vectors, two operations each, that wait for nothing.
#pragma once

namespace lw::cli {

// Floating-point operations (double) a nanosecond, measured now: the most of many short repetitions.
double peak_rate();

}  // namespace lw::cli
