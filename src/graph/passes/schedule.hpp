// An order of evaluation for few registers. Counts and bits do not change.
//
// Compilers keep close to the order that they are given, so it decides what is spilled: kept in memory and loaded again.
// Several orders are tried and the one that spills least is taken: the one that is there; depth first, of two operands the
// one that needs more registers before the other (Sethi, Ullman 1970); cycle by cycle what is on the longest way to a
// result, but what ends most values as soon as a number of them is alive.
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
// The most values that are alive at once in the function's order, without inputs and constants, which are in memory anyway.
int most_alive(const Function& function);
// Stores and loads that the order takes with so many registers, the value that is needed last being the first to go.
int spills(const Function& function, int registers = Machine{}.registers);

}  // namespace lw
