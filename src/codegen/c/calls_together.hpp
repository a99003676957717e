// Equal calls side by side: what one core does with four evaluations of a function in the time of little more than one.
#pragma once

#include <vector>

#include "../../graph/function.hpp"

namespace lw {

// Calls of one function that do not wait for each other: they run in the lanes of vectors.
struct CallsTogether {
  std::vector<NodeId> calls;
  int lanes = 4;  // the last ones repeat the last call where there are fewer
};

// Four calls of one function as soon as four are ready; where there are none, the call that most others wait for, with
// those of its function that are ready too. `segment`: of nodes, where they are divided into such: calls of one do not
// run with those of another.
std::vector<CallsTogether> calls_together(const Function& function, const std::vector<int>* segment = nullptr);

}  // namespace lw
