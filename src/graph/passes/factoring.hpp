// a b + a c = a (b + c): within sums and across sums that share (b + c); the factor that saves most first, and none if
// a b is also used elsewhere and nothing would be saved.
#pragma once

#include "../function.hpp"

namespace lw {

Function factoring(const Function& function);

}  // namespace lw
