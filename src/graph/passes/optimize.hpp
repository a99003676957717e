// All passes, again and again, each result kept only where it is better under the objective, until none helps any more;
// of functions above 5000 operations, until a round saves less than a thousandth.
//
// At the end multiply-adds are fused, where the function's arithmetic() is, and for the objective `latency` an order of
// evaluation is chosen. For the others the order stays close to that of the trace, link by link, which is how one reads
// it.
#pragma once

#include <string>
#include <vector>

#include "../objective.hpp"
#include "search.hpp"

namespace lw {

// What a pass gained, summed over all its turns.
struct PassReport {
  std::string pass;
  FunctionCost before, after;  // of the function at its first and last gain
  double gain = 0.0;           // in the objective
  OperationCount saved;        // negative where it spent some to save others
  int turns = 0;               // that helped
};

// With some effort of search between two rounds of the passes.
Function optimize(const Function& function, Objective objective, std::vector<PassReport>* explain = nullptr,
                  const SearchEffort& effort = {});
// The search alone and what follows it, for a function that has been through optimize() without: the same as with it at
// once, and half the time. `explain` has the reports of then.
Function searched(const Function& function, Objective objective, std::vector<PassReport>* explain,
                  const SearchEffort& effort);

}  // namespace lw
