// Balanced trees: operands of sums and products are joined pairwise, the shallowest first, so that late operands are
// added last (Huffman). Shared sums may be duplicated if that reduces the depth, with up to 50 % more operations.
#pragma once

#include "../function.hpp"

namespace lw {

constexpr double kBalanceFactor = 1.5;  // largest increase of the number of operations

Function balance(const Function& function);

}  // namespace lw
