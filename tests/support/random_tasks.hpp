// Random graphs of tasks, the same from the same seed.
#pragma once

#include "base/random.hpp"
#include "schedule/task_graph.hpp"

namespace lw {

struct RandomTasksOptions {
  int tasks = 20;
  int most_work = 5;      // operations of a task; 1: all alike
  int least_work = 1;     // 0: some take no time at all
  double density = 0.15;  // chance of a dependence between two
  bool shuffled = true;   // tasks are listed in an order that is none of evaluation
};

inline TaskGraph random_tasks(std::uint64_t seed, const RandomTasksOptions& options = {}) {
  Random random(seed);
  TaskGraph graph("random");
  std::vector<int> rank;
  for (int i = 0; i < options.tasks; ++i) {
    const int work = options.least_work + random.below(options.most_work - options.least_work + 1);
    graph.add({"t" + std::to_string(i), "", {.multiplications = work}});
    rank.push_back(i);
  }
  if (options.shuffled) {
    for (int i = options.tasks - 1; i > 0; --i)
      std::swap(rank[static_cast<std::size_t>(i)], rank[static_cast<std::size_t>(random.below(i + 1))]);
  }
  for (int i = 0; i < options.tasks; ++i) {
    for (int j = i + 1; j < options.tasks; ++j) {
      if (!random.chance(options.density)) continue;
      graph.depend(rank[static_cast<std::size_t>(i)], rank[static_cast<std::size_t>(j)], 8 * (1 + random.below(3)));
    }
  }
  return graph;
}

}  // namespace lw
