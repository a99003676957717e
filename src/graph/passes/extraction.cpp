#include "extraction.hpp"

#include "../objective.hpp"
#include "extractor.hpp"

namespace lw {

void extract(Polynomials& system, const Extraction& what) {
  Extractor extractor(system, what);
  extractor.extract();
  system = extractor.system();
}

Function extracted(const Function& function, const Flattening& how, const Extraction& what) {
  Function best = function;
  for (double lowest = operations(best);;) {
    Polynomials system = flattened(polynomials(best), how);
    extract(system, what);
    Function next = rebuilt(best, system);
    const double now = operations(next);
    if (now >= lowest) return best;
    const bool again = is_worth_another_turn(lowest, now);
    lowest = now;
    best = std::move(next);
    if (!again) return best;
  }
}

}  // namespace lw
