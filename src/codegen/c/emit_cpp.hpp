// A program as C++20: NAME.hpp and NAME.cpp, functions in namespace NAME over plain pointers, over std::array where the
// caller likes sizes checked. The arithmetic is that of emit_c.hpp.
#pragma once

#include "../text/program.hpp"

namespace lw {

struct EmitCppOptions {
  bool single_precision = false;  // float; the name gets an f behind it
  int batch = 0;                  // 4, 8 or 16: also over many states at once, in so many lanes (emit_batch.hpp)
};

std::vector<Artefact> emit_cpp(const Program& program, const EmitCppOptions& options = {});

}  // namespace lw
