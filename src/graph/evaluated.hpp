// A function evaluated at given arguments, node by node in their graph: the basis of all modes of differentiation.
//
// Calls of small functions with one call site are inlined. Others stay calls, and so do their derivatives: the
// derivative of a called function is a Function, created once for all its call sites and directions.
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

  const Function& function() const { return function_; }  // small calls inlined
  Graph& graph() const { return *graph_; }
  const Expr& operator[](NodeId id) const { return values_[id]; }
  std::vector<Expr> all(const std::vector<NodeId>& ids) const;
  Partials partials_of(NodeId id) const;
  // for a solve node
  std::vector<Expr> unknowns_of(NodeId solve) const { return solutions_.at(solve).unknowns; }

 private:
  Function function_;
  Graph* graph_ = nullptr;
  std::vector<Expr> values_;
  std::map<NodeId, Graph::Solution> solutions_;
};

// The operands of an elementary operation by position.
struct Operands {
  std::array<NodeId, 3> id{};
  std::size_t count = 0;
};
Operands operands_of(const Graph& graph, NodeId id);

// Inlines every call that is the only one of its function, if that has at most 200 operations.
Function with_large_calls(const Function& f);

// Derivatives of called functions, each created once. Keys live as long as the graph that calls them.
class CalledDerivatives {
 public:
  using Pointer = std::shared_ptr<const Function>;
  // ẏ along the varying inputs
  Pointer tangent(const Function& f, const std::vector<bool>& moves);
  Pointer adjoint(const Function& f);
  Pointer jacobian(const Function& f);
  // r(x, p) = 0:  ∂r/∂x ẋ + ∂r/∂p ṗ  of (ẋ, x, p, ṗ), and  (∂r/∂x)ᵀ λ − x̄  of (λ, x, p, x̄)
  Pointer linear(const Function& residual);
  Pointer transposed(const Function& residual);
  // For a solve with its own step: the rates of its outputs at the solution x, −∂step/∂p ṗ and zero.
  std::vector<Expr> through_step(const Solve& solve, Graph& graph, const std::vector<Expr>& x,
                                 const std::vector<Expr>& p, const std::vector<Expr>& dp);

 private:
  std::map<std::pair<const Function*, std::vector<bool>>, Pointer> tangents_;
  std::map<const Function*, Pointer> adjoints_, jacobians_, linear_, transposed_;
};

}  // namespace lw
