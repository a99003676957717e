// A program as C11: NAME.h and NAME.c. No heap, no branches but the user's, nothing included beyond <math.h>.
// Compiled with -ffp-contract=off (and never -ffast-math) it gives the interpreter's bits.
#pragma once

#include "program.hpp"

namespace lw {

struct EmitCOptions {
  bool single_precision = false;  // float; the name gets an f behind it
};

std::vector<Artefact> emit_c(const Program& program, const EmitCOptions& options = {});

}  // namespace lw
