#include "rewrite.hpp"

#include "interpreter.hpp"

namespace lw {

Rewrite::Rewrite(const Function& from)
    : from_(from), graph_(std::make_shared<Graph>()), now_(from.graph().size()), known_(from.graph().size(), false) {
  // inputs keep their places, used or not
  for (const std::string& name : from.graph().inputs()) graph_->input(name);
}

Expr Rewrite::operator[](NodeId old) {
  if (known_[old]) return now_[old];
  // operands first, without recursion: graphs are deep
  std::vector<NodeId> open{old};
  while (!open.empty()) {
    const NodeId id = open.back();
    std::size_t missing = 0;
    for_each_operand(from_.graph(), id, [&](NodeId operand) {
      if (known_[operand]) return;
      open.push_back(operand);
      ++missing;
    });
    if (missing > 0) continue;
    open.pop_back();
    if (!known_[id]) put(id, copy(id));
  }
  return now_[old];
}

Expr Rewrite::copy(NodeId old) {
  const Graph& from = from_.graph();
  const Node& n = from[old];
  switch (n.op) {
    case Op::constant: return n.value;
    case Op::input: return {graph_.get(), n.a};  // inputs were made first, in their order
    case Op::call:
    case Op::solve: return 0.0;  // made with its first output
    case Op::output: {
      const Node& owner = from[n.a];
      if (owner.op == Op::call) {
        const Call& call = from.calls()[owner.a];
        std::vector<Expr> arguments;
        for (const NodeId a : call.arguments) arguments.push_back((*this)[a]);
        return graph_->call(call.function, arguments)[n.b];
      }
      if (!solutions_.contains(n.a)) {
        const Solve& solve = from.solves()[owner.a];
        std::vector<Expr> guess, arguments;
        for (const NodeId a : solve.guess) guess.push_back((*this)[a]);
        for (const NodeId a : solve.arguments) arguments.push_back((*this)[a]);
        solutions_[n.a] = graph_->solve(solve.residual, guess, arguments, solve.steps);
      }
      const Graph::Solution& s = solutions_[n.a];
      return n.b < s.unknowns.size() ? s.unknowns[n.b] : s.residual[n.b - s.unknowns.size()];
    }
    default: {
      Expr operands[3];
      int k = 0;
      for_each_operand(from, old, [&](NodeId operand) { operands[k++] = (*this)[operand]; });
      return apply(n.op, operands[0], operands[1], operands[2]);
    }
  }
}

void Rewrite::put(NodeId old, const Expr& e) {
  now_[old] = e;
  known_[old] = true;
  if (const std::string* name = from_.graph().name_of(old)) graph_->name(e, *name);
}

Function Rewrite::finish() {
  std::vector<NodeId> results;
  for (const NodeId r : from_.results()) results.push_back(graph_->intern((*this)[r]));
  return Function(from_.name(), from_.inputs(), from_.outputs(), graph_, std::move(results), from_.arithmetic());
}

Function rewritten(const Function& from, const std::function<Expr(Rewrite&, NodeId)>& replace) {
  Rewrite to(from);
  for (const NodeId id : from.order()) to.put(id, replace(to, id));
  return to.finish();
}

}  // namespace lw
