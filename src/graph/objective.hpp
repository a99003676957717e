// What a pass minimises.
//
//   operations  multiplications + additions + divisions, 15 for each sine or cosine; constants and signs are free
//   latency     cycles from input to output on a core with two arithmetic ports (schedule.hpp's model)
//   depth       operations on the longest path from an input to an output
#pragma once

#include "function.hpp"

namespace lw {

enum class Objective { operations, latency, depth };

constexpr int kTrigonometricPrice = 15;

double price(const Function& function, Objective objective);
inline double operations(const Function& function) { return price(function, Objective::operations); }

// Whether passes continue after such a gain. For large functions, the last thousandth would take most of the time.
constexpr double kLargeFunction = 5000;
inline bool is_worth_another_turn(double before, double after) {
  return before - after > (before > kLargeFunction ? before / 1000.0 : 0.0);
}

}  // namespace lw
