// A program as Python: NAME.py, which needs only NumPy.
//
//   import puma560
//   tau = puma560.inverse(q, qd, qdd)          # q of shape (6,), or (..., 6) for many states at once
//
// Leading dimensions are broadcast against each other; a matrix is in the last two dimensions.
#pragma once

#include "../c/selftest.hpp"
#include "../text/program.hpp"

namespace lw {

std::vector<Artefact> emit_python(const Program& program);

// NAME_selftest.py: every state by itself and all at once; prints one line per function and a verdict, and exits with 0
// or 1.
Artefact emit_python_selftest(const Program& program, const std::vector<TestVectors>& vectors);

// Whether Python, or a module that the code imports, reserves a name.
bool is_word_of_python(const std::string& name);

}  // namespace lw
