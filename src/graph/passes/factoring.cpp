#include "factoring.hpp"

#include "extraction.hpp"

namespace lw {

Function factoring(const Function& function) { return extracted(function, {}, {}); }

}  // namespace lw
