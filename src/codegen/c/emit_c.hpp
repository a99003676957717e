// A program as C11: NAME.h and NAME.c. No heap, no branches but the user's, nothing included beyond <math.h>.
// Compiled with -ffp-contract=off (and never -ffast-math) it gives the interpreter's bits.
#pragma once

#include "../text/program.hpp"

namespace lw {

struct EmitCOptions {
  bool single_precision = false;  // float; the name gets an f behind it
  int batch = 0;                  // 4, 8 or 16: also over many states at once, in so many lanes (emit_batch.hpp)
};

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options = {});

}  // namespace lw
