// What several sums share, and what a sum's own terms share, computed once: greedy extraction of divisors as in logic
// synthesis (Rajski, Vasudevamurthy 1992), for polynomials (Hosangadi, Fallah, Kastner 2006).
//
//   two terms    k g u + k r g v   →   k g (u + r v)    one sum u + r v for all places where it divides; k, r numbers
//   two factors  x y …             →   (x y) …          one product for all places
//
// The divisor that saves most goes first, until none saves anything. A product that stays alive elsewhere is no saving.
#pragma once

#include <cstdint>

#include "polynomials.hpp"

namespace lw {

struct Extraction {
  bool sums = true;
  bool products = true;
  std::uint64_t seed = 0;  // among divisors that save as much, which goes first; 0: the one found first
  double snap = 0.0;       // numbers that agree to this, relative to their size, are one
};
void extract(Polynomials& system, const Extraction& what);

// The function flattened, extracted and rebuilt, again and again while that makes it cheaper; never dearer than it was.
Function extracted(const Function& function, const Flattening& how, const Extraction& what);

}  // namespace lw
