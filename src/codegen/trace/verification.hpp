// The difference between a traced function and the reference.
#pragma once

#include "reference.hpp"

namespace lw {

// Compares at random states, with the file's values of kept parameters and with others: the function with the snapped
// model, and the snapped model with the model. Errors are fractions of ErrorScale (error_scale.hpp).
struct Verification {
  int states = 0;
  double error = 0.0;  // NaN if a result is NaN
  double snapping = 0.0;
  double limit = 1e-12;
  bool passed() const { return error <= limit; }
};
Verification verify(const Traced& traced, int states, std::uint64_t seed = 1);
// The scale of errors in self-tests: the largest output of a state, or the largest of the terms of which outputs are
// sums.
double output_size(const Traced& traced, const State& state, const std::vector<double>& expected);
// The error in single precision, at states that single precision can represent.
double float_error(const Traced& traced, int states, std::uint64_t seed = 1);

}  // namespace lw
