#include <algorithm>

#include "../base/error.hpp"
#include "timeline.hpp"

namespace lw {

Schedule streamlined(const TaskGraph& graph, const Machine& machine, int processors, std::vector<int> layer) {
  if (layer.empty()) layer = layers(graph);
  require(static_cast<int>(layer.size()) == graph.size(), "a layer is given for each task, or for none");
  Timeline timeline(graph, machine, processors);
  ReadyTasks ready(graph);
  evaluation_order(graph);  // complains of circles
  const auto of = [&](int task) { return layer[static_cast<std::size_t>(task)]; };
  // The current layer is the first that has a task left; what is left of it goes before later ones.
  double start = 0.0;
  for (int placed = 0; placed < graph.size();) {
    std::vector<int> cycle = ready.tasks();
    const auto count = std::min(cycle.size(), static_cast<std::size_t>(processors));
    std::partial_sort(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(count), cycle.end(),
                      [&](int a, int b) { return of(a) != of(b) ? of(a) < of(b) : a < b; });
    cycle.resize(count);
    for (std::size_t p = 0; p < count; ++p) start = std::max(start, timeline.arrival(cycle[p], static_cast<int>(p)));
    double end = start;
    for (std::size_t p = 0; p < count; ++p) {
      timeline.place(cycle[p], static_cast<int>(p), start);
      end = std::max(end, timeline.finish(cycle[p]));
    }
    for (const int task : cycle) ready.take(task);
    start = end;
    placed += static_cast<int>(count);
  }
  return timeline.schedule("tsa");
}

}  // namespace lw
