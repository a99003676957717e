// Runs all passes repeatedly and keeps each result only if it is better under the objective, until none helps; for
// functions above 5000 operations, until a round saves less than a thousandth.
//
// At the end, multiply-adds are fused if the function's arithmetic() is, and for the objective `latency` an order of
// evaluation is chosen. For the others the order stays close to that of the trace, link by link, which is easier to
// read.
#pragma once

#include <string>
#include <vector>

#include "../objective.hpp"
#include "search.hpp"

namespace lw {

// The gain of a pass, summed over all its runs.
struct PassReport {
  std::string pass;
  FunctionCost before, after;  // cost before its first and after its last gain
  double gain = 0.0;           // in the objective
  OperationCount saved;        // negative for operations that replaced others
  int turns = 0;               // runs that helped
};

// With a random search between two rounds of the passes.
Function optimize(const Function& function, Objective objective, std::vector<PassReport>* explain = nullptr,
                  const SearchEffort& effort = {});
// Only the search and the following passes, for a function already optimized without search: the same result as with
// search, in half the time. `explain` has the earlier reports.
Function searched(const Function& function, Objective objective, std::vector<PassReport>* explain,
                  const SearchEffort& effort);

}  // namespace lw
