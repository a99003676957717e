// Time of a divided function, by the costs of a machine.
//
//   end of a segment = max(end of the one before, end of each that it waits for + message) + work
//
// Work: every node at the machine's cost. Multiplications, additions and fused multiply-adds all count at their average
// cost in the whole function, and so does a number that is written for the caller or for another processor. Equal calls
// that the emitted code runs in lanes count at the machine's rate for these (codegen/c/calls_together.hpp).
#pragma once

#include "../codegen/c/emit_divided.hpp"
#include "machine.hpp"

namespace lw {

// Both take a machine with the overlap for code of that size (Machine::for_code_of).
double time_on_one(const Function& function, const Machine& machine);
// From the call on processor 0 to its return, when all processors are done.
double time_of(const DividedFunction& divided, const Machine& machine);

}  // namespace lw
