// A program over many states at once: NAME_batch.h and NAME_batch.c, or .hpp and .cpp, for gcc and clang.
//
//   void NAME_inverse_batch(size_t n, const double *q, const double *qd, const double *qdd, [const double *p,] double
//   *tau)
//
// Arrays have one row per state, as in a table or a NumPy array; all states share p. Each lane of the vector registers
// holds one state, with the bits of NAME_inverse; transposing in and out costs little. The same text is compiled for
// AVX-512, for AVX2 and without either; each call selects the best that the processor supports.
#pragma once

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

// `lanes`: the largest number of states at a time, 4, 8 or 16; processors with shorter vectors take fewer.
std::vector<Artefact> emit_batch(const Program& program, const CDialect& dialect, int lanes);

// The name of a function over a batch: NAME_inverse_batch, or inverse_batch in C++.
std::string c_batch_function(const Program& program, const Function& function, const CDialect& dialect);
// NAME_batch: the name of its files.
std::string c_batch_name(const Program& program, const CDialect& dialect);

}  // namespace lw
