#include "linear.hpp"

#include "extraction.hpp"

namespace lw {

Function linear(const Function& function) { return extracted(function, {.products = false}, {}); }

}  // namespace lw
