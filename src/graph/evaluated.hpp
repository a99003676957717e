// A function at given arguments, written into their graph node by node: where all modes of differentiation start.
//
// Calls of functions that are small and have one call site are dissolved; the others stay calls, and so do their
// derivatives: the derivative of a called function is a Function, made once for all its call sites and directions.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "partials.hpp"

namespace lw {

class Evaluated {
 public:
  // At least one argument is an expression.
  Evaluated(const Function& f, const std::vector<Expr>& arguments);

  const Function& function() const { return function_; }  // small calls dissolved
  Graph& graph() const { return *graph_; }
  const Expr& operator[](NodeId id) const { return values_[id]; }
  std::vector<Expr> all(const std::vector<NodeId>& ids) const;
  Partials partials_of(NodeId id) const;
  // of a solve node
  std::vector<Expr> unknowns_of(NodeId solve) const { return solutions_.at(solve).unknowns; }

 private:
  Function function_;
  Graph* graph_ = nullptr;
  std::vector<Expr> values_;
  std::map<NodeId, Graph::Solution> solutions_;
};

// The operands of an elementary operation by their places.
struct Operands {
  std::array<NodeId, 3> id{};
  std::size_t count = 0;
};
Operands operands_of(const Graph& graph, NodeId id);

// With all calls dissolved that are the only one of their function, which has no more than 200 operations.
Function with_large_calls(const Function& f);

// Derivatives of called functions, each made once. Keys live as long as the graph that calls them.
class CalledDerivatives {
 public:
  using Pointer = std::shared_ptr<const Function>;
  // ẏ along those inputs that move
  Pointer tangent(const Function& f, const std::vector<bool>& moves);
  Pointer adjoint(const Function& f);
  Pointer jacobian(const Function& f);
  // r(x, p) = 0:  ∂r/∂x ẋ + ∂r/∂p ṗ  of (ẋ, x, p, ṗ), and  (∂r/∂x)ᵀ λ − x̄  of (λ, x, p, x̄)
  Pointer linear(const Function& residual);
  Pointer transposed(const Function& residual);
  // Of a solve that has a step of its own: the rates of its outputs at the solution x, −∂step/∂p ṗ and nothing.
  std::vector<Expr> through_step(const Solve& solve, Graph& graph, const std::vector<Expr>& x,
                                 const std::vector<Expr>& p, const std::vector<Expr>& dp);

 private:
  std::map<std::pair<const Function*, std::vector<bool>>, Pointer> tangents_;
  std::map<const Function*, Pointer> adjoints_, jacobians_, linear_, transposed_;
};

}  // namespace lw
