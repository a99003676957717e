// Outlining: repeated regions of a graph become calls of one function.
//
// A region is a convex set of operations: no path leaves it and returns. Regions with the same operations become calls
// of one Function. Its arguments are values from outside and constants that differ among the regions; its outputs are
// the values that others need. Thus a trace over equal limbs, or over the links of a chain, becomes a program with
// functions.
#pragma once

#include <string>
#include <vector>

#include "function.hpp"

namespace lw {

using Regions =
    std::vector<int>;  // for each node of the graph; −1: none (constants, inputs, calls and solves are in none)

// The functions have the input group `in` and, if constants differ, the group `k` for these. `name`: name of the
// functions, numbered if there are several. Regions without an equal, and those with fewer than `smallest` operations,
// stay in place. `numbers`: nodes that will become constants.
Function outlined(const Function& function, const Regions& regions, const std::string& name, std::size_t smallest = 8,
                  const std::vector<bool>& numbers = {});

// The same calculation with every called Function replaced (each requested once), nested calls included, also in every
// solve with its own step.
Function with_calls(const Function& function, const std::function<Function(const Function&)>& change);
// The same with another arithmetic, in called functions too.
Function with_arithmetic(const Function& function, const Arithmetic& arithmetic);

bool has_calls(const Function& function);
// Whether there are calls, or solves with their own step.
bool has_nested(const Function& function);

}  // namespace lw
