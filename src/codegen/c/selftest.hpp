// The proof beside the code: vectors of inputs and expected outputs, and a program that compares. The expected values
// are the caller's, from another method than the code that is tested.
#pragma once

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

struct TestVectors {
  std::string function;                      // as in the program: "inverse"
  std::vector<std::vector<double>> inputs;   // one a state, groups one behind the other
  std::vector<std::vector<double>> outputs;  // expected
  double tolerance = 1e-9;                   // of the size of the outputs at the state
  std::vector<double> sizes =
      {};  // one for each state, as output_size (methods.hpp) gives them; empty: the largest output
};

// What errors are a fraction of, one a state; never zero.
std::vector<double> sizes_of(const TestVectors& vectors);

// NAME_c_vectors.csv: a line a state, `function, inputs…, outputs…`; and NAME_selftest.c or .cpp, which needs the code
// and nothing else, prints a line a function and a verdict, and exits with 0 or 1.
struct SelfTestOptions {
  bool batch = false;  // the functions over many states too (emit_batch.hpp)
  // more than 1: the functions over so many processors too (emit_divided.hpp), as many threads, POSIX's or C11's: each
  // result has the bits of one processor, and a processor that does not come is noticed
  std::size_t processors = 1;
};
std::vector<Artefact> emit_selftest(const Program& program, const std::vector<TestVectors>& vectors,
                                    const CDialect& dialect = {}, const SelfTestOptions& options = {});

// The function that vectors are for; throws where there is none, or their sizes are not its own.
const Function& tested_function(const Program& program, const TestVectors& vectors);

// The vectors alone, for other languages: NAME_fortran_vectors.csv.
Artefact emit_vectors(const Program& program, const std::vector<TestVectors>& vectors, const Form& form);

}  // namespace lw
