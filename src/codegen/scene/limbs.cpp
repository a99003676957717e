#include "limbs.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../graph/outline.hpp"
#include "../../graph/rewrite.hpp"

namespace lw {
namespace {

template <class T>
std::vector<std::size_t> subtree(const CanonicalTree<T>& tree, std::size_t root) {
  std::vector<std::size_t> links{root};
  std::vector<bool> in(tree.links.size(), false);
  in[root] = true;
  for (std::size_t i = root + 1; i < tree.links.size(); ++i) {
    if (tree.links[i].parent < 0 || !in[at(tree.links[i].parent)]) continue;
    in[i] = true;
    links.push_back(i);
  }
  return links;
}

template <class T>
bool are_equal(const CanonicalTree<T>& tree, const Model<T>& model, const std::vector<std::size_t>& a,
               const std::vector<std::size_t>& b) {
  if (a.size() != b.size()) return false;
  std::map<int, int> twin;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto &x = tree.links[a[k]], &y = tree.links[b[k]];
    const Body<T>&p = model.bodies[at(x.body)], &q = model.bodies[at(y.body)];
    if (x.kind != y.kind || x.parallel != y.parallel || x.quarters != y.quarters || p.mimics || q.mimics) return false;
    if (k > 0 && twin.at(x.parent) != y.parent) return false;
    twin[static_cast<int>(a[k])] = static_cast<int>(b[k]);
  }
  return true;
}

using Limbs = std::uint64_t;  // one bit per limb
constexpr Limbs kAll = ~Limbs{0};

bool is_one(Limbs limbs) { return std::popcount(limbs) == 1; }
bool are_several(Limbs limbs) { return std::popcount(limbs) > 1; }

// The limbs on whose state each node depends.
std::vector<Limbs> dependence(const Function& function, const std::vector<Limbs>& of_input) {
  const Graph& graph = function.graph();
  std::vector<Limbs> from(graph.size(), 0);
  for (const NodeId id : function.order()) {
    if (graph[id].op == Op::input) from[id] = of_input[graph[id].a];
    for_each_operand(graph, id, [&](NodeId operand) { from[id] |= from[operand]; });
  }
  return from;
}

// Sums over several limbs are first added up within each limb, so that a limb passes on one number instead of many.
Function added_up_by_limb(const Function& function, const std::vector<Limbs>& of_input) {
  const Graph& graph = function.graph();
  const std::vector<Limbs> from = dependence(function, of_input);
  std::vector<int> uses(graph.size(), 0);
  for (const NodeId id : function.order()) for_each_operand(graph, id, [&](NodeId operand) { ++uses[operand]; });
  for (const NodeId r : function.results()) ++uses[r];
  const auto is_sum = [&](NodeId id) { return graph[id].op == Op::add || graph[id].op == Op::sub; };

  // a key of what a node computes, equal for equal limbs; it determines the order of terms and the first sign
  std::vector<std::size_t> shape(graph.size(), 0);
  for (const NodeId id : function.order()) {
    const Op op = graph[id].op;
    std::vector<std::size_t> parts;
    for_each_operand(graph, id, [&](NodeId operand) { parts.push_back(shape[operand]); });
    if ((op == Op::add || op == Op::mul) && parts[1] < parts[0]) std::swap(parts[0], parts[1]);
    shape[id] = static_cast<std::size_t>(op) + (op == Op::input && from[id] == 0 ? 100 : 0);
    for (const std::size_t p : parts) shape[id] = (shape[id] ^ p) * 0x9e3779b97f4a7c15ULL + (shape[id] >> 29);
  }

  struct Term {
    NodeId node;
    bool minus;
  };
  Rewrite to(function);
  const auto total = [&](NodeId root) {
    std::vector<Term> open{{root, false}};
    std::vector<Term> rest;
    std::map<Limbs, std::vector<Term>> own;
    while (!open.empty()) {
      const Term t = open.back();
      open.pop_back();
      const Node& n = graph[t.node];
      if (t.node == root || (uses[t.node] == 1 && from[t.node] != 0)) {
        if (is_sum(t.node)) {
          open.push_back({n.b, t.minus != (n.op == Op::sub)});
          open.push_back({n.a, t.minus});
          continue;
        }
        if (n.op == Op::neg) {
          open.push_back({n.a, !t.minus});
          continue;
        }
      }
      (is_one(from[t.node]) ? own[from[t.node]] : rest).push_back(t);
    }
    std::optional<Expr> sum;
    const auto add = [&sum](const Expr& e, bool minus) { sum = !sum ? (minus ? -e : e) : minus ? *sum - e : *sum + e; };
    for (auto& [limb, terms] : own) {
      std::stable_sort(terms.begin(), terms.end(),
                       [&](const Term& a, const Term& b) { return shape[a.node] < shape[b.node]; });
      Expr part = to[terms[0].node];
      const bool minus = terms[0].minus;
      for (std::size_t k = 1; k < terms.size(); ++k) {
        part = terms[k].minus == minus ? part + to[terms[k].node] : part - to[terms[k].node];
      }
      add(part, minus);
    }
    for (const Term& t : rest)
      add(to[t.node], t.minus);  // last, so that limbs are added to each other and not to the carrier
    return *sum;
  };
  for (const NodeId id : function.order()) to.put(id, are_several(from[id]) && is_sum(id) ? total(id) : to.copy(id));
  return to.finish();
}

}  // namespace

