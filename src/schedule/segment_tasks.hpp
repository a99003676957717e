// The segments of a divided function as tasks with dependences, for schedulers of other libraries.
//
// A segment waits for the previous one on its processor, which may pass values to it, and for segments of other
// processors whose values it reads.
#pragma once

#include <string>
#include <vector>

#include "../codegen/c/emit_divided.hpp"
#include "../codegen/jit/library.hpp"

namespace lw {

struct SegmentTask {
  using Run = void(void* shared, const double* inputs,
                   double* outputs);  // inputs and outputs in the order of the Function
  Run* run = nullptr;
  std::vector<int> before;  // tasks that must be done before
};

// C code that makes them callable, to be appended to what emit_divided writes.
std::string emit_segment_table(const Program& program, const DividedFunction& function);
// The segments of one processor after those of the other. Throws Error(toolchain) if the library was built without that
// table.
std::vector<SegmentTask> segment_tasks(const Program& program, const DividedFunction& function, const Library& library);

}  // namespace lw
