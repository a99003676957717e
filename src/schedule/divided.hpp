// A Function over processors that share memory: who computes what, and what they tell each other.
//
// The operations, in an order of evaluation, are cut into chunks of about the same time, and chunks are tasks: a graph
// without circles, since every edge points forward in that order. A scheduler deals them to the processors with the
// costs of the machine. What takes less time to compute again than to wait for (sines of joint angles and the like) is
// computed wherever it is needed and belongs to no chunk. Another way, for functions with many results: each processor
// computes some of them with all that these need, some of it twice, and nobody waits. Of all these divisions the one is
// taken that ends first by the machine's costs.
#pragma once

#include <string>

#include "../codegen/c/emit_divided.hpp"
#include "schedule.hpp"

namespace lw {

struct PredictedTimes {
  double one = 0.0;      // on one processor, in the machine's unit
  double divided = 0.0;  // from the call on processor 0 to its return
  std::string way;   // "chunks of 200 operations in the order of evaluation, heft", "results 0 to 611 and 612 to 1295"
  int messages = 0;  // segments that are waited for
};

DividedFunction divide_over(const Function& function, const Machine& machine, int processors,
                            PredictedTimes* times = nullptr);

}  // namespace lw
