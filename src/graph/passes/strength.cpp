#include "strength.hpp"

#include <map>

#include "../rewrite.hpp"
#include "names.hpp"

namespace lw {
namespace {

std::vector<int> uses(const Function& f) {
  std::vector<int> n(f.graph().size(), 0);
  for (const NodeId r : f.results()) ++n[r];
  for (const NodeId id : f.order()) for_each_operand(f.graph(), id, [&](NodeId operand) { ++n[operand]; });
  return n;
}

bool is_constant(const Graph& g, NodeId id) { return g[id].op == Op::constant; }
bool is_one(const Graph& g, NodeId id) { return is_constant(g, id) && g[id].value == 1.0; }
bool is_reciprocal(const Graph& g, NodeId id) { return g[id].op == Op::div && is_one(g, g[id].a); }

Function once(const Function& f) {
  const Graph& g = f.graph();
  const std::vector<int> n = uses(f);
  std::map<NodeId, NodeId> reciprocal;  // by denominator
  for (const NodeId id : f.order()) {
    if (is_reciprocal(g, id)) reciprocal[g[id].b] = id;
  }
  Rewrite to(f);
  for (const NodeId id : f.order()) {
    const auto [op, a, b, c, value] = g[id];
    Expr e;
    if (op == Op::div && is_constant(g, b)) {
      e = to[a] * Expr(1.0 / g[b].value);
    } else if (op == Op::div && g[a].op == Op::div && n[a] == 1) {
      e = to[g[a].a] / (to[g[a].b] * to[b]);
    } else if (op == Op::div && reciprocal.contains(b) && reciprocal[b] != id && n[reciprocal[b]] > 1) {
      e = to[a] * (Expr(1.0) / to[b]);
    } else if (op == Op::mul && is_reciprocal(g, b) && n[b] == 1) {
      e = to[a] / to[g[b].b];
    } else if (op == Op::mul && is_reciprocal(g, a) && n[a] == 1) {
      e = to[b] / to[g[a].b];
    } else if (op == Op::mul && a == b && g[a].op == Op::sqrt) {
      e = to[g[a].a];
    } else {
      e = to.copy(id);
    }
    to.put(id, e);
  }
  return named(to);
}

}  // namespace

Function strength(const Function& function) {
  Function f = once(function);
  for (int k = 0; k < 10; ++k) {  // each iteration shortens chains by one
    Function next = once(f);
    if (cost(next).operations == cost(f).operations) break;
    f = std::move(next);
  }
  return f;
}

Function reciprocals(const Function& function) {
  const Graph& g = function.graph();
  std::map<NodeId, int> divided;
  for (const NodeId id : function.order()) {
    if (g[id].op == Op::div) ++divided[g[id].b];
  }
  Rewrite to(function);
  for (const NodeId id : function.order()) {
    const Node& n = g[id];
    const bool several = n.op == Op::div && divided[n.b] > 1;
    to.put(id, several ? to[n.a] * (Expr(1.0) / to[n.b]) : to.copy(id));
  }
  return named(to);
}

}  // namespace lw
