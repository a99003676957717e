// An order of evaluation for a core with two arithmetic ports and few registers.
//
// Cycle by cycle, of all operations whose operands are there, those on the longest way to a result go first; as soon as as
// many values are alive as there are registers, those first that end the most of them. Compilers keep close to the order
// that they are given, so it decides what is spilled. Counts and bits do not change.
#pragma once

#include "../function.hpp"

namespace lw {

// Latencies in cycles, as on the x86 and ARM cores of these years.
struct Machine {
  int ports = 2;
  int registers = 16;
  int arithmetic = 4;  // add, multiply, fused
  int division = 13;
  int root = 18;
  int trigonometric = 25;  // all at once, vectorised
  int other = 4;

  int latency(Op op) const;
};

Function schedule(const Function& function, const Machine& machine = {});

// Cycles from the inputs to the last result, with registers without end: what the objective `latency` measures.
int cycles(const Function& function, const Machine& machine = {});
// The most values that are alive at once in the function's order; inputs count once they are used, constants never.
int most_alive(const Function& function);

}  // namespace lw
