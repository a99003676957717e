// Self-test of generated code: vectors of inputs and expected outputs, and a program that compares. The caller provides
// the expected values, computed by an independent method.
#pragma once

#include "../text/program.hpp"
#include "c_text.hpp"

namespace lw {

struct TestVectors {
  std::string function;                      // as in the program: "inverse"
  std::vector<std::vector<double>> inputs;   // one per state, groups one behind the other
  std::vector<std::vector<double>> outputs;  // expected
  double tolerance = 1e-9;                   // as a fraction of the size of the outputs at the state
  std::vector<double> sizes =
      {};  // one per state, from output_size (trace/verification.hpp); empty: the largest output
};

// The sizes that errors are a fraction of, one per state; never zero.
std::vector<double> sizes_of(const TestVectors& vectors);

// NAME_c_vectors.csv: one line per state, `function, inputs…, outputs…`; and NAME_selftest.c or .cpp, which needs only
// the code, prints one line per function and a verdict, and exits with 0 or 1.
struct SelfTestOptions {
  bool batch = false;  // also tests batch functions (emit_batch.hpp)
  // more than 1: also tests functions divided over so many processors (emit_divided.hpp), with POSIX or C11 threads:
  // each result has the bits of one processor, and a missing processor is detected
  std::size_t processors = 1;
};
std::vector<Artefact> emit_selftest(const Program& program, const std::vector<TestVectors>& vectors,
                                    const CDialect& dialect = {}, const SelfTestOptions& options = {});

// The function that the vectors are for; throws if there is none or if their sizes differ.
const Function& tested_function(const Program& program, const TestVectors& vectors);

// The vectors only, for other languages: NAME_fortran_vectors.csv.
Artefact emit_vectors(const Program& program, const std::vector<TestVectors>& vectors, const Form& form);

}  // namespace lw
