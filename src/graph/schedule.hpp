// An order of evaluation for a core that looks some way ahead and has few registers. Counts and bits do not change.
//
// Compilers keep close to the order that they are given, so it decides what is spilled (kept in memory and loaded
// again) and how early the longest way to a result is begun. Several orders are tried, and the one is taken that a
// simple model of such a core runs through first: the one that is there; depth first, of two operands the one that
// needs more registers before the other (Sethi, Ullman 1970); cycle by cycle what is on the longest way to a result,
// but what ends most values as soon as so many of them are alive.
#pragma once

#include "function.hpp"

namespace lw {

// Latencies in cycles, as on the x86 and ARM cores of these years.
struct Core {
  int ports = 2;    // for arithmetic
  int width = 4;    // instructions that enter in a cycle
  int window = 96;  // that wait for their operands at most
  int registers = 16;
  int load = 5;        // of what was spilled
  int arithmetic = 4;  // add, multiply, fused
  int division = 13;
  int root = 18;
  int trigonometric = 25;  // all at once, vectorised
  int other = 4;

  int latency(Op op) const;
};

Function schedule(const Function& function, const Core& core = {});

// Cycles from the inputs to the last result in the best of orders, registers without end: what the objective `latency`
// measures.
int cycles(const Function& function, const Core& core = {});

// How such a core runs through the function's own order.
struct Execution {
  int cycles = 0;
  int spills = 0;      // stores and loads, the value that is needed last being the first to go
  int most_alive = 0;  // values at once, without inputs and constants, which are in memory anyway
};
Execution execution(const Function& function, const Core& core = {});

}  // namespace lw
