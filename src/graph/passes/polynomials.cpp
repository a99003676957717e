#include "polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "../rewrite.hpp"
#include "names.hpp"

namespace lw {
namespace {

bool is_algebraic(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg; }

constexpr std::size_t kLongestProduct = 24;  // longer ones are left unchanged
constexpr std::size_t kLongestSum = 400;

// Joins operands pairwise, the shallowest first.
template <class Join>
std::pair<int, Expr> joined(std::vector<std::pair<int, Expr>> operands, Join join) {
  const auto deeper = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::reverse(operands.begin(), operands.end());
  std::stable_sort(operands.begin(), operands.end(), deeper);
  while (operands.size() > 1) {
    const auto [da, a] = operands.back();
    operands.pop_back();
    const auto [db, b] = operands.back();
    operands.pop_back();
    const std::pair<int, Expr> both{std::max(da, db) + 1, join(a, b)};
    operands.insert(std::lower_bound(operands.begin(), operands.end(), both, deeper), both);
  }
  return operands.front();
}

class Builder {
 public:
  Builder(const Function& function, const Polynomials& system)
      : to_(function),
        system_(system),
        built_(system.sums.size()),
        depth_of_(system.sums.size(), 0),
        node_depth_(function.graph().size(), 0) {}

  Function run() {
    const Function& from = to_.from();
    // a sum is placed as soon as its operands exist
    std::vector<std::size_t> root_of(from.graph().size(), system_.sums.size());
    for (const Polynomials::Root& r : system_.roots) root_of[r.node] = r.sum;
    std::vector<bool> done(system_.sums.size(), false);
    std::vector<std::size_t> open;
    for (const NodeId id : from.order()) {
      if (root_of[id] < system_.sums.size()) {
        open.push_back(root_of[id]);
        while (!open.empty()) {
          const std::size_t s = open.back();
          std::size_t missing = 0;
          for (const Term& t : system_.sums[s]) {
            for (const Literal l : t.literals) {
              if (is_sum(l) && !done[sum_index(l)]) open.push_back(sum_index(l)), ++missing;
            }
          }
          if (missing > 0) continue;
          open.pop_back();
          if (!done[s]) build(s);
          done[s] = true;
        }
        to_.put(id, built_[root_of[id]]);
        node_depth_[id] = depth_of_[root_of[id]];
      } else if (!is_algebraic(from.graph()[id].op)) {
        to_.put(id, to_.copy(id));
        int deepest = 0;
        for_each_operand(from.graph(), id, [&](NodeId operand) { deepest = std::max(deepest, node_depth_[operand]); });
        const Op op = from.graph()[id].op;
        node_depth_[id] = deepest + (op != Op::constant && op != Op::input);
      }
    }
    Function function = to_.finish();
    carry_names(from, function, to_.graph());
    return function;
  }

 private:
  Expr value(Literal l) { return is_sum(l) ? built_[sum_index(l)] : to_[l]; }
  int depth(Literal l) { return is_sum(l) ? depth_of_[sum_index(l)] : node_depth_[l]; }

  // the product of |k| and the literals
  std::pair<int, Expr> positive(const Term& t) {
    if (t.literals.empty()) return {0, Expr(std::abs(t.k))};
    std::vector<std::pair<int, Expr>> factors;
    for (const Literal l : t.literals) factors.emplace_back(depth(l), value(l));
    if (std::abs(t.k) != 1.0) factors.emplace_back(0, Expr(std::abs(t.k)));
    return joined(factors, [](const Expr& a, const Expr& b) { return a * b; });
  }

  void build(std::size_t s) {
    const Terms& terms = system_.sums[s];
    if (terms.empty()) {
      built_[s] = Expr(0.0);
      return;
    }
    std::vector<std::pair<int, Expr>> operands;
    for (const Term& t : terms) {
      const auto [d, e] = positive(t);
      operands.emplace_back(d, t.k < 0.0 ? -e : e);
    }
    std::tie(depth_of_[s], built_[s]) = joined(operands, [](const Expr& a, const Expr& b) { return a + b; });
  }

  Rewrite to_;
  const Polynomials& system_;
  std::vector<Expr> built_;
  std::vector<int> depth_of_, node_depth_;
};

void add_product(Terms& out, const Term& a, const Terms& sum) {
  for (const Term& t : sum) out.push_back(product(a, t));
}

}  // namespace

Term product(const Term& a, const Term& b) {
  Term both{a.k * b.k, {}};
  both.literals.resize(a.literals.size() + b.literals.size());
  std::merge(a.literals.begin(), a.literals.end(), b.literals.begin(), b.literals.end(), both.literals.begin());
  return both;
}

void collect(Terms& terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.literals < b.literals; });
  Terms out;
  for (std::size_t i = 0; i < terms.size();) {
    double k = 0.0, largest = 0.0;
    std::size_t j = i;
    for (; j < terms.size() && terms[j].literals == terms[i].literals; ++j) {
      k += terms[j].k;
      largest = std::max(largest, std::abs(terms[j].k));
    }
    if (std::abs(k) > 1e-15 * largest) out.push_back({k, std::move(terms[i].literals)});
    i = j;
  }
  terms = std::move(out);
}

