// Rebuilds a Function node by node in a new graph; the basis of all passes.
//
//   Rewrite to(f);
//   for (NodeId id : f.order()) to.put(id, is_special(id) ? better(to[operand]) : to.copy(id));
//   return to.finish();          // drops dead code, keeps names
//
// Nodes that are not put are copied, operation by operation, with the same folding as in tracing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "function.hpp"

namespace lw {

class Rewrite {
 public:
  // `fixed`: number of input groups, counted from the last, that the new function does not have; the caller must put
  // them.
  explicit Rewrite(const Function& from, std::size_t fixed = 0);

  const Function& from() const { return from_; }
  std::shared_ptr<Graph> shared_graph() const { return graph_; }
  Graph& graph() { return *graph_; }
  // The new expression of an old node; copied now, with its operands, if not yet decided.
  Expr operator[](NodeId old);
  // The same operation on the new operands.
  Expr copy(NodeId old);
  void put(NodeId old, const Expr& e, bool with_its_name = true);

  Function finish();

 private:
  const Function& from_;
  std::vector<Group> inputs_;
  std::shared_ptr<Graph> graph_;
  std::vector<Expr> now_;
  std::vector<bool> known_;
  std::map<NodeId, Graph::Solution> solutions_;  // one for all outputs of a solve
};

// Applies `replace`, which may call copy, to every node in order of evaluation.
Function rewritten(const Function& from, const std::function<Expr(Rewrite&, NodeId)>& replace);

// Replaces the last group of inputs by numbers.
Function with_numbers(const Function& from, std::span<const double> last_group);

}  // namespace lw
