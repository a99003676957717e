#include "schedule.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <queue>

namespace lw {
namespace {

bool is_in_memory(Op op) { return op == Op::constant || op == Op::input; }

// Operands and users of the live nodes, without constants.
struct Dependencies {
  explicit Dependencies(const Function& f) : operands(f.graph().size()), users(f.graph().size()) {
    for (const NodeId id : f.order()) {
      for_each_operand(f.graph(), id, [&](NodeId operand) {
        std::vector<NodeId>& mine = operands[id];
        if (f.graph()[operand].op == Op::constant || std::find(mine.begin(), mine.end(), operand) != mine.end()) return;
        mine.push_back(operand);
        users[operand].push_back(id);
      });
    }
  }
  std::vector<std::vector<NodeId>> operands, users;
};

// Cycles from the start of a node to the last result.
std::vector<int> remaining(const Function& f, const Core& core, const Dependencies& d) {
  std::vector<int> way(f.graph().size(), 0);
  for (auto id = f.order().rbegin(); id != f.order().rend(); ++id) {
    int longest = 0;
    for (const NodeId user : d.users[*id]) longest = std::max(longest, way[user]);
    way[*id] = longest + core.latency(f.graph()[*id].op);
  }
  return way;
}

bool is_free(Op op) {
  return op == Op::constant || op == Op::input || op == Op::neg || op == Op::output || op == Op::sin || op == Op::cos;
}

struct Run {
  std::vector<NodeId> order;
  int cycles = 0;
};

// `registers` 0: unlimited.
Run run(const Function& f, const Core& core, int registers) {
  const Graph& graph = f.graph();
  const Dependencies d(f);
  const std::vector<int> way = remaining(f, core, d);
  std::vector<int> missing(graph.size(), 0), waiting(graph.size(), 0), ready(graph.size(), 0);
  std::vector<bool> is_result(graph.size(), false);
  for (const NodeId r : f.results()) is_result[r] = true;
  Run result;
  struct Later {
    int time;
    NodeId id;
    bool operator<(const Later& o) const { return time != o.time ? time > o.time : id > o.id; }
  };
  std::priority_queue<Later> later;
  std::vector<NodeId> now;
  int alive = 0;
  // A node was evaluated: its users may follow, its operands may die.
  const auto done = [&](NodeId id, int time) {
    result.order.push_back(id);
    result.cycles = std::max(result.cycles, time);
    waiting[id] = static_cast<int>(d.users[id].size()) + (is_result[id] ? 1 : 0);
    if (waiting[id] > 0 && !is_in_memory(graph[id].op)) ++alive;
    for (const NodeId operand : d.operands[id]) {
      if (--waiting[operand] == 0 && !is_in_memory(graph[operand].op)) --alive;
    }
    for (const NodeId user : d.users[id]) {
      ready[user] = std::max(ready[user], time);
      if (--missing[user] == 0) later.push({ready[user], user});
    }
  };
  for (const NodeId id : f.order()) missing[id] = static_cast<int>(d.operands[id].size());
  for (const NodeId id : f.order()) {
    if (graph[id].op == Op::constant)
      result.order.push_back(id);
    else if (missing[id] == 0)
      later.push({0, id});
  }
  const auto net = [&](NodeId id) {  // values that become alive minus values that die
    int n = 1;
    for (const NodeId operand : d.operands[id]) n -= waiting[operand] == 1 && !is_in_memory(graph[operand].op);
    return n;
  };
  for (int time = 0; !later.empty() || !now.empty(); ++time) {
    while (!later.empty() && later.top().time <= time) {
      const NodeId id = later.top().id;
      later.pop();
      if (is_free(graph[id].op) && registers == 0) {
        done(id, time + core.latency(graph[id].op));
      } else {
        now.push_back(id);
      }
    }
    for (int port = 0; port < core.ports && !now.empty(); ++port) {
      const bool full = registers > 0 && alive >= registers;
      std::size_t best = 0;
      for (std::size_t k = 1; k < now.size(); ++k) {
        const NodeId a = now[k], b = now[best];
        if (full) {
          const int na = net(a), nb = net(b);
          if (na != nb ? na < nb : way[a] != way[b] ? way[a] > way[b] : a < b) best = k;
        } else if (way[a] != way[b] ? way[a] > way[b] : a < b) {
          best = k;
        }
      }
      const NodeId id = now[best];
      now.erase(now.begin() + static_cast<std::ptrdiff_t>(best));
      if (is_free(graph[id].op)) --port;
      done(id, time + core.latency(graph[id].op));
    }
    if (now.empty() && !later.empty()) time = std::max(time, later.top().time - 1);
  }
  return result;
}

// Result by result, operands before their users, the operand that needs more registers first.
std::vector<NodeId> depth_first(const Function& f) {
  const Graph& graph = f.graph();
  const Dependencies d(f);
  std::vector<int> need(graph.size(), 0);
  for (const NodeId id : f.order()) {
    if (is_in_memory(graph[id].op)) continue;
    std::vector<int> needs;
    for (const NodeId operand : d.operands[id]) needs.push_back(need[operand]);
    std::sort(needs.begin(), needs.end(), std::greater<>());
    for (std::size_t k = 0; k < needs.size(); ++k) need[id] = std::max(need[id], needs[k] + static_cast<int>(k));
    need[id] = std::max(need[id], 1);
  }
  std::vector<NodeId> order;
  std::vector<bool> done(graph.size(), false);
  for (const NodeId id : f.order()) {
    if (!is_in_memory(graph[id].op)) continue;
    order.push_back(id);
    done[id] = true;
  }
  std::vector<NodeId> open;
  for (const NodeId r : f.results()) {
    open.push_back(r);
    while (!open.empty()) {
      const NodeId id = open.back();
      std::vector<NodeId> missing;
      for (const NodeId operand : d.operands[id]) {
        if (!done[operand]) missing.push_back(operand);
      }
      if (!missing.empty()) {
        std::stable_sort(missing.begin(), missing.end(), [&](NodeId a, NodeId b) { return need[a] < need[b]; });
        open.insert(open.end(), missing.begin(), missing.end());
        continue;
      }
      open.pop_back();
      if (!done[id]) order.push_back(id);
      done[id] = true;
    }
  }
  return order;
}

}  // namespace

int Core::latency(Op op) const {
  switch (op) {
    case Op::constant:
    case Op::input:
    case Op::neg:
    case Op::output: return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::fma: return arithmetic;
    case Op::div: return division;
    case Op::sqrt: return root;
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::select: return other;
    default: return trigonometric;
  }
}

Function schedule(const Function& function, const Core& core) {
  Function best = function;
  const auto key = [&](const Function& f) {
    const Execution e = execution(f, core);
    return std::pair(e.cycles, e.spills);
  };
  std::pair<int, int> least = key(function);
  const auto keep = [&](std::vector<NodeId> order) {
    Function next = function.in_order(std::move(order));
    const std::pair<int, int> now = key(next);
    if (now >= least) return;
    least = now;
    best = std::move(next);
  };
  keep(depth_first(function));
  for (const int registers : {core.registers / 2, core.registers, 2 * core.registers}) {
    keep(run(function, core, registers).order);
  }
  return best;
}

int cycles(const Function& function, const Core& core) { return run(function, core, 0).cycles; }

Execution execution(const Function& function, const Core& core) {
  const Graph& graph = function.graph();
  const Dependencies d(function);
  std::vector<bool> is_result(graph.size(), false);
  for (const NodeId r : function.results()) is_result[r] = true;
  std::vector<std::vector<int>> next(graph.size());  // when each value is needed, last first
  for (std::size_t k = function.order().size(); k-- > 0;) {
    for (const NodeId operand : d.operands[function.order()[k]]) next[operand].push_back(static_cast<int>(k));
  }
  Execution result;
  // Registers with optimal replacement: what each operation loads and whether something is stored for it.
  struct Instruction {
    NodeId id;
    std::vector<NodeId> loads;
    int stores = 0;
  };
  std::vector<Instruction> code;
  std::vector<NodeId> held;
  std::vector<bool> is_stored(graph.size(), false);
  std::size_t alive = 0;
  const auto make_room = [&](const std::vector<NodeId>& needed, Instruction& at) {
    if (static_cast<int>(held.size()) < core.registers) return;
    std::size_t out = held.size();
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (std::find(needed.begin(), needed.end(), held[k]) != needed.end()) continue;
      if (out == held.size() || next[held[k]].back() > next[held[out]].back()) out = k;
    }
    if (out == held.size()) return;
    if (!is_stored[held[out]]) ++at.stores;
    is_stored[held[out]] = true;
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(out));
  };
  for (const NodeId id : function.order()) {
    if (is_in_memory(graph[id].op)) continue;
    Instruction at{id, {}, 0};
    for (const NodeId operand : d.operands[id]) {
      if (is_in_memory(graph[operand].op) || std::find(held.begin(), held.end(), operand) != held.end()) continue;
      make_room(d.operands[id], at);
      held.push_back(operand);
      at.loads.push_back(operand);
    }
    result.most_alive = std::max(result.most_alive, static_cast<int>(alive) + 1);
    for (const NodeId operand : d.operands[id]) {
      next[operand].pop_back();
      if (!next[operand].empty()) continue;
      std::erase(held, operand);
      alive -= !is_in_memory(graph[operand].op) && !is_result[operand];
    }
    if (!next[id].empty()) {
      make_room({}, at);
      held.push_back(id);
    }
    alive += !next[id].empty() || is_result[id];
    result.spills += static_cast<int>(at.loads.size()) + at.stores;
    code.push_back(std::move(at));
  }
  // Time: instructions in the window whose operands are ready go to a port, the oldest first.
  std::vector<int> ready(graph.size(), 0);
  std::vector<std::size_t> waiting;
  std::size_t entered = 0;
  for (int time = 0; entered < code.size() || !waiting.empty(); ++time) {
    for (int slots = core.width; slots > 0 && entered < code.size();) {
      const Instruction& i = code[entered];
      const Op op = graph[i.id].op;
      if (!is_free(op) && static_cast<int>(waiting.size()) >= core.window) break;
      slots -= static_cast<int>(i.loads.size()) + i.stores + (is_free(op) ? 0 : 1);
      ready[i.id] = INT_MAX;
      waiting.push_back(entered++);
    }
    int ports = core.ports;
    for (std::size_t k = 0; k < waiting.size();) {
      const Instruction& i = code[waiting[k]];
      const Op op = graph[i.id].op;
      int latest = 0;
      for (const NodeId operand : d.operands[i.id]) {
        const bool is_loaded = std::find(i.loads.begin(), i.loads.end(), operand) != i.loads.end();
        if (ready[operand] != INT_MAX)
          latest = std::max(latest, ready[operand] + (is_loaded ? core.load : 0));
        else
          latest = INT_MAX;
        if (latest == INT_MAX) break;
      }
      const bool is_without_port = is_free(op);
      if (latest == INT_MAX || (!is_without_port && (latest > time || ports == 0))) {
        ++k;
        continue;
      }
      if (!is_without_port) --ports;
      ready[i.id] = (is_without_port ? latest : time) + core.latency(op);
      result.cycles = std::max(result.cycles, ready[i.id]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return result;
}

}  // namespace lw
