// a b + a c = a (b + c): within sums and across them, where (b + c) is shared; the factor that saves most first, and
// none where a b lives on elsewhere and nothing would be saved.
#pragma once

#include "../function.hpp"

namespace lw {

Function factoring(const Function& function);

}  // namespace lw