template <class T>
std::vector<LimbGroup> equal_limbs(const CanonicalTree<T>& tree, const Model<T>& model) {
  std::vector<LimbGroup> groups;
  std::vector<bool> taken(tree.links.size(), false);
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    if (taken[i]) continue;
    LimbGroup group{{subtree(tree, i)}};
    for (std::size_t j = i + 1; j < tree.links.size(); ++j) {
      if (taken[j] || tree.links[j].parent != tree.links[i].parent) continue;
      std::vector<std::size_t> other = subtree(tree, j);
      if (are_equal(tree, model, group.limbs[0], other)) group.limbs.push_back(std::move(other));
    }
    if (group.limbs.size() < 2) continue;
    for (const auto& limb : group.limbs) {
      for (const std::size_t k : limb) taken[k] = true;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}
template std::vector<LimbGroup> equal_limbs(const CanonicalTree<double>&, const Model<double>&);
template std::vector<LimbGroup> equal_limbs(const CanonicalTree<Expr>&, const Model<Expr>&);

namespace {

// Every number of a link and of its joint.
template <class Visit>
void for_each_number(CanonicalTree<Expr>::Link& link, Body<Expr>& body, const Visit& visit) {
  for (int c = 0; c < 3; ++c) {
    visit(link.p[c]);
    visit(link.inertia.h[c]);
    for (int r = 0; r < 3; ++r) visit(link.B(r, c));
    for (int r = 0; r <= c; ++r) visit(link.inertia.E(r, c));
  }
  for (Expr* e : {&link.offset, &link.inertia.m, &link.mean, &link.spread, &body.armature, &body.stiffness, &body.rest,
                  &body.ratio}) {
    visit(*e);
  }
}

void make_symmetric(Mat3<Expr>& E) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < c; ++r) E(c, r) = E(r, c);
  }
}

}  // namespace

void make_limbs_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::vector<LimbGroup>& groups,
                      const std::function<Expr(double)>& symbol) {
  for (const LimbGroup& group : groups) {
    for (std::size_t k = 0; k < group.limbs[0].size(); ++k) {
      std::vector<std::vector<Expr*>> numbers;  // of the k-th link of each limb
      for (const auto& limb : group.limbs) {
        auto& link = tree.links[limb[k]];
        for_each_number(link, model.bodies[at(link.body)],
                        [&, &list = numbers.emplace_back()](Expr& e) { list.push_back(&e); });
      }
      for (std::size_t n = 0; n < numbers[0].size(); ++n) {
        const Expr first = *numbers[0][n];
        const bool same =
            std::all_of(numbers.begin(), numbers.end(), [&](const auto& list) { return *list[n] == first; });
        const bool constant =
            std::all_of(numbers.begin(), numbers.end(), [&](const auto& list) { return list[n]->is_constant(); });
        if (same || !constant) continue;
        for (const auto& list : numbers) *list[n] = symbol(list[n]->constant());
      }
      for (const auto& limb : group.limbs) make_symmetric(tree.links[limb[k]].inertia.E);
    }
  }
}

