// What the greedy passes miss, by random search: some sums that hang together are dissolved (multiplied out where they
// are factors), the system is extracted anew with ties decided at random, and the result is kept where it is no dearer.
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
