#include "hoist.hpp"

#include <map>

#include "../base/error.hpp"
#include "interpreter.hpp"

namespace lw {

Hoisted hoisted(const Function& f, std::size_t unknowns, const std::vector<Expr>& p) {
  require(f.input_size() == unknowns + p.size(), "hoisting needs one expression per parameter of the function");
  const Graph& graph = f.graph();
  // calls and solves stay where they are
  std::vector<bool> inside(graph.size(), false);
  for (const NodeId id : f.order()) {
    const Node& n = graph[id];
    if (n.op == Op::input)
      inside[id] = n.a < unknowns;
    else if (n.op == Op::call || n.op == Op::solve)
      inside[id] = true;
    else
      for_each_operand(graph, id, [&](NodeId operand) { inside[id] = inside[id] || inside[operand]; });
  }
  const auto apply_to = [&](NodeId id, const auto& value_of) {
    Expr operands[3];
    int k = 0;
    for_each_operand(graph, id, [&](NodeId operand) { operands[k++] = value_of(operand); });
    return apply(graph[id].op, operands[0], operands[1], operands[2]);
  };
  std::vector<Expr> outside(graph.size());
  std::vector<bool> crosses(graph.size(), false);
  std::vector<NodeId> crossing;
  const auto cross = [&](NodeId id) {
    while (graph[id].op == Op::neg) id = graph[id].a;  // signs are free inside and outside
    if (inside[id] || crosses[id] || graph[id].op == Op::constant) return;
    crosses[id] = true;
    crossing.push_back(id);
  };
  for (const NodeId id : f.order()) {
    const Node& n = graph[id];
    if (inside[id]) {
      for_each_operand(graph, id, cross);
      continue;
    }
    if (n.op == Op::constant)
      outside[id] = n.value;
    else if (n.op == Op::input)
      outside[id] = p[n.a - unknowns];
    else
      outside[id] = apply_to(id, [&](NodeId operand) { return outside[operand]; });
  }
  for (const NodeId r : f.results()) cross(r);
  // values that became constants outside are constants here
  std::vector<Expr> arguments;
  std::map<NodeId, std::size_t> place;
  for (const NodeId id : crossing) {
    if (outside[id].is_constant()) continue;
    place[id] = arguments.size();
    arguments.push_back(outside[id]);
  }
  Function inner =
      trace(f.name(), {{"x", unknowns}, {"p", arguments.size()}}, f.outputs(), [&](const Arguments& in, Results& out) {
        std::vector<Expr> now(graph.size());
        std::map<NodeId, std::vector<Expr>> nested;
        const std::function<Expr(NodeId)> value_of = [&](NodeId id) -> Expr {
          if (inside[id]) return now[id];
          if (const auto at = place.find(id); at != place.end()) return in[1][at->second];
          if (graph[id].op == Op::neg) return -value_of(graph[id].a);
          return outside[id];  // a number
        };
        const auto all = [&](const std::vector<NodeId>& ids) {
          std::vector<Expr> list;
          for (const NodeId id : ids) list.push_back(value_of(id));
          return list;
        };
        Graph* own = unknowns > 0 ? in[0][0].graph() : nullptr;
        for (const NodeId id : f.order()) {
          if (!inside[id]) continue;
          const Node& n = graph[id];
          switch (n.op) {
            case Op::input: now[id] = in[0][n.a]; break;
            case Op::call:
              nested[id] = own->call(graph.calls()[n.a].function, all(graph.calls()[n.a].arguments));
              break;
            case Op::solve: {
              const Solve& solve = graph.solves()[n.a];
              const Graph::Solution s = own->solve_like(solve, all(solve.guess), all(solve.arguments));
              for (std::size_t k = 0; k < solve.outputs(); ++k) nested[id].push_back(s[k]);
              break;
            }
            case Op::output: now[id] = nested.at(n.a)[n.b]; break;
            default: now[id] = apply_to(id, value_of);
          }
        }
        std::size_t k = 0;
        for (std::vector<Expr>& group : out) {
          for (Expr& e : group) e = value_of(f.results()[k++]);
        }
      });
  return {inner.with(f.arithmetic()), std::move(arguments)};
}

}  // namespace lw
