#include <algorithm>

#include "timeline.hpp"

namespace lw {

// Of all ready tasks the one is next that can start first, among those the one with the highest level, then with the most
// successors. Without messages this is: whenever a processor is free, the highest level first.
Schedule highest_level_first(const TaskGraph& graph, const Machine& machine, int processors) {
  const std::vector<double> level = bottom_levels(graph, machine);
  Timeline timeline(graph, machine, processors);
  ReadyTasks ready(graph);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const double rounding = 1e-9 * (level.empty() ? 0.0 : *std::max_element(level.begin(), level.end()));
  const auto goes_before = [&](int a, int b) {
    if (level[at(a)] > level[at(b)] + rounding || level[at(b)] > level[at(a)] + rounding)
      return level[at(a)] > level[at(b)];
    if (graph.after(a).size() != graph.after(b).size()) return graph.after(a).size() > graph.after(b).size();
    return a < b;
  };
  std::vector<std::vector<double>> arrival(at(graph.size()));  // of ready tasks, on each processor
  for (int placed = 0; placed < graph.size(); ++placed) {
    std::vector<double> available(at(processors));
    for (int p = 0; p < processors; ++p) available[at(p)] = timeline.available(p);
    int task = -1, processor = 0;
    double start = 0.0;
    for (const int candidate : ready.tasks()) {
      std::vector<double>& there = arrival[at(candidate)];
      if (there.empty()) {
        for (int p = 0; p < processors; ++p) there.push_back(timeline.arrival(candidate, p));
      }
      int best = 0;
      double earliest = 0.0;
      for (int p = 0; p < processors; ++p) {
        const double time = std::max(there[at(p)], available[at(p)]);
        if (p == 0 || time < earliest - rounding) {
          best = p;
          earliest = time;
        }
      }
      if (task < 0 || earliest < start - rounding || (earliest <= start + rounding && goes_before(candidate, task))) {
        task = candidate;
        processor = best;
        start = earliest;
      }
    }
    timeline.place(task, processor, start);
    ready.take(task);
    arrival[at(task)] = {};
  }
  return timeline.schedule("hlf");
}

}  // namespace lw
