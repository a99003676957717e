// The derivatives of one operation, which all modes of differentiation share: from f(a, b, c)
//
//   smooth   ∂f/∂a, ∂f/∂b, ∂f/∂c
//   switch   abs, min, max, select: a condition and which operand stands for it on either side
//
// The two are told apart because a switch must select a derivative, not multiply it by 0: beside a singularity that is
// switched away stands an infinite one.
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

// Whether a derivative that may be infinite stands behind a switch. Where the switch is by a product with 0, as when
// derivatives of a chain are multiplied, the result would not be a number; forward mode alone selects.
bool switches_singularities(const Function& f);

// `f` is the operation's own value, which many derivatives contain.
Partials partials(Op op, const Expr& f, const std::array<Expr, 3>& operands);

}  // namespace lw
