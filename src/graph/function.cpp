#include "function.hpp"

#include <algorithm>

#include "../base/error.hpp"

namespace lw {

Function::Function(std::string name, std::vector<Group> inputs, std::vector<Group> outputs,
                   std::shared_ptr<const Graph> graph, std::vector<NodeId> results, Arithmetic arithmetic)
    : name_(std::move(name)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      graph_(std::move(graph)),
      results_(std::move(results)),
      arithmetic_(arithmetic) {
  // live nodes: those that a result needs
  std::vector<bool> live(graph_->size(), false);
  for (const NodeId r : results_) live[r] = true;
  for (std::size_t k = graph_->size(); k-- > 0;) {
    if (live[k]) for_each_operand(*graph_, static_cast<NodeId>(k), [&](NodeId operand) { live[operand] = true; });
  }
  for (std::size_t k = 0; k < live.size(); ++k) {
    if (live[k]) order_.push_back(static_cast<NodeId>(k));
  }
}

Function Function::in_order(std::vector<NodeId> order) const {
  std::vector<bool> known(graph_->size(), false);
  for (const NodeId id : order) {
    for_each_operand(*graph_, id,
                     [&](NodeId operand) { require(known[operand], "an operand must precede its users"); });
    known[id] = true;
  }
  for (const NodeId r : results_) require(known[r], "the order of evaluation must contain every result");
  Function copy = *this;
  copy.order_ = std::move(order);
  return copy;
}

Function Function::with(Arithmetic arithmetic) const {
  Function copy = *this;
  copy.arithmetic_ = arithmetic;
  return copy;
}

std::size_t Function::input_size() const {
  std::size_t n = 0;
  for (const Group& g : inputs_) n += g.size;
  return n;
}

Function trace(std::string name, std::vector<Group> inputs, std::vector<Group> outputs,
               const std::function<void(const Arguments&, Results&)>& calculation) {
  auto graph = std::make_shared<Graph>();
  Arguments arguments;
  for (const Group& g : inputs) {
    std::vector<Expr>& group = arguments.emplace_back();
    for (std::size_t k = 0; k < g.size; ++k) group.push_back(graph->input(g.name + std::to_string(k + 1)));
  }
  Results results;
  for (const Group& g : outputs) results.emplace_back(g.size);
  calculation(arguments, results);
  std::vector<NodeId> nodes;
  for (std::size_t g = 0; g < outputs.size(); ++g) {
    require(results[g].size() == outputs[g].size, "the results of a traced calculation must have the declared sizes");
    for (const Expr& e : results[g]) nodes.push_back(graph->intern(e));
  }
  return Function(std::move(name), std::move(inputs), std::move(outputs), std::move(graph), std::move(nodes));
}

void for_each_operand(const Graph& graph, NodeId id, const std::function<void(NodeId)>& visit) {
  const Node& n = graph[id];
  switch (n.op) {
    case Op::constant:
    case Op::input: break;
    case Op::neg:
    case Op::sqrt:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::exp:
    case Op::log:
    case Op::tanh:
    case Op::abs:
    case Op::output: visit(n.a); break;
    case Op::fma:
    case Op::select:
      visit(n.a);
      visit(n.b);
      visit(n.c);
      break;
    case Op::call:
      for (const NodeId a : graph.calls()[n.a].arguments) visit(a);
      break;
    case Op::solve:
      for (const NodeId a : graph.solves()[n.a].guess) visit(a);
      for (const NodeId a : graph.solves()[n.a].arguments) visit(a);
      break;
    default: visit(n.a); visit(n.b);
  }
}

bool reads_residual(const Function& function, NodeId solve) {
  const Graph& graph = function.graph();
  const std::size_t n = graph.solves()[graph[solve].a].guess.size();
  return std::any_of(function.order().begin(), function.order().end(), [&](NodeId id) {
    const Node& o = graph[id];
    return o.op == Op::output && o.a == solve && o.b >= n && o.b < 2 * n;
  });
}

void add_to(OperationCount& sum, const OperationCount& more, std::int64_t times) {
  sum.multiplications += more.multiplications * times;
  sum.additions += more.additions * times;
  sum.divisions += more.divisions * times;
  sum.roots += more.roots * times;
  sum.trigonometric += more.trigonometric * times;
  sum.comparisons += more.comparisons * times;
}

FunctionCost cost(const Function& function) {
  const Graph& graph = function.graph();
  FunctionCost total;
  OperationCount& c = total.operations;
  std::vector<int> depth(graph.size(), 0);
  for (const NodeId id : function.order()) {
    const Node& n = graph[id];
    int own = 1;
    switch (n.op) {
      case Op::constant:
      case Op::input:
      case Op::neg:
      case Op::output: own = 0; break;
      case Op::add:
      case Op::sub: ++c.additions; break;
      case Op::mul: ++c.multiplications; break;
      case Op::div: ++c.divisions; break;
      case Op::fma:
        ++c.multiplications;
        ++c.additions;
        own = 2;
        break;
      case Op::sqrt: ++c.roots; break;
      case Op::abs:
      case Op::min:
      case Op::max:
      case Op::less:
      case Op::select: ++c.comparisons; break;
      case Op::call: {
        const FunctionCost inner = cost(*graph.calls()[n.a].function);
        add_to(c, inner.operations);
        own = inner.depth;
        break;
      }
      case Op::solve: {
        const Solve& solve = graph.solves()[n.a];
        const FunctionCost left = cost(*solve.residual), inner = solve.step != nullptr ? cost(*solve.step) : left;
        add_to(c, inner.operations, solve.steps);
        own = inner.depth * solve.steps;
        if (solve.step == nullptr || !reads_residual(function, id)) break;
        add_to(c, left.operations);
        own += left.depth;
        break;
      }
      default: ++c.trigonometric;
    }
    int deepest = 0;
    for_each_operand(graph, id, [&](NodeId operand) { deepest = std::max(deepest, depth[operand]); });
    depth[id] = deepest + own;
  }
  for (const NodeId r : function.results()) total.depth = std::max(total.depth, depth[r]);
  return total;
}

}  // namespace lw
