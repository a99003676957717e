// A Function rebuilt node by node in a fresh graph: what passes are made of.
//
//   Rewrite to(f);
//   for (NodeId id : f.order()) to.put(id, is_special(id) ? better(to[operand]) : to.copy(id));
//   return to.finish();          // dead code stays behind, names come along
//
// What is not put is copied, operation by operation, with all the folding that tracing does.
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
  // `fixed`: so many groups of inputs, the last ones, are gone in the new function; whoever asks for them must put
  // them.
  explicit Rewrite(const Function& from, std::size_t fixed = 0);

  const Function& from() const { return from_; }
  std::shared_ptr<Graph> shared_graph() const { return graph_; }
  Graph& graph() { return *graph_; }
  // What an old node has become; copied now, with what it needs, where that is not decided yet.
  Expr operator[](NodeId old);
  // The same operation on what the operands have become.
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

// Every node in order of evaluation by `replace`, which may fall back on copy.
Function rewritten(const Function& from, const std::function<Expr(Rewrite&, NodeId)>& replace);

// With numbers for the last group of inputs, which is one no more.
Function with_numbers(const Function& from, std::span<const double> last_group);

}  // namespace lw
