// How far a traced function is from the reference.
#pragma once

#include "reference.hpp"

namespace lw {

// At random states, with the file's values of what is kept and with others: against the model as snapped, and the
// snapped model against the model. Errors are fractions of what ErrorScale says (error_scale.hpp).
struct Verification {
  int states = 0;
  double error = 0.0;  // NaN where a result is
  double snapping = 0.0;
  double limit = 1e-12;
  bool passed() const { return error <= limit; }
};
Verification verify(const Traced& traced, int states, std::uint64_t seed = 1);
// What errors of a state's outputs are a fraction of in self-tests: the largest of them, or of the terms that they are
// sums of.
double output_size(const Traced& traced, const State& state, const std::vector<double>& expected);
// The error of the same in single precision, at states that have no more digits than that.
double float_error(const Traced& traced, int states, std::uint64_t seed = 1);

}  // namespace lw
