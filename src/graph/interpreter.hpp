// Evaluates a Function in any scalar: with double it is the fallback where there is no compiler, with Expr it inlines
// the function into another graph, with Dual or ComplexStep it differentiates; with float it rounds as code in single
// precision.
//
// A Solve node is iterated as x ← x − J(x)⁻¹ r(x) with the Jacobian J taken on values alone: where x has converged, the
// last step carries the derivative −J⁻¹ ∂r/∂p into x, which is the implicit function theorem, in any scalar. One that
// has a step of its own is iterated by that.
#pragma once

#include <memory>
#include <vector>

#include "../base/view.hpp"
#include "function.hpp"

namespace lw {

template <class U>
class Interpreter {
 public:
  explicit Interpreter(const Function& function);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  // Inputs and outputs as one vector each, group after group. Allocates nothing for double.
  void operator()(In<U> inputs, Out<U> outputs);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

// One evaluation, where speed does not matter.
template <class U>
void evaluate(const Function& function, In<U> inputs, Out<U> outputs) {
  Interpreter<U> interpret(function);
  interpret(inputs, outputs);
}

// One elementary operation, in any scalar.
template <class U>
U apply(Op op, const U& a, const U& b, const U& c);
template <>
float apply<float>(Op op, const float& a, const float& b, const float& c);

}  // namespace lw
