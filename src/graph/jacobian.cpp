#include "jacobian.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include "../base/error.hpp"
#include "evaluated.hpp"
#include "objective.hpp"
#include "partials.hpp"
#include "tangent.hpp"

namespace lw {
namespace {

class LinearGraph {
 public:
  LinearGraph(const Evaluated& at, const std::vector<std::size_t>& along)
      : at_(at), source_(at.function().graph().size(), false) {
    const Function& f = at.function();
    const Graph& from = f.graph();
    into_.resize(from.size() + f.output_size());
    out_of_.resize(into_.size());
    is_along_.assign(f.input_size(), false);
    for (const std::size_t k : along) is_along_[k] = true;
    for (const NodeId id : f.order()) {
      const Node& n = from[id];
      switch (n.op) {
        case Op::constant: break;
        case Op::input: source_[id] = is_along_[n.a]; break;
        case Op::call: call(id, from.calls()[n.a]); break;
        case Op::solve: solve(id, from.solves()[n.a]); break;
        case Op::output:
          if (!nested_.contains(n.a)) break;
          for (const auto& [operand, d] : nested_.at(n.a)[n.b]) connect(operand, id, d);
          break;
        default: operation(id);
      }
    }
    for (std::size_t k = 0; k < f.output_size(); ++k)
      connect(f.results()[k], static_cast<NodeId>(from.size() + k), 1.0);
  }

  void eliminate(Elimination order) {
    std::vector<NodeId> between;
    for (const NodeId id : at_.function().order()) {
      if (!source_[id] && !into_[id].empty()) between.push_back(id);
    }
    if (order == Elimination::reverse) std::reverse(between.begin(), between.end());
    if (order == Elimination::forward || order == Elimination::reverse) {
      for (const NodeId id : between) take_out(id);
      return;
    }
    struct Candidate {
      int cost;
      NodeId place, id;
      bool operator<(const Candidate& o) const { return cost != o.cost ? cost > o.cost : place > o.place; }
    };
    std::priority_queue<Candidate> queue;
    std::vector<int> known(into_.size(), -1);  // the cost with which it is in the queue
    std::vector<NodeId> place(into_.size());
    for (std::size_t k = 0; k < between.size(); ++k) {
      place[between[k]] = static_cast<NodeId>(k);
    }
    const auto enter = [&](NodeId id) {
      const int now = cost_of(id);
      if (now == known[id]) return;
      known[id] = now;
      queue.push({now, place[id], id});
    };
    std::vector<bool> is_between(into_.size(), false);
    for (const NodeId id : between) {
      is_between[id] = true;
      enter(id);
    }
    while (!queue.empty()) {
      const Candidate next = queue.top();
      queue.pop();
      if (!is_between[next.id] || next.cost != known[next.id]) continue;
      is_between[next.id] = false;
      std::vector<NodeId> around = out_of_[next.id];
      for (const Edge& e : into_[next.id]) around.push_back(e.from);
      take_out(next.id);
      for (const NodeId id : around) {
        if (is_between[id]) enter(id);
      }
    }
  }

  // After the elimination: by columns.
  std::vector<Expr> entries(const std::vector<std::size_t>& along) const {
    const Function& f = at_.function();
    const std::size_t rows = f.output_size(), nodes = f.graph().size();
    std::vector<std::vector<std::size_t>> columns(f.input_size());
    for (std::size_t k = 0; k < along.size(); ++k) columns[along[k]].push_back(k);
    std::vector<Expr> J(rows * along.size(), Expr(0.0));
    for (std::size_t r = 0; r < rows; ++r) {
      for (const Edge& e : into_[nodes + r]) {
        for (const std::size_t c : columns[f.graph()[e.from].a]) J[c * rows + r] = e.d;
      }
    }
    return J;
  }

 private:
  struct Edge {
    NodeId from;
    Expr d;
  };

