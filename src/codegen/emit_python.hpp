// A program as Python: NAME.py, which needs NumPy alone.
//
//   import puma560
//   tau = puma560.inverse(q, qd, qdd)          # q of shape (6,), or (..., 6) for many states at once
//
// Leading dimensions are broadcast against each other; a matrix has two at the end.
#pragma once

#include "program.hpp"

namespace lw {

std::vector<Artefact> emit_python(const Program& program);

}  // namespace lw
