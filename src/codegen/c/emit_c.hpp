// A program as C11: NAME.h and NAME.c. No heap, no branches except the user's, no header except <math.h>. Compiled with
// -ffp-contract=off (and never -ffast-math) it gives the interpreter's bits.
#pragma once

#include "../text/program.hpp"

namespace lw {

struct EmitCOptions {
  bool single_precision = false;  // float; the name gets the suffix f
  int batch = 0;                  // 4, 8 or 16: also emits batch functions with so many lanes (emit_batch.hpp)
};

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options = {});

}  // namespace lw
