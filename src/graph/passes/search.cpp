#include "search.hpp"

#include <chrono>

#include "../objective.hpp"
#include "extractor.hpp"

namespace lw {

Function search(const Function& function, const SearchEffort& effort) {
  constexpr int kMostSums[] = {3, 6, 15};
  constexpr std::size_t kMostTerms[] = {8, 16, 32};  // that a sum may be expanded into
  const auto start = std::chrono::steady_clock::now();
  Random random(effort.seed);
  const auto fresh = [&](const Polynomials& system) {
    Extractor e(system, {.seed = random.bits() | 1});
    e.extract();
    return e;
  };
  Extractor state = fresh(flattened(polynomials(function), {.products = false, .sums = false}));
  Polynomials best = state.system();
  int lowest = state.operations();
  std::size_t room = 4 * state.size() + 10000;
  // without operations there is nothing to gain, and possibly no sum to start with
  for (int trial = 0; trial < effort.trials && state.operations() > 0; ++trial) {
    if (effort.seconds > 0.0 && trial % 64 == 0 &&
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > effort.seconds) {
      break;
    }
    const int before = state.operations();
    state.begin();
    const std::size_t most = kMostTerms[random.below(3)];
    std::size_t sum = state.any_sum();
    for (int n = 1 + random.below(kMostSums[random.below(3)]); n > 0; --n) {
      state.dissolve(sum, most);
      sum = state.neighbour(sum);
    }
    state.extract();
    if (state.operations() > before) {
      state.take_back();
    } else if (state.operations() < lowest) {
      lowest = state.operations();
      best = state.system();
    }
    if (state.size() > room) state = fresh(state.system());
  }
  Function found = rebuilt(function, best);
  return operations(found) < operations(function) ? found : function;
}

}  // namespace lw
