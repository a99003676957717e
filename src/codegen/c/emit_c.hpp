// A program as C11, NAME.h and NAME.c, or as C++20, NAME.hpp and NAME.cpp. No heap, no branches except the user's, no
// header except <math.h> or <cmath>. Compiled with -ffp-contract=off (and never -ffast-math) both give the bits of the
// interpreter. In C++, functions are in namespace NAME and take plain pointers, or std::array for checked sizes.
#pragma once

#include "../text/program.hpp"

namespace lw {

struct EmitCOptions {
  bool single_precision = false;  // float; the name gets the suffix f
  int batch = 0;                  // 4, 8 or 16: also emits batch functions with so many lanes (emit_batch.hpp)
};

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options = {});
std::vector<Artefact> emit_cpp(const Program& program, const EmitCOptions& options = {});

}  // namespace lw
