// Repeated parts of a calculation, written once: regions of a graph become calls.
//
// A region is a set of operations that no path leaves to come back (it is convex). Regions that hold the same
// operations become calls of one Function: what they take from outside are its
// arguments, constants that differ among them, and what others need of them its outputs. So an algorithm that was
// traced over equal limbs, or over the links of a chain, is found again as a program with functions, without having
// been one.
#pragma once

#include <string>
#include <vector>

#include "function.hpp"

namespace lw {

using Regions =
    std::vector<int>;  // of each node of the graph; −1: in none (as are constants, inputs, calls and solves)

// The functions have their inputs in two groups, `in` and, where numbers differ, these as `k`.
// `name`: of the functions, which get numbers where they are several. A region that is like no other stays where it is,
// and so do those with fewer than `smallest` operations.
// `numbers`: nodes that will be numbers, though they are none yet.
Function outlined(const Function& function, const Regions& regions, const std::string& name, std::size_t smallest = 8,
                  const std::vector<bool>& numbers = {});

// The same calculation with another Function in every call of one (each asked for once), calls within these included;
// and in every solve that has a step of its own.
Function with_calls(const Function& function, const std::function<Function(const Function&)>& change);
// The same with another arithmetic, in all that it calls too.
Function with_arithmetic(const Function& function, const Arithmetic& arithmetic);

bool has_calls(const Function& function);
// Calls, or solves that have a step of their own.
bool has_nested(const Function& function);

}  // namespace lw
