// n-ary products with sub-products that several of them share, constants included. Sums are left as they are.
#pragma once

#include "../function.hpp"

namespace lw {

Function products(const Function& function);

}  // namespace lw