Polynomials polynomials(const Function& function) {
  const Graph& graph = function.graph();
  Polynomials system;
  std::vector<Literal> literal(graph.size(), 0);
  std::vector<bool> root(graph.size(), false);
  for (const NodeId r : function.results()) root[r] = true;
  for (const NodeId id : function.order()) {
    if (!is_algebraic(graph[id].op)) for_each_operand(graph, id, [&](NodeId operand) { root[operand] = true; });
  }
  for (const NodeId id : function.order()) {
    const Node& n = graph[id];
    Terms terms;
    switch (n.op) {
      case Op::constant:
        if (!std::isfinite(n.value)) {  // not a coefficient: it would absorb or lose other terms
          literal[id] = id;
          continue;
        }
        terms = {{n.value, {}}};
        break;
      case Op::neg: terms = {{-1.0, {literal[n.a]}}}; break;
      case Op::add: terms = {{1.0, {literal[n.a]}}, {1.0, {literal[n.b]}}}; break;
      case Op::sub: terms = {{1.0, {literal[n.a]}}, {-1.0, {literal[n.b]}}}; break;
      case Op::mul:
        terms = {{1.0, {std::min(literal[n.a], literal[n.b]), std::max(literal[n.a], literal[n.b])}}};
        break;
      default: literal[id] = id; continue;
    }
    literal[id] = sum_literal(system.sums.size());
    if (root[id]) system.roots.push_back({id, system.sums.size()});
    system.sums.push_back(std::move(terms));
  }
  return system;
}

Function rebuilt(const Function& function, const Polynomials& system) { return Builder(function, system).run(); }

std::vector<std::size_t> topological(const Polynomials& system) {
  enum : std::uint8_t { fresh, entered, done };
  std::vector<std::uint8_t> state(system.sums.size(), fresh);
  std::vector<std::size_t> order, open;
  for (const Polynomials::Root& r : system.roots) {
    open.push_back(r.sum);
    while (!open.empty()) {
      const std::size_t s = open.back();
      if (state[s] == fresh) {
        state[s] = entered;
        for (const Term& t : system.sums[s]) {
          for (const Literal l : t.literals) {
            if (is_sum(l) && state[sum_index(l)] == fresh) open.push_back(sum_index(l));
          }
        }
      } else {
        open.pop_back();
        if (state[s] == entered) order.push_back(s);
        state[s] = done;
      }
    }
  }
  return order;
}

Polynomials flattened(const Polynomials& system, const Flattening& how) {
  const std::vector<std::size_t> order = topological(system);
  // Uses after expansion: the content of an expanded term counts for its users.
  const auto is_dissolved = [&](std::size_t s) {
    return how.dissolve != nullptr && s < how.dissolve->size() && (*how.dissolve)[s];
  };
  std::vector<int> uses(system.sums.size(), 0);
  const auto is_passed_on = [&](std::size_t s, const Terms& t) {
    if (t.size() > 1) return false;
    return t.empty() || t[0].literals.size() <= 1 || (how.products && (how.shared_products || uses[s] == 1));
  };
  for (const Polynomials::Root& r : system.roots) uses[r.sum] += 1;
  for (auto s = order.rbegin(); s != order.rend(); ++s) {
    const int weight = is_passed_on(*s, system.sums[*s]) || is_dissolved(*s) ? uses[*s] : 1;
    for (const Term& t : system.sums[*s]) {
      for (const Literal l : t.literals) {
        if (is_sum(l)) uses[sum_index(l)] += weight;
      }
    }
  }
  Polynomials out;
  out.sums.resize(system.sums.size());
  out.roots = system.roots;
  for (const std::size_t s : order) {
    Terms terms;
    for (const Term& t : system.sums[s]) {
      Term kept{t.k, {}};
      std::vector<std::size_t> written_out;  // sums to be expanded
      for (const Literal l : t.literals) {
        const std::size_t q = is_sum(l) ? sum_index(l) : 0;
        if (!is_sum(l)) {
          kept.literals.push_back(l);
        } else if (is_passed_on(q, out.sums[q]) &&
                   (out.sums[q].empty() || kept.literals.size() + out.sums[q][0].literals.size() <= kLongestProduct)) {
          kept = out.sums[q].empty() ? Term{0.0, {}} : product(kept, out.sums[q][0]);
        } else if (is_dissolved(q)) {
          written_out.push_back(q);
        } else {
          kept.literals.push_back(l);
        }
        std::sort(kept.literals.begin(), kept.literals.end());
      }
      if (kept.k == 0.0) continue;
      if (kept.literals.size() == 1 && is_sum(kept.literals[0]) && written_out.empty()) {
        const std::size_t q = sum_index(kept.literals[0]);
        const bool fits = terms.size() + out.sums[q].size() <= kLongestSum;
        if (fits && ((how.sums && uses[q] == 1) || how.shared_sums)) {
          add_product(terms, {kept.k, {}}, out.sums[q]);
          continue;
        }
      }
      Terms expanded{kept};
      for (const std::size_t q : written_out) {
        Terms next;
        for (const Term& e : expanded) add_product(next, e, out.sums[q]);
        expanded = std::move(next);
      }
      terms.insert(terms.end(), expanded.begin(), expanded.end());
    }
    collect(terms);
    out.sums[s] = std::move(terms);
  }
  return out;
}

}  // namespace lw
