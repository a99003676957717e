#include "clusters.hpp"

#include <algorithm>
#include <map>

#include "../base/index.hpp"

namespace lw {
namespace {

bool is_operation(Op op) { return op != Op::constant && op != Op::input && op != Op::neg && op != Op::output; }

void keep_each_once(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Clusters::Clusters(const Function& function, const std::vector<double>& weight)
    : function_(function), operation_of_(function.graph().size(), -1) {
  const Graph& graph = function.graph();
  for (const NodeId id : function.order()) {
    const Op op = graph[id].op;
    if (op == Op::neg || op == Op::output) operation_of_[id] = operation_of_[graph[id].a];
    if (!is_operation(op)) continue;
    operation_of_[id] = static_cast<int>(operands_.size());
    std::vector<int>& operands = operands_.emplace_back();
    for_each_operand(graph, id, [&](NodeId operand) {
      if (operation_of_[operand] >= 0) operands.push_back(operation_of_[operand]);
    });
    keep_each_once(operands);
    parent_.push_back(operation_of_[id]);
    weight_.push_back(weight[id]);
  }
}

int Clusters::of(int operation) const {
  while (parent_[at(operation)] != operation) operation = parent_[at(operation)];
  return operation;
}

void Clusters::join(int kept, int gone) {
  parent_[at(gone)] = kept;
  weight_[at(kept)] += weight_[at(gone)];
}

Clusters::Quotient Clusters::quotient() const {
  const std::size_t n = operands_.size();
  Quotient q{std::vector<std::vector<int>>(n), std::vector<std::vector<int>>(n), {}, std::vector<int>(n, 0)};
  for (std::size_t k = 0; k < n; ++k) {
    const int c = of(static_cast<int>(k));
    for (const int operand : operands_[k]) {
      if (of(operand) != c) q.before[at(c)].push_back(of(operand));
    }
  }
  std::vector<int> waits(n, 0), ready;
  for (std::size_t c = 0; c < n; ++c) {
    if (of(static_cast<int>(c)) != static_cast<int>(c)) continue;
    keep_each_once(q.before[c]);
    for (const int b : q.before[c]) q.after[at(b)].push_back(static_cast<int>(c));
    waits[c] = static_cast<int>(q.before[c].size());
    if (waits[c] == 0) ready.push_back(static_cast<int>(c));
  }
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto c = at(ready[k]);
    for (const int a : q.after[c]) {
      const auto next = at(a);
      q.layer[next] = std::max(q.layer[next], q.layer[c] + 1);
      if (--waits[next] == 0) ready.push_back(a);
    }
  }
  q.order = std::move(ready);
  return q;
}

void Clusters::join_readers(double most) {
  const std::size_t n = operands_.size();
  std::vector<std::vector<int>> readers(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (const int operand : operands_[k]) readers[at(operand)].push_back(static_cast<int>(k));
  }
  // from the end, so that no operation is joined before its turn
  for (std::size_t k = n; k-- > 0;) {
    if (readers[k].empty()) continue;
    const int reader = of(readers[k].front());
    const bool sole = std::all_of(readers[k].begin(), readers[k].end(), [&](int r) { return of(r) == reader; });
    if (sole && weight_[at(reader)] + weight_[k] <= most) join(reader, static_cast<int>(k));
  }
}

void Clusters::join_layers(double most) {
  const Quotient q = quotient();
  std::vector<int> order = q.order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const auto i = at(a), j = at(b);
    return q.layer[i] != q.layer[j] ? q.layer[i] < q.layer[j] : weight_[i] > weight_[j];
  });
  std::vector<int> open;  // clusters of the layer with room left
  int layer = -1;
  for (const int c : order) {
    const auto k = at(c);
    if (q.layer[k] != layer) open.clear();
    layer = q.layer[k];
    const auto place =
        std::find_if(open.begin(), open.end(), [&](int o) { return weight_[at(o)] + weight_[k] <= most; });
    if (place == open.end()) {
      if (weight_[k] < most) open.push_back(c);
      continue;
    }
    join(*place, c);
    if (weight_[at(*place)] >= most) open.erase(place);
  }
}

void Clusters::join_labels(const std::vector<int>& label_of_node) {
  const std::size_t n = operands_.size();
  std::vector<int> label(n, -1);
  for (const NodeId id : function_.order()) {
    if (is_operation(function_.graph()[id].op)) label[at(operation_of_[id])] = label_of_node[id];
  }
  // How often labels change on the longest path to an operation. Edges between clusters of (label, changes) increase
  // the number of changes, so there are no cycles.
  std::vector<int> changes(n, 0);
  std::map<std::pair<int, int>, int> cluster;
  for (std::size_t k = 0; k < n; ++k) {
    for (const int operand : operands_[k]) {
      const auto o = at(operand);
      changes[k] = std::max(changes[k], changes[o] + (label[o] != label[k] ? 1 : 0));
    }
    const auto [place, fresh] = cluster.try_emplace({label[k], changes[k]}, static_cast<int>(k));
    if (!fresh) join(place->second, static_cast<int>(k));
  }
  join_fragments(label);
}

