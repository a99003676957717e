#include <algorithm>

#include "../timeline.hpp"

namespace lw {

Schedule earliest_finish(const TaskGraph& graph, const Machine& machine, int processors) {
  Timeline timeline(graph, machine, processors);
  for (const int task : by_upward_rank(graph, machine, processors)) {
    int processor = 0;
    double start = 0.0;
    for (int p = 0; p < processors; ++p) {
      const double time =
          timeline.gap(p, timeline.arrival(task, p), timeline.durations()[static_cast<std::size_t>(task)]);
      if (p == 0 || time < start) {
        processor = p;
        start = time;
      }
    }
    timeline.place(task, processor, start);
  }
  return timeline.schedule("heft");
}

}  // namespace lw
