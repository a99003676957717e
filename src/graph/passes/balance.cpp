#include "balance.hpp"

#include "../objective.hpp"
#include "polynomials.hpp"

namespace lw {

Function balance(const Function& function) {
  const double most = kBalanceFactor * operations(function);
  Function best = function;
  int lowest = cost(best).depth;
  const auto keep = [&](Function next) {
    const int now = cost(next).depth;
    if (now >= lowest || operations(next) > most) return false;
    lowest = now;
    best = std::move(next);
    return true;
  };
  for (bool again = true; again;) {
    const Polynomials system = polynomials(best);
    again = keep(rebuilt(best, flattened(system, {.shared_products = false}))) ||
            keep(rebuilt(best, flattened(system, {.shared_products = false, .shared_sums = true})));
  }
  return best;
}

}  // namespace lw
