// A program as C++20: NAME.hpp and NAME.cpp, functions in namespace NAME that take plain pointers, or std::array for
// checked sizes. The arithmetic is that of emit_c.hpp.
#pragma once

#include "../text/program.hpp"

namespace lw {

struct EmitCppOptions {
  bool single_precision = false;  // float; the name gets the suffix f
  int batch = 0;                  // 4, 8 or 16: also emits batch functions with so many lanes (emit_batch.hpp)
};

std::vector<Artefact> emit_cpp(const Program& program, const EmitCppOptions& options = {});

}  // namespace lw
