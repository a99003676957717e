#include "expansion.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lw {
namespace {

void add_to(Expansion& sum, const StrategyTerm& term, double value, double size) {
  StrategyCoefficient& c = sum[term];
  c.value += value;
  c.size += size;
}

void drop_rounding(Expansion& e) {
  std::erase_if(e, [](const auto& item) { return std::abs(item.second.value) <= 1e-13 * item.second.size; });
}

Expansion multiplied(const Expansion& a, const Expansion& b, std::size_t most) {
  Expansion out;
  StrategyTerm term;
  for (const auto& [x, cx] : a) {
    for (const auto& [y, cy] : b) {
      term.clear();
      std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(term));
      add_to(out, term, cx.value * cy.value, cx.size * cy.size);
    }
    if (out.size() > most) break;
  }
  drop_rounding(out);
  return out;
}

}  // namespace

std::vector<Expansion> expanded(const Function& f, std::size_t most) {
  const Graph& g = f.graph();
  std::vector<int> uses(g.size(), 0);  // remaining uses; expansions without any are freed
  for (const NodeId id : f.order()) for_each_operand(g, id, [&](NodeId operand) { ++uses[operand]; });
  for (const NodeId id : f.results()) ++uses[id];
  std::map<NodeId, Expansion> of;
  std::size_t products = 0;
  for (const NodeId id : f.order()) {
    const Node& n = g[id];
    Expansion e;
    const auto sum = [&](double sign) {
      e = of[n.a];
      for (const auto& [term, c] : of[n.b]) add_to(e, term, sign * c.value, c.size);
      drop_rounding(e);
    };
    switch (n.op) {
      case Op::constant: add_to(e, {}, n.value, std::abs(n.value)); break;
      case Op::add: sum(1.0); break;
      case Op::sub: sum(-1.0); break;
      case Op::mul:
        products += of[n.a].size() * of[n.b].size();
        if (products > kProductsPerTerm * most) return {};
        e = multiplied(of[n.a], of[n.b], most);
        break;
      case Op::neg:
        e = of[n.a];
        for (auto& [term, c] : e) c.value = -c.value;
        break;
      case Op::div:
        if (g[n.b].op == Op::constant) {
          e = of[n.a];
          for (auto& [term, c] : e) c = {c.value / g[n.b].value, c.size / std::abs(g[n.b].value)};
          break;
        }
        [[fallthrough]];
      default: add_to(e, {id}, 1.0, 1.0); break;
    }
    if (e.size() > most) return {};
    of[id] = std::move(e);
    for_each_operand(g, id, [&](NodeId operand) {
      if (--uses[operand] == 0) of.erase(operand);
    });
  }
  std::vector<Expansion> results;
  std::size_t terms = 0;
  for (const NodeId id : f.results()) {
    results.push_back(of[id]);
    terms += results.back().size();
  }
  if (terms > most) return {};
  return results;
}

}  // namespace lw