// Clusters of one label that differ in `changes` only.
void Clusters::join_fragments(const std::vector<int>& label) {
  constexpr std::size_t kLongestSearch = 3000;  // visited clusters; what takes longer is not joined
  Quotient q = quotient();
  std::map<int, std::vector<int>> fragments;
  for (const int c : q.order) fragments[label[at(c)]].push_back(c);
  for (auto& [name, list] : fragments) {
    for (std::size_t k = 1; k < list.size(); ++k) {
      const int first = list[k - 1], second = list[k];
      // whether a path leads from one to the other through a third
      const auto leads = [&](int from, int to) {
        std::vector<int> stack;
        std::vector<bool> seen(q.layer.size(), false);
        const auto visit = [&](int c) {
          if (c == to || seen[at(c)] || q.layer[at(c)] >= q.layer[at(to)]) return;
          seen[at(c)] = true;
          stack.push_back(c);
        };
        for (const int c : q.after[at(from)]) visit(c);
        for (std::size_t visits = 0; !stack.empty(); ++visits) {
          if (visits > kLongestSearch) return true;
          const int c = stack.back();
          stack.pop_back();
          for (const int a : q.after[at(c)]) {
            if (a == to) return true;
            visit(a);
          }
        }
        return false;
      };
      if (leads(first, second) || leads(second, first)) continue;
      join(first, second);
      list[k] = first;
      q = quotient();
    }
  }
}

// Results one after the other, each preceded by everything that it still needs.
std::vector<int> Clusters::depth_first(const Quotient& q) const {
  std::vector<int> state(q.layer.size(), 0), order, stack;
  for (const NodeId r : function_.results()) {
    if (operation_of_[r] < 0) continue;
    stack.push_back(of(operation_of_[r]));
    while (!stack.empty()) {
      const int c = stack.back();
      const auto k = at(c);
      if (state[k] == 0) {
        state[k] = 1;
        for (const int b : q.before[k]) {
          if (state[at(b)] == 0) stack.push_back(b);
        }
        continue;
      }
      stack.pop_back();
      if (state[k] == 1) order.push_back(c);
      state[k] = 2;
    }
  }
  return order;
}

void Clusters::join_neighbours(double most) {
  const auto sole = [&](const std::vector<int>& list, int self) {
    int only = -1;
    for (const int c : list) {
      if (of(c) == self || of(c) == only) continue;
      if (only >= 0) return -1;
      only = of(c);
    }
    return only;
  };
  const auto join_if_light = [&](int kept, int gone) {
    if (kept >= 0 && weight_[at(kept)] + weight_[at(gone)] <= most) join(kept, gone);
  };
  // in an order in which the clusters that are joined have not grown yet
  const Quotient readers = quotient();
  for (auto c = readers.order.rbegin(); c != readers.order.rend(); ++c)
    join_if_light(sole(readers.after[at(*c)], *c), *c);
  const Quotient read = quotient();
  for (const int c : read.order) join_if_light(sole(read.before[at(c)], c), c);
}

void Clusters::join_strands(int strands, int windows, double most) {
  const Quotient q = quotient();
  const std::vector<int> order = depth_first(q);
  double all = 0.0, longest = 0.0, so_far = 0.0;
  std::vector<double> finish(q.layer.size(), 0.0), start(q.layer.size(), 0.0);
  for (const int c : order) {
    const auto k = at(c);
    for (const int b : q.before[k]) start[k] = std::max(start[k], finish[at(b)]);
    finish[k] = start[k] + weight_[k];
    longest = std::max(longest, finish[k]);
    all += weight_[k];
  }
  // Edges never lead to an earlier phase, and to a later one if the strand changes, so there are no cycles.
  std::vector<int> strand(q.layer.size(), 0), phase(q.layer.size(), 0);
  std::map<std::pair<int, int>, int> cluster;
  for (const int c : order) {
    const auto k = at(c);
    strand[k] = all > 0.0 ? std::min(strands - 1, static_cast<int>(so_far / all * strands)) : 0;
    so_far += weight_[k];  // nothing is joined to it yet
    phase[k] = longest > 0.0 ? std::min(windows - 1, static_cast<int>(start[k] / longest * windows)) : 0;
    for (const int b : q.before[k]) {
      const auto o = at(b);
      phase[k] = std::max(phase[k], phase[o] + (strand[o] != strand[k] ? 1 : 0));
    }
    for (;; ++phase[k]) {
      const auto [place, fresh] = cluster.try_emplace({strand[k], phase[k]}, c);
      if (fresh) break;
      const auto kept = at(place->second);
      if (weight_[kept] + weight_[k] > most) continue;
      join(place->second, c);
      break;
    }
  }
}

std::vector<std::vector<NodeId>> Clusters::members() const {
  const Quotient q = quotient();
  std::vector<int> place(q.layer.size(), -1);
  for (std::size_t k = 0; k < q.order.size(); ++k) place[at(q.order[k])] = static_cast<int>(k);
  std::vector<std::vector<NodeId>> list(q.order.size());
  for (const NodeId id : function_.order()) {
    const int operation = operation_of_[id];
    if (operation >= 0) list[at(place[at(of(operation))])].push_back(id);
  }
  return list;
}

}  // namespace lw
