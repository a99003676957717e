// Random search for what the greedy passes miss: some connected sums are expanded, the system is extracted again with
// ties broken at random, and the result is kept if it is not more expensive.
//
// The same seed and number of trials give the same result on every machine; a limit in seconds does not.
#pragma once

#include <cstdint>

#include "../function.hpp"

namespace lw {

struct SearchEffort {
  int trials = 0;
  double seconds = 0.0;  // 0: no limit
  std::uint64_t seed = 1;
};

Function search(const Function& function, const SearchEffort& effort);

}  // namespace lw
