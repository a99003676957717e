// The segments of a divided function as tasks that wait for each other: what our executor runs, for schedulers of other
// libraries.
//
// A segment waits for the one before it on its processor, which may pass values on to it, and for those of other
// processors that it has values from.
#pragma once

#include <string>
#include <vector>

#include "../codegen/c/emit_divided.hpp"
#include "../codegen/jit/library.hpp"

namespace lw {

struct SegmentTask {
  using Run = void(void* shared, const double* inputs, double* outputs);  // inputs and outputs as a Function has them
  Run* run = nullptr;
  std::vector<int> before;  // tasks that must be done
};

// C that makes them callable, behind what emit_divided writes.
std::string emit_segment_table(const Program& program, const DividedFunction& function);
// One processor's segments behind the other's. Throws Error(toolchain) where the library was made without that table.
std::vector<SegmentTask> segment_tasks(const Program& program, const DividedFunction& function, const Library& library);

}  // namespace lw
