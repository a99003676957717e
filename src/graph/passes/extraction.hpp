// Common subexpressions of sums, and of the terms of a sum, computed once: greedy extraction of divisors as in logic
// synthesis (Rajski, Vasudevamurthy 1992), for polynomials (Hosangadi, Fallah, Kastner 2006).
//
//   two terms    k g u + k r g v   →   k g (u + r v)    one sum u + r v for all places that it divides; k, r constants
//   two factors  x y …             →   (x y) …          one product for all places
//
// The divisor that saves most comes first, until none saves anything. A product that is also used elsewhere is not
// saved.
#pragma once

#include <cstdint>

#include "polynomials.hpp"

namespace lw {

struct Extraction {
  bool sums = true;
  bool products = true;
  std::uint64_t seed = 0;  // breaks ties among divisors; 0: the one found first
  double snap = 0.0;       // constants that agree to this relative tolerance are merged
};
void extract(Polynomials& system, const Extraction& what);

// Flattens, extracts and rebuilds the function repeatedly while that makes it cheaper; the result is never more
// expensive.
Function extracted(const Function& function, const Flattening& how, const Extraction& what);

}  // namespace lw
