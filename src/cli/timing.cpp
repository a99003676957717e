#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace lw::cli {
namespace {

constexpr double kLongestRepetition = 1e6;  // ns

// A result times this is a nudge: lost in any coordinate, and not so small that the processor takes its slow path for
// subnormal numbers.
constexpr double kTiny = 1e-200;

double repetition(const TimedCall& call, int first, int count, bool dependent) {
  double kept = 0.0, nudge = 0.0;
  const auto start = std::chrono::steady_clock::now();
  if (dependent) {
    for (int k = 0; k < count; ++k) nudge = kTiny * call((first + k) % kTimedStates, nudge);
  } else {
    for (int k = 0; k < count; ++k) kept += call((first + k) % kTimedStates, 0.0);
  }
  const auto stop = std::chrono::steady_clock::now();
  asm volatile("" : : "g"(&kept), "g"(&nudge) : "memory");
  return std::chrono::duration<double, std::nano>(stop - start).count() / count;
}

}  // namespace

std::vector<Timing> time_side_by_side(const std::vector<TimedCall>& calls) {
  const double never = std::numeric_limits<double>::infinity();
  std::vector<Timing> best(calls.size(), Timing{never, never});
  // warm up, and see how many states fit a repetition
  std::vector<int> count;
  for (const TimedCall& call : calls) {
    repetition(call, 0, 16, false);
    const double estimate = repetition(call, 16, 16, false);
    count.push_back(std::clamp(static_cast<int>(kLongestRepetition / estimate), 16, kTimedStates));
  }
  for (int r = 0; r < kRepetitions; ++r) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const int first = r * count[k];
      best[k].ns = std::min(best[k].ns, repetition(calls[k], first, count[k], false));
      best[k].ns_dependent = std::min(best[k].ns_dependent, repetition(calls[k], first, count[k], true));
    }
  }
  return best;
}

}  // namespace lw::cli
