// Forward derivatives as a Function of their own: from y = f(x) the function ẏ = ∂f/∂x ẋ, by the rules of Dual (scalar.hpp).
//
// Calls are dissolved. A Newton iteration x(p) with r(x, p) = 0 is differentiated by the implicit function theorem: ẋ solves
// ∂r/∂x ẋ + ∂r/∂p ṗ = 0, which is linear, so that one Newton step from 0 finds it.
#pragma once

#include "function.hpp"

namespace lw {

// Inputs: those of f, then a group "d" of `directions` derivatives, of the first inputs (the others are constant).
// Outputs: the derivatives of f's, in groups of the same names.
Function tangent(const Function& f, std::size_t directions);

}  // namespace lw
