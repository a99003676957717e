#include <algorithm>

#include "../../base/error.hpp"
#include "../timeline.hpp"

namespace lw {

Schedule streamlined(const TaskGraph& graph, const Machine& machine, int processors, std::vector<int> layer) {
  if (layer.empty()) layer = layers(graph);
  require(static_cast<int>(layer.size()) == graph.size(), "give a layer for each task, or for none");
  Timeline timeline(graph, machine, processors);
  // The current layer is the first one with a task left; its tasks come before those of later layers.
  std::vector<int> list = evaluation_order(graph);  // throws if there is a cycle
  std::sort(list.begin(), list.end());
  std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
    return layer[static_cast<std::size_t>(a)] < layer[static_cast<std::size_t>(b)];
  });
  ReadyTasks ready(graph, std::move(list));
  double start = 0.0;
  while (!ready.positions().empty()) {
    std::vector<int> cycle;
    for (const int position : ready.positions()) {
      if (static_cast<int>(cycle.size()) == processors) break;
      start = std::max(start, timeline.arrival(ready.task(position), static_cast<int>(cycle.size())));
      cycle.push_back(position);
    }
    double end = start;
    for (std::size_t p = 0; p < cycle.size(); ++p) {
      const int task = ready.task(cycle[p]);
      timeline.place(task, static_cast<int>(p), start);
      end = std::max(end, timeline.finish(task));
    }
    for (const int position : cycle) ready.take(position);
    start = end;
  }
  return timeline.schedule("tsa");
}

}  // namespace lw
