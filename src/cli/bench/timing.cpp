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

// In two pieces where the states end.
double at_once(const TimedCall& call, int first, int count) {
  double kept = 0.0;
  for (int done = 0; done < count;) {
    const int from = (first + done) % kTimedStates, now = std::min(count - done, kTimedStates - from);
    kept += call.many(from, now);
    done += now;
  }
  return kept;
}

double repetition(const TimedCall& call, int first, int count, bool dependent) {
  double kept = 0.0, nudge = 0.0;
  // What ran before has left its own code and guesses of branches in the processor: some calls are not timed. Long
  // vectors have to wake up, longer than this takes.
  constexpr int kWarm = 16;
  if (call.many && !dependent)
    kept += at_once(call, first, count);
  else
    for (int k = 0; k < std::min(count, kWarm); ++k) kept += call.one((first + k) % kTimedStates, 0.0);
  const auto start = std::chrono::steady_clock::now();
  if (dependent) {
    for (int k = 0; k < count; ++k) nudge = kTiny * call.one((first + k) % kTimedStates, nudge);
  } else if (call.many) {
    kept += at_once(call, first, count);
  } else {
    for (int k = 0; k < count; ++k) kept += call.one((first + k) % kTimedStates, 0.0);
  }
  const auto stop = std::chrono::steady_clock::now();
  asm volatile("" : : "g"(&kept), "g"(&nudge) : "memory");
  return std::chrono::duration<double, std::nano>(stop - start).count() / count;
}

}  // namespace

std::vector<Timing> time_side_by_side(const std::vector<TimedCall>& calls, double seconds) {
  const double never = std::numeric_limits<double>::infinity();
  std::vector<Timing> best(calls.size(), Timing{never, never, 0});
  // warm up, and see how many states fit a repetition of the slowest
  const auto start = std::chrono::steady_clock::now();
  double slowest = 1.0;
  for (const TimedCall& call : calls) {
    const double once = repetition(call, 0, 1, false);
    const int several = std::clamp(static_cast<int>(kLongestRepetition / once), 1, 16);
    repetition(call, 0, several, false);
    slowest = std::max(slowest, repetition(call, several, several, false));
  }
  // no fewer than 16, unless these alone took an eighth of the time
  const int least = std::clamp(static_cast<int>(seconds * 1e9 / (8.0 * slowest)), 1, 16);
  const int count = std::clamp(static_cast<int>(kLongestRepetition / slowest), least, kTimedStates);
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (int r = 0; r < kRepetitions && (r < 3 || spent() < seconds); ++r) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      best[k].ns = std::min(best[k].ns, repetition(calls[k], r * count, count, false));
      best[k].ns_dependent = std::min(best[k].ns_dependent, repetition(calls[k], r * count, count, true));
      best[k].repetitions = r + 1;
    }
  }
  return best;
}

std::vector<double> time_on_cores(const std::vector<std::function<void(int count)>>& calls, double seconds_together) {
  constexpr double kWarm = 0.5e-3, kTimed = 0.2e-3;  // seconds
  constexpr int kTurns = 100, kFirst = 20;
  const auto seconds = [](const std::function<void(int)>& call, int count) {
    const auto start = std::chrono::steady_clock::now();
    call(count);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
  };
  std::vector<double> least;
  for (const auto& call : calls) {
    seconds(call, kFirst);
    least.push_back(seconds(call, kFirst));
  }
  const std::vector<double> estimate = least;
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(seconds_together);
  };
  for (int turn = 0; turn < kTurns || !is_over(); ++turn) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      seconds(calls[k], std::max(1, static_cast<int>(kWarm / estimate[k])));
      least[k] = std::min(least[k], seconds(calls[k], std::max(3, static_cast<int>(kTimed / estimate[k]))));
    }
  }
  return least;
}

}  // namespace lw::cli
