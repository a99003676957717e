#include "contract.hpp"

#include <algorithm>
#include <climits>

#include "../rewrite.hpp"
#include "../schedule.hpp"
#include "names.hpp"

namespace lw {
namespace {

struct Item {
  bool product = false, negative = false;
  NodeId a = 0, b = 0;  // factors, or only a
  int ready = 0;        // when its operands are ready
};

// The chain of each item, in this order.
struct Way {
  std::vector<std::size_t> order, chain;
  std::size_t chains = 0;
  int ready = INT_MAX / 2, operations = 0;
  int price() const { return ready + operations; }
};

Way way(const std::vector<Item>& items, std::size_t most_chains, bool plain_first, int step) {
  Way w;
  for (std::size_t k = 0; k < items.size(); ++k) w.order.push_back(k);
  std::stable_sort(w.order.begin(), w.order.end(), [&](std::size_t x, std::size_t y) {
    if (plain_first && items[x].product != items[y].product) return !items[x].product;
    return items[x].ready < items[y].ready;
  });
  std::vector<int> ends;
  for (const std::size_t k : w.order) {
    const Item& item = items[k];
    std::size_t best = ends.size();
    for (std::size_t c = 0; c < ends.size(); ++c) {
      if (ends[c] <= item.ready && (best == ends.size() || ends[c] > ends[best])) best = c;
    }
    if (best == ends.size() && ends.size() < most_chains) {
      ends.push_back(item.ready + (item.product ? step : 0));
      w.operations += item.product;
      w.chain.push_back(best);
      continue;
    }
    if (best == ends.size()) best = static_cast<std::size_t>(std::min_element(ends.begin(), ends.end()) - ends.begin());
    ends[best] = std::max(ends[best], item.ready) + step;
    ++w.operations;
    w.chain.push_back(best);
  }
  w.chains = ends.size();
  std::sort(ends.begin(), ends.end(), std::greater<>());
  while (ends.size() > 1) {
    const int a = ends.back();
    ends.pop_back();
    const int b = ends.back();
    ends.pop_back();
    const int both = std::max(a, b) + step;
    ends.insert(std::lower_bound(ends.begin(), ends.end(), both, std::greater<>()), both);
    ++w.operations;
  }
  w.ready = ends.front();
  return w;
}

class Contraction {
 public:
  explicit Contraction(const Function& f) : to_(f), uses_(f.graph().size(), 0), ready_(f.graph().size(), 0) {
    const Graph& graph = f.graph();
    for (const NodeId r : f.results()) ++uses_[r];
    for (auto id = f.order().rbegin(); id != f.order().rend(); ++id) {
      // a change of sign passes on its uses
      const int weight = graph[*id].op == Op::neg ? uses_[*id] : 1;
      for_each_operand(graph, *id, [&](NodeId operand) { uses_[operand] += weight; });
    }
  }

  Function run() {
    const Graph& graph = to_.from().graph();
    // sums whose only use is as a term of another sum
    std::vector<bool> inner(graph.size(), false);
    for (const NodeId id : to_.from().order()) {
      if (!is_sum(id)) continue;
      for (NodeId x : {graph[id].a, graph[id].b}) {
        while (graph[x].op == Op::neg && uses_[x] == 1) inner[x] = true, x = graph[x].a;
        if ((is_sum(x) || graph[x].op == Op::mul) && uses_[x] == 1) inner[x] = true;
      }
    }
    for (const NodeId id : to_.from().order()) {
      const Node& n = graph[id];
      if (inner[id]) continue;
      if (is_sum(id)) {
        sum(id);
        continue;
      }
      to_.put(id, to_.copy(id));
      int latest = 0;
      for_each_operand(graph, id, [&](NodeId operand) { latest = std::max(latest, ready_[operand]); });
      ready_[id] = latest + machine_.latency(n.op);
    }
    Function f = to_.finish();
    carry_names(to_.from(), f, to_.graph());
    Arithmetic arithmetic = f.arithmetic();
    arithmetic.fused = true;
    return f.with(arithmetic);
  }

 private:
  bool is_sum(NodeId id) const {
    const Op op = to_.from().graph()[id].op;
    return op == Op::add || op == Op::sub;
  }

  std::vector<Item> items(NodeId root) const {
    const Graph& graph = to_.from().graph();
    std::vector<Item> found;
    struct Open {
      NodeId id;
      bool negative;
    };
    std::vector<Open> open{{root, false}};
    while (!open.empty()) {
      auto [id, negative] = open.back();
      open.pop_back();
      while (graph[id].op == Op::neg) negative = !negative, id = graph[id].a;
      const Node& n = graph[id];
      if (is_sum(id) && (id == root || uses_[id] == 1)) {
        open.push_back({n.b, n.op == Op::sub ? !negative : negative});
        open.push_back({n.a, negative});
      } else if (n.op == Op::mul && uses_[id] == 1) {
        found.push_back({true, negative, n.a, n.b, std::max(ready_[n.a], ready_[n.b])});
      } else {
        found.push_back({false, negative, id, id, ready_[id]});
      }
    }
    return found;
  }

  void sum(NodeId id) {
    const std::vector<Item> parts = items(id);
    Way best;
    for (std::size_t chains = 1; chains <= std::min<std::size_t>(3, parts.size()); ++chains) {
      for (const bool plain_first : {true, false}) {
        Way w = way(parts, chains, plain_first, machine_.arithmetic);
        if (w.price() < best.price()) best = std::move(w);
      }
    }
    std::vector<std::pair<int, Expr>> ends(best.chains, {-1, Expr()});
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Item& item = parts[best.order[k]];
      auto& [end, e] = ends[best.chain[k]];
      Expr a = to_[item.a];
      if (item.negative) a = -a;
      if (end < 0) {
        e = item.product ? a * to_[item.b] : a;
        end = item.ready + (item.product ? machine_.arithmetic : 0);
      } else {
        e = item.product ? fma(a, to_[item.b], e) : e + a;
        end = std::max(end, item.ready) + machine_.arithmetic;
      }
    }
    const auto later = [](const auto& x, const auto& y) { return x.first > y.first; };
    std::stable_sort(ends.begin(), ends.end(), later);
    while (ends.size() > 1) {
      const auto x = ends.back();
      ends.pop_back();
      const auto y = ends.back();
      ends.pop_back();
      const std::pair<int, Expr> both{std::max(x.first, y.first) + machine_.arithmetic, x.second + y.second};
      ends.insert(std::lower_bound(ends.begin(), ends.end(), both, later), both);
    }
    to_.put(id, ends.front().second);
    ready_[id] = best.ready;
  }

  Rewrite to_;
  std::vector<int> uses_, ready_;
  Core machine_;
};

}  // namespace

Function contract(const Function& function) { return Contraction(function).run(); }

}  // namespace lw
