#include "rewrite.hpp"

#include "../base/error.hpp"
#include "interpreter.hpp"

namespace lw {

Rewrite::Rewrite(const Function& from, std::size_t fixed)
    : from_(from),
      inputs_(from.inputs().begin(), from.inputs().end() - static_cast<std::ptrdiff_t>(fixed)),
      graph_(std::make_shared<Graph>()),
      now_(from.graph().size()),
      known_(from.graph().size(), false) {
  // inputs keep their positions, used or not
  std::size_t left = from.graph().inputs().size();
  for (std::size_t g = inputs_.size(); g < from.inputs().size(); ++g) left -= from.inputs()[g].size;
  for (std::size_t k = 0; k < left; ++k) graph_->input(from.graph().inputs()[k]);
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
    case Op::input: return {graph_.get(), n.a};  // inputs were created first, in order
    case Op::call:
    case Op::solve: return 0.0;  // created with its first output
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
        solutions_[n.a] = graph_->solve_like(solve, guess, arguments);
      }
      return solutions_[n.a][n.b];
    }
    default: {
      Expr operands[3];
      int k = 0;
      for_each_operand(from, old, [&](NodeId operand) { operands[k++] = (*this)[operand]; });
      return apply(n.op, operands[0], operands[1], operands[2]);
    }
  }
}

void Rewrite::put(NodeId old, const Expr& e, bool with_its_name) {
  now_[old] = e;
  known_[old] = true;
  const std::string* name = with_its_name ? from_.graph().name_of(old) : nullptr;
  if (name != nullptr) graph_->name(e, *name);
}

Function Rewrite::finish() {
  std::vector<NodeId> results;
  for (const NodeId r : from_.results()) results.push_back(graph_->intern((*this)[r]));
  return Function(from_.name(), inputs_, from_.outputs(), graph_, std::move(results), from_.arithmetic());
}

Function rewritten(const Function& from, const std::function<Expr(Rewrite&, NodeId)>& replace) {
  Rewrite to(from);
  for (const NodeId id : from.order()) to.put(id, replace(to, id));
  return to.finish();
}

Function with_numbers(const Function& from, std::span<const double> last_group) {
  require(!from.inputs().empty() && from.inputs().back().size == last_group.size(),
          "the group needs one number per input");
  const std::size_t first = from.input_size() - last_group.size();
  Rewrite to(from, 1);
  for (const NodeId id : from.order()) {
    const Node& n = from.graph()[id];
    to.put(id, n.op == Op::input && n.a >= first ? Expr(last_group[n.a - first]) : to.copy(id));
  }
  return to.finish();
}

}  // namespace lw
