// Evaluates a Function in any scalar. With double it is the fallback without a compiler, with Expr it inlines the
// function into another graph, with Dual or ComplexStep it differentiates, and with float it rounds like
// single-precision code.
//
// A Solve node is iterated as x ← x − J(x)⁻¹ r(x) with the Jacobian J evaluated on values only: after convergence, the
// last step adds the derivative −J⁻¹ ∂r/∂p to x, which is the implicit function theorem, in any scalar. A Solve node
// with its own step uses that step.
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

  // Inputs and outputs are one vector each, with the groups concatenated. Does not allocate for double.
  void operator()(In<U> inputs, Out<U> outputs);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

// One evaluation, if speed does not matter.
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
