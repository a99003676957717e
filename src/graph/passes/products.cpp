#include "products.hpp"

#include "extraction.hpp"

namespace lw {

Function products(const Function& function) { return extracted(function, {.sums = false}, {.sums = false}); }

}  // namespace lw
