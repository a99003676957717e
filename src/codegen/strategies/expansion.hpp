// Functions of + − × multiplied out: sums of products.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "../../graph/function.hpp"

namespace lw {

// Literals of a term, sorted; a term's coefficient and the sum of what was added up in it, by which rounding is known.
using StrategyTerm = std::vector<std::uint32_t>;
struct StrategyCoefficient {
  double value = 0.0, size = 0.0;
};
using Expansion = std::map<StrategyTerm, StrategyCoefficient>;

constexpr std::size_t kProductsPerTerm = 40;  // on the way, at most

// Every result of a function of + − × multiplied out; other nodes, quotients by symbols among them, are literals. Empty
// where there are more terms than that, or the way there is too long.
std::vector<Expansion> expanded(const Function& f, std::size_t most);

}  // namespace lw
