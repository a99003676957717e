// An order of evaluation for a core with a limited instruction window and few registers. Counts and bits do not change.
//
// Compilers stay close to the given order, so it determines which values are spilled (stored to memory and reloaded)
// and how early the critical path begins. Several orders are tried, and the one that a simple model of such a core
// finishes first is chosen: the given order; depth first, with the operand that needs more registers first (Sethi,
// Ullman 1970); and list scheduling by the longest path to a result, or, when many values are alive, by the number of
// values that die.
#pragma once

#include "function.hpp"

namespace lw {

// Latencies in cycles, typical of current x86 and ARM cores.
struct Core {
  int ports = 2;    // for arithmetic
  int width = 4;    // instructions issued per cycle
  int window = 96;  // most instructions waiting for operands
  int registers = 16;
  int load = 5;        // of a spilled value
  int arithmetic = 4;  // add, multiply, fused
  int division = 13;
  int root = 18;
  int trigonometric = 25;  // all at once, vectorised
  int other = 4;

  int latency(Op op) const;
};

Function schedule(const Function& function, const Core& core = {});

// Cycles from the inputs to the last result in the best order with unlimited registers: the measure of the objective
// `latency`.
int cycles(const Function& function, const Core& core = {});

// How such a core executes the function in its own order.
struct Execution {
  int cycles = 0;
  int spills = 0;      // stores and loads, evicting the value that is needed last
  int most_alive = 0;  // maximum of live values, without inputs and constants, which are in memory anyway
};
Execution execution(const Function& function, const Core& core = {});

}  // namespace lw
