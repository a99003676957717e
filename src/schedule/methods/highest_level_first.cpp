#include <algorithm>
#include <cmath>

#include "../../base/index.hpp"
#include "../timeline.hpp"

namespace lw {
namespace {

// The highest level first, then the most successors; levels that differ by rounding errors are equal.
std::vector<int> by_level(const TaskGraph& graph, const Machine& machine) {
  const std::vector<double> level = bottom_levels(graph, machine);
  std::vector<int> list;
  for (int i = 0; i < graph.size(); ++i) list.push_back(i);
  const double step = level.empty() ? 0.0 : 1e-9 * *std::max_element(level.begin(), level.end());
  const auto rounded = [&](int i) { return step > 0.0 ? std::round(level[at(i)] / step) : 0.0; };
  std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
    const double la = rounded(a), lb = rounded(b);
    return la != lb ? la > lb : graph.after(a).size() > graph.after(b).size();
  });
  return list;
}

}  // namespace

// The next task is the ready task that can start first, and among equals the first in the list. Without messages:
// whenever a processor is free, the ready task with the highest level.
Schedule highest_level_first(const TaskGraph& graph, const Machine& machine, int processors) {
  Timeline timeline(graph, machine, processors);
  ReadyTasks ready(graph, by_level(graph, machine));
  const double rounding = 1e-9 * critical_path(graph, machine);
  std::vector<std::vector<double>> arrival(at(graph.size()));  // of ready tasks, on each processor
  std::vector<double> available(at(processors));
  while (!ready.positions().empty()) {
    const double soonest = *std::min_element(available.begin(), available.end());
    int chosen = -1, processor = 0;
    double start = 0.0;
    for (const int position : ready.positions()) {
      const int task = ready.task(position);
      std::vector<double>& there = arrival[at(task)];
      if (there.empty()) {
        for (int p = 0; p < processors; ++p) there.push_back(timeline.arrival(task, p));
      }
      for (int p = 0; p < processors; ++p) {
        const double time = std::max(there[at(p)], available[at(p)]);
        if (chosen >= 0 && time >= start - rounding) continue;
        chosen = position;
        processor = p;
        start = time;
      }
      if (start <= soonest + rounding) break;  // no other can start earlier
    }
    const int task = ready.task(chosen);
    timeline.place(task, processor, start);
    available[at(processor)] = timeline.finish(task);
    ready.take(chosen);
    arrival[at(task)] = {};
  }
  return timeline.schedule("hlf");
}

}  // namespace lw
