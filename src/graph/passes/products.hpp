// n-ary products with shared sub-products, constants included. Sums are unchanged.
#pragma once

#include "../function.hpp"

namespace lw {

Function products(const Function& function);

}  // namespace lw
