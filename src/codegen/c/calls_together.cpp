#include "calls_together.hpp"

#include <algorithm>
#include <map>

#include "../../base/error.hpp"

namespace lw {

std::vector<CallsTogether> calls_together(const Function& function, const std::vector<int>* segment) {
  constexpr std::size_t kLanes = 4;
  const Graph& graph = function.graph();
  std::vector<std::vector<NodeId>> readers(graph.size());
  std::vector<int> missing(graph.size(), 0),
      behind(graph.size(), 0);      // missing operands; number of calls on the longest path to results
  std::map<int, std::size_t> left;  // remaining calls of each segment
  const auto segment_of = [&](NodeId call) { return segment ? (*segment)[call] : 0; };
  for (const NodeId id : function.order()) {
    for_each_operand(graph, id, [&](NodeId operand) {
      readers[operand].push_back(id);
      ++missing[id];
    });
    if (graph[id].op == Op::call) ++left[segment_of(id)];
  }
  for (auto id = function.order().rbegin(); id != function.order().rend(); ++id) {
    for (const NodeId r : readers[*id])
      behind[*id] = std::max(behind[*id], behind[r] + (graph[r].op == Op::call ? 1 : 0));
  }
  std::map<std::pair<int, const Function*>, std::vector<NodeId>> ready;  // by segment
  std::vector<NodeId> known;
  const auto spread = [&] {  // propagates what is known up to the next calls
    while (!known.empty()) {
      const NodeId id = known.back();
      known.pop_back();
      for (const NodeId r : readers[id]) {
        if (--missing[r] > 0) continue;
        if (graph[r].op == Op::call)
          ready[{segment_of(r), graph.calls()[graph[r].a].function.get()}].push_back(r);
        else
          known.push_back(r);
      }
    }
  };
  for (const NodeId id : function.order()) {
    if (missing[id] > 0) continue;
    if (graph[id].op == Op::call)
      ready[{segment_of(id), graph.calls()[graph[id].a].function.get()}].push_back(id);
    else
      known.push_back(id);
  }
  spread();
  std::vector<CallsTogether> groups;
  for (auto& [now, count] : left) {
    while (count > 0) {
      std::vector<NodeId>* best = nullptr;
      std::pair<bool, int> urgency;
      for (auto& [key, calls] : ready) {
        if (key.first != now || calls.empty()) continue;
        int most = 0;
        for (const NodeId c : calls) most = std::max(most, behind[c]);
        if (best != nullptr && std::pair(calls.size() >= kLanes, most) <= urgency) continue;
        best = &calls;
        urgency = {calls.size() >= kLanes, most};
      }
      require(best != nullptr, "a segment may need only earlier ones");
      std::stable_sort(best->begin(), best->end(), [&](NodeId a, NodeId b) { return behind[a] > behind[b]; });
      const auto end = best->begin() + static_cast<std::ptrdiff_t>(std::min(kLanes, best->size()));
      const std::vector<NodeId> calls(best->begin(), end);
      best->erase(best->begin(), end);
      if (calls.size() > 1) groups.push_back({calls, calls.size() > 2 ? 4 : 2});
      count -= calls.size();
      known.insert(known.end(), calls.begin(), calls.end());
      spread();
    }
  }
  return groups;
}

}  // namespace lw
