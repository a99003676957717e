// Equal calls side by side: one core computes four evaluations of a function in little more than the time of one.
#pragma once

#include <vector>

#include "../../graph/function.hpp"

namespace lw {

// Calls of one function that do not wait for each other; they run in the lanes of vectors.
struct CallsTogether {
  std::vector<NodeId> calls;
  int lanes = 4;  // lanes without a call repeat the last one
};

// Takes four calls of one function as soon as four are ready; otherwise the call that most others wait for, together
// with the ready calls of the same function. `segment`: of each node, if the function is divided; calls of different
// segments do not run together.
std::vector<CallsTogether> calls_together(const Function& function, const std::vector<int>* segment = nullptr);

}  // namespace lw
