// Expands functions of + − × into sums of products.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "../../graph/function.hpp"

namespace lw {

// Sorted literals of a term; its coefficient, and the sum of the absolute values that were added, which bounds its
// rounding error.
using StrategyTerm = std::vector<std::uint32_t>;
struct StrategyCoefficient {
  double value = 0.0, size = 0.0;
};
using Expansion = std::map<StrategyTerm, StrategyCoefficient>;

constexpr std::size_t kProductsPerTerm = 40;  // intermediate products per term, at most

// Every result of a function, expanded; nodes other than + − ×, such as quotients by symbols, are literals. Empty if
// there are more terms than `most`, or too many intermediate products.
std::vector<Expansion> expanded(const Function& f, std::size_t most);

}  // namespace lw
