// The derivatives of one operation f(a, b, c), shared by all modes of differentiation:
//
//   smooth   ∂f/∂a, ∂f/∂b, ∂f/∂c
//   switch   abs, min, max, select: a condition and the operand selected on either side
//
// The two are distinguished because a switch must select a derivative, not multiply it by 0: the derivative of an
// unselected singular branch is infinite.
#pragma once

#include <array>

#include "function.hpp"

namespace lw {

struct Partials {
  std::array<Expr, 3> of{Expr(0.0), Expr(0.0), Expr(0.0)};  // by operand
  bool is_switch = false;
  Expr condition = 0.0;
  std::array<Expr, 3> where_true{Expr(0.0), Expr(0.0), Expr(0.0)},
      where_false{Expr(0.0), Expr(0.0), Expr(0.0)};  // 0 or ±1
};

// Whether a derivative that may be infinite is behind a switch. If the switch multiplies by 0, as when derivatives of a
// chain are multiplied, the result would be NaN; only forward mode selects.
bool switches_singularities(const Function& f);

// `f` is the value of the operation, which occurs in many derivatives.
Partials partials(Op op, const Expr& f, const std::array<Expr, 3>& operands);

}  // namespace lw