  bool moves(NodeId id) const { return source_[id] || !into_[id].empty(); }

  void connect(NodeId from, NodeId to, const Expr& d) {
    if (d.is_constant(0.0) || !moves(from)) return;
    for (Edge& e : into_[to]) {
      if (e.from != from) continue;
      e.d += d;
      if (e.d.is_constant(0.0)) disconnect(from, to);
      return;
    }
    into_[to].push_back({from, d});
    out_of_[from].push_back(to);
  }
  void disconnect(NodeId from, NodeId to) {
    std::erase_if(into_[to], [&](const Edge& e) { return e.from == from; });
    std::erase(out_of_[from], to);
  }

  void operation(NodeId id) {
    const Operands o = operands_of(at_.function().graph(), id);
    bool any = false;
    for (std::size_t k = 0; k < o.count; ++k) any = any || moves(o.id[k]);
    if (!any) return;
    const Partials p = at_.partials_of(id);
    for (std::size_t k = 0; k < o.count; ++k) {
      connect(o.id[k], id, p.is_switch ? select(p.condition, p.where_true[k], p.where_false[k]) : p.of[k]);
    }
  }

  void call(NodeId id, const Call& call) {
    const std::vector<NodeId>& arguments = call.arguments;
    if (std::none_of(arguments.begin(), arguments.end(), [&](NodeId a) { return moves(a); })) return;
    const CalledDerivatives::Pointer J = called_.jacobian(*call.function);
    const std::vector<Expr> entries = at_.graph().call(J, at_.all(arguments));
    auto& outputs = nested_[id];
    const std::size_t rows = call.function->output_size();
    outputs.resize(rows);
    for (std::size_t c = 0; c < arguments.size(); ++c) {
      for (std::size_t r = 0; r < rows; ++r) {
        const Node& entry = J->graph()[J->results()[c * rows + r]];  // constants are not taken from the call
        const Expr d = entry.op == Op::constant ? Expr(entry.value) : entries[c * rows + r];
        if (!d.is_constant(0.0)) outputs[r].push_back({arguments[c], d});
      }
    }
  }

  void solve(NodeId id, const Solve& solve) {
    const std::size_t n = solve.guess.size(), m = solve.arguments.size();
    const std::vector<Expr> p = at_.all(solve.arguments);
    auto& outputs = nested_[id];
    outputs.resize(solve.outputs());  // residuals and orientation have none
    if (solve.step != nullptr) {
      std::vector<Expr> there = at_.unknowns_of(id);
      there.insert(there.end(), p.begin(), p.end());
      const CalledDerivatives::Pointer J = called_.jacobian(*solve.step);
      const std::vector<Expr> entries = at_.graph().call(J, there);
      for (std::size_t c = 0; c < m; ++c) {
        if (!moves(solve.arguments[c])) continue;
        for (std::size_t r = 0; r < n; ++r) {
          const std::size_t k = (n + c) * n + r;
          const Node& entry = J->graph()[J->results()[k]];
          const Expr d = entry.op == Op::constant ? Expr(-entry.value) : -entries[k];
          if (!d.is_constant(0.0)) outputs[r].push_back({solve.arguments[c], d});
        }
      }
      return;
    }
    for (std::size_t c = 0; c < m; ++c) {
      if (!moves(solve.arguments[c])) continue;
      std::vector<Expr> rest = at_.unknowns_of(id);
      rest.insert(rest.end(), p.begin(), p.end());
      for (std::size_t k = 0; k < m; ++k) rest.push_back(k == c ? 1.0 : 0.0);
      const std::vector<Expr> rates =
          at_.graph().solve(called_.linear(*solve.residual), std::vector<Expr>(n, Expr(0.0)), rest, 1).unknowns;
      for (std::size_t r = 0; r < n; ++r) outputs[r].push_back({solve.arguments[c], rates[r]});
    }
  }

