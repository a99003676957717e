// What a divided function takes by the costs of a machine.
//
//   end of a segment = max(end of the one before, end of each that it waits for + message) + work
//
// Work: every node at the machine's cost; multiplications, additions and fused ones alike, at what they cost on average
// in the whole function; a number that is written, for the caller or for others, like one of them; equal calls that the
// emitted code runs in lanes at the machine's rate for these (codegen/c/calls_together.hpp).
#pragma once

#include "../codegen/c/emit_divided.hpp"
#include "machine.hpp"

namespace lw {

// Both for a machine with the overlap of code of that size (Machine::for_code_of).
double time_on_one(const Function& function, const Machine& machine);
// From the call on processor 0 to its return, when all are done.
double time_of(const DividedFunction& divided, const Machine& machine);

}  // namespace lw
