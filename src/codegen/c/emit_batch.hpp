// A program over many states at once: NAME_batch.h and NAME_batch.c, or .hpp and .cpp, for gcc and clang.
//
//   void NAME_inverse_batch(size_t n, const double *q, const double *qd, const double *qdd, [const double *p,] double
//   *tau)
//
// Arrays have a row a state, as a table or a NumPy array has them; p is one for all. States go through vector
// registers, one in each lane, and have the bits that NAME_inverse gives them: transposing them costs little, there and
// back. The same text is compiled for AVX-512, for AVX2 and without either, and each call takes the best that the
// processor has.
#pragma once

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

// `lanes`: at most so many states at a time, 4, 8 or 16; processors with shorter vectors take fewer.
std::vector<Artefact> emit_batch(const Program& program, const CDialect& dialect, int lanes);

// What a function over a batch is called: NAME_inverse_batch, or inverse_batch in C++.
std::string c_batch_function(const Program& program, const Function& function, const CDialect& dialect);
// NAME_batch: what its files are called.
std::string c_batch_name(const Program& program, const CDialect& dialect);

}  // namespace lw
