// Times several calls, compared with each other.
//
// A repetition covers up to 1024 states, fewer if that would take the slowest call more than a millisecond, and equally
// many for all. The calls take turns, repetition by repetition, so that other load affects them equally, and the
// minimum of 41 repetitions (fewer if time runs out) is kept. Once with independent calls, which a processor overlaps,
// and once with each call depending on the result of the previous one.
#pragma once

#include <functional>
#include <vector>

namespace lw::cli {

inline constexpr int kTimedStates = 1024;
inline constexpr int kRepetitions = 41;

// Computes in state `state` after adding `nudge` to its first coordinate; returns a number that depends on the result.
// `many`, if given, computes `count` states from `first` on at once, and serves as the independent calls.
struct TimedCall {
  std::function<double(int state, double nudge)> one;
  std::function<double(int first, int count)> many = {};
};

struct Timing {
  double ns = 0.0;            // per call, independent calls
  double ns_dependent = 0.0;  // per call, each depending on the previous one
  int repetitions = 0;
};

// Ends after about this many seconds, but not before three repetitions.
std::vector<Timing> time_side_by_side(const std::vector<TimedCall>& calls, double seconds);

// Calls of which some run on several cores: seconds of an evaluation, the least of 100 repetitions or more of some 0.2
// ms, in turn, for so many seconds in all (a core may be another's for a second). Each is called for longer than that
// before its clock starts: meanwhile threads of the one before it go to sleep, and its own wake up.
std::vector<double> time_on_cores(const std::vector<std::function<void(int count)>>& calls,
                                  double seconds_together = 0.5);

}  // namespace lw::cli
