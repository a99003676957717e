// Linear forms Σ kᵢ xᵢ: like terms collected, constant chains multiplied, common constants pulled out, partial sums
// that several forms share (up to sign and scale) computed once. Products are left as they are.
#pragma once

#include "../function.hpp"

namespace lw {

Function linear(const Function& function);

}  // namespace lw
