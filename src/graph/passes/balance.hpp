// Lower trees: sums and products of several operands joined two by two, the shallowest first, so that what is ready
// late is added last (Huffman). Sums that are shared may be written out once more where that lowers the whole: up to
// half as many operations again.
#pragma once

#include "../function.hpp"

namespace lw {

constexpr double kBalanceFactor = 1.5;  // most operations after, of those before

Function balance(const Function& function);

}  // namespace lw