void make_links_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::function<Expr(double)>& symbol) {
  for (auto& link : tree.links) {
    for_each_number(link, model.bodies[at(link.body)], [&](Expr& e) {
      if (!e.is_constant() || e.is_constant(0.0) || e.is_constant(1.0) || e.is_constant(-1.0)) return;
      e = symbol(e.constant());
    });
    make_symmetric(link.inertia.E);
  }
}

Function with_steps_called(const Function& function, const std::vector<double>& values) {
  const Graph& graph = function.graph();
  const std::size_t first_symbol = function.input_size() - values.size();
  std::vector<bool> is_number(graph.size(), true);  // depends only on symbols
  Regions sections(graph.size(), -1);
  for (const NodeId id : function.order()) {
    if (graph[id].op == Op::input) is_number[id] = graph[id].a >= first_symbol;
    for_each_operand(graph, id, [&](NodeId operand) { is_number[id] = is_number[id] && is_number[operand]; });
    if (!is_number[id]) sections[id] = graph.section_of(id);
  }
  const Function called = outlined(function, sections, function.name() + "_step", 8, is_number);
  return values.empty() ? called : with_numbers(called, values);
}

Function with_limbs_called(const Function& function, const Model<double>& model, const std::vector<LimbGroup>& groups,
                           const std::vector<double>& values) {
  // the limb of each coordinate and velocity
  std::vector<int> of_q(at(model.nq), -1), of_v(at(model.nv), -1);
  int limbs = 0;
  for (const LimbGroup& group : groups) {
    for (const auto& limb : group.limbs) {
      for (const std::size_t i : limb) {
        const Body<double>& b = model.bodies[i];
        const int coordinates = b.velocities() == 1 ? 1 : b.velocities() + 1;
        for (int k = 0; k < coordinates; ++k) of_q[at(b.q + k)] = limbs;
        for (int k = 0; k < b.velocities(); ++k) of_v[at(b.v + k)] = limbs;
      }
      ++limbs;
    }
  }
  require(limbs < 63, "more than 62 equal limbs are not supported");
  const auto bit = [](int limb) { return limb < 0 ? Limbs{0} : Limbs{1} << limb; };
  std::vector<Limbs> of_input, of_result;
  for (const Group& g : function.inputs()) {
    for (std::size_t k = 0; k < g.size; ++k) {
      of_input.push_back(g.name == "q" ? bit(of_q[k]) : g.size == of_v.size() ? bit(of_v[k]) : 0);
    }
  }
  for (const Group& g : function.outputs()) {
    for (std::size_t k = 0; k < g.size; ++k) {
      const std::size_t n =
          of_v.size();  // groups with one entry per velocity or per pair of velocities belong to limbs, others to all
      const Limbs owner = g.rows == n && g.size == n * n ? bit(of_v[k % n]) | bit(of_v[k / n])
                          : g.rows == 0 && g.size == n   ? bit(of_v[k])
                                                         : Limbs{0};
      of_result.push_back(std::popcount(owner) == 1 ? owner : kAll);
    }
  }
  const Function added = added_up_by_limb(function, of_input);
  const Graph& graph = added.graph();
  const std::vector<Limbs> from = dependence(added, of_input);
  std::vector<Limbs> to(graph.size(), 0);  // the limbs whose results need each node
  for (std::size_t r = 0; r < added.results().size(); ++r) to[added.results()[r]] |= of_result[r];
  for (auto it = added.order().rbegin(); it != added.order().rend(); ++it) {
    for_each_operand(graph, *it, [&](NodeId operand) { to[operand] |= to[*it]; });
  }
  Regions regions(graph.size(), -1);
  for (const NodeId id : added.order()) {
    if (is_one(from[id]))
      regions[id] = std::countr_zero(from[id]);
    else if (are_several(from[id]) && is_one(to[id]))
      regions[id] = limbs + std::countr_zero(to[id]);
  }
  const Function called = outlined(added, regions, function.name() + "_limb");
  // symbols become numbers again, and so does everything that depends only on them
  return values.empty() ? called : with_numbers(called, values);
}

}  // namespace lw
