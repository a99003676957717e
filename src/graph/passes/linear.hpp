// Linear forms Σ kᵢ xᵢ: like terms are collected, chains of constants multiplied, common constants factored out, and
// partial sums shared by several forms (up to sign and scale) computed once. Products are unchanged.
#pragma once

#include "../function.hpp"

namespace lw {

Function linear(const Function& function);

}  // namespace lw