  static bool is_free(const Expr& a, const Expr& b) {
    const auto one = [](const Expr& e) { return e.is_constant(1.0) || e.is_constant(-1.0); };
    return one(a) || one(b) || (a.is_constant() && b.is_constant());
  }

  const Edge* edge(NodeId from, NodeId to) const {
    for (const Edge& e : into_[to]) {
      if (e.from == from) return &e;
    }
    return nullptr;
  }

  // Multiplications, and additions if the edge already exists.
  int cost_of(NodeId id) const {
    int total = 0;
    for (const NodeId to : out_of_[id]) {
      const Expr& d = edge(id, to)->d;
      for (const Edge& e : into_[id]) {
        if (!is_free(d, e.d)) ++total;
        if (edge(e.from, to) != nullptr) ++total;
      }
    }
    return total;
  }

  void take_out(NodeId id) {
    const std::vector<Edge> from = into_[id];
    const std::vector<NodeId> to = out_of_[id];
    std::vector<Expr> weights;
    for (const NodeId w : to) weights.push_back(edge(id, w)->d);
    for (const Edge& e : from) disconnect(e.from, id);
    for (std::size_t k = 0; k < to.size(); ++k) {
      std::erase_if(into_[to[k]], [&](const Edge& e) { return e.from == id; });
      for (const Edge& e : from) connect(e.from, to[k], weights[k] * e.d);
    }
    out_of_[id].clear();
  }

  const Evaluated& at_;
  std::vector<bool> source_, is_along_;
  std::vector<std::vector<Edge>> into_;
  std::vector<std::vector<NodeId>> out_of_;
  std::map<NodeId, std::vector<std::vector<Edge>>> nested_;  // dependencies of the outputs of calls and solves
  CalledDerivatives called_;
};

}  // namespace

std::vector<Expr> jacobian_at(const Function& f, const std::vector<Expr>& x, const std::vector<std::size_t>& along,
                              Elimination order) {
  if (switches_singularities(f)) {
    std::vector<Expr> J;
    for (const std::size_t k : along) {
      std::vector<Expr> rates(x.size(), Expr(0.0));
      rates[k] = 1.0;
      const std::vector<Expr> column = tangent_at(f, x, rates);
      J.insert(J.end(), column.begin(), column.end());
    }
    return J;
  }
  const Evaluated at(f, x);
  LinearGraph linear(at, along);
  linear.eliminate(order);
  return linear.entries(along);
}

Function jacobian(const Function& f, const std::vector<std::string>& groups, Elimination order) {
  std::vector<std::size_t> along;
  std::vector<Group> outputs;
  std::size_t first = 0;
  for (const Group& g : f.inputs()) {
    const bool wanted = groups.empty() || std::find(groups.begin(), groups.end(), g.name) != groups.end();
    for (std::size_t k = 0; wanted && k < g.size; ++k) along.push_back(first + k);
    if (wanted) outputs.push_back({"d_" + g.name, f.output_size() * g.size, f.output_size()});
    first += g.size;
  }
  require(groups.empty() || outputs.size() == groups.size(),
          "the groups of a Jacobian must be input groups of the function");
  const auto calculation = [&](const Arguments& in, Results& out) {
    std::vector<Expr> x;
    for (const std::vector<Expr>& group : in) x.insert(x.end(), group.begin(), group.end());
    const std::vector<Expr> J = jacobian_at(f, x, along, order);
    std::size_t k = 0;
    for (std::vector<Expr>& group : out) {
      for (Expr& e : group) e = J[k++];
    }
  };
  return trace(f.name() + "-jacobian", f.inputs(), outputs, calculation).with(f.arithmetic());
}

Function jacobian(const Function& f, const std::vector<std::string>& groups) {
  std::optional<Function> best;
  for (const Elimination order : kEliminations) {
    Function J = jacobian(f, groups, order);
    if (!best || operations(J) < operations(*best)) best = std::move(J);
  }
  return *best;
}

}  // namespace lw
