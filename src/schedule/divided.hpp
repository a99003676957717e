// A Function divided over processors that share memory: which processor computes what, and which messages they
// exchange.
//
// The operations, in an order of evaluation, are cut into chunks of about equal time. Chunks are tasks; their graph is
// acyclic, because every edge points forward in that order. A scheduler assigns them to processors by the costs of the
// machine. Values that take less time to compute than to wait for (such as sines of joint angles) are computed wherever
// they are needed and belong to no chunk. For functions with many results there is another division: each processor
// computes some of the results and everything that these need, some of it twice, and none waits. The division that the
// machine's costs predict to be fastest is taken.
#pragma once

#include <string>

#include "../codegen/c/emit_divided.hpp"
#include "schedule.hpp"

namespace lw {

struct PredictedTimes {
  double one = 0.0;      // on one processor, in the machine's unit
  double divided = 0.0;  // from the call on processor 0 to its return
  std::string way;   // "chunks of 200 operations in the order of evaluation, heft", "results 0 to 611 and 612 to 1295"
  int messages = 0;  // segments that another processor waits for
};

DividedFunction divide_over(const Function& function, const Machine& machine, int processors,
                            PredictedTimes* times = nullptr);

}  // namespace lw
