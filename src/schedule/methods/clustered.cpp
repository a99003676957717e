#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../timeline.hpp"

namespace lw {

namespace {

constexpr double kMostVisits = 1e8;  // visits of tasks and messages, after which no more clusters are joined

// The makespan with one processor per cluster, where every cluster does its tasks in the given order.
class TaskClusters {
 public:
  TaskClusters(const TaskGraph& graph, const Machine& machine, std::vector<int> order, const MeanDelay& delay)
      : order_(std::move(order)),
        duration_(durations(graph, machine)),
        cluster_(at(graph.size())),
        finish_(cluster_.size()),
        free_(cluster_.size()) {
    std::iota(cluster_.begin(), cluster_.end(), 0);
    for (int i = 0; i < graph.size(); ++i) {
      for (const Dependence& d : graph.after(i)) edges_.push_back({delay(d.bytes), i, d.task});
    }
    before_.resize(at(graph.size()));
    for (const Edge& e : edges_) before_[at(e.to)].emplace_back(e.from, e.delay);
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.delay > b.delay; });
  }

  // Joins along the heaviest messages first, wherever that does not increase the makespan (Sarkar 1989).
  void join() {
    double shortest = length(), steps = 0.0;
    for (const Edge& e : edges_) {
      const int a = cluster_[at(e.from)], b = cluster_[at(e.to)];
      if (a == b || e.delay <= 0.0) continue;
      steps += static_cast<double>(order_.size() + edges_.size());
      if (steps > kMostVisits) break;
      const std::vector<int> kept = cluster_;
      std::replace(cluster_.begin(), cluster_.end(), b, a);
      const double now = length();
      if (now <= shortest) {
        shortest = now;
      } else {
        cluster_ = kept;
      }
    }
  }

  // The processor of each task: the heaviest clusters first, each to the processor with the least work.
  std::vector<int> deal(int processors) const {
    std::vector<double> work(cluster_.size()), load(at(processors));
    for (std::size_t i = 0; i < cluster_.size(); ++i) work[at(cluster_[i])] += duration_[i];
    std::vector<int> heaviest(cluster_.size()), processor_of(cluster_.size()), result;
    std::iota(heaviest.begin(), heaviest.end(), 0);
    std::stable_sort(heaviest.begin(), heaviest.end(), [&](int a, int b) { return work[at(a)] > work[at(b)]; });
    for (const int c : heaviest) {
      const auto least = std::min_element(load.begin(), load.end());
      *least += work[at(c)];
      processor_of[at(c)] = static_cast<int>(least - load.begin());
    }
    for (const int c : cluster_) result.push_back(processor_of[at(c)]);
    return result;
  }

 private:
  struct Edge {
    double delay;
    int from, to;
  };

  double length() {
    std::fill(free_.begin(), free_.end(), 0.0);
    double longest = 0.0;
    for (const int task : order_) {
      double& free = free_[at(cluster_[at(task)])];
      for (const auto& [from, delay] : before_[at(task)]) {
        free = std::max(free, finish_[at(from)] + (cluster_[at(from)] == cluster_[at(task)] ? 0.0 : delay));
      }
      free += duration_[at(task)];
      finish_[at(task)] = free;
      longest = std::max(longest, free);
    }
    return longest;
  }

  std::vector<int> order_;
  std::vector<double> duration_;
  std::vector<int> cluster_;  // of each task
  std::vector<double> finish_, free_;
  std::vector<Edge> edges_;  // the heaviest first
  std::vector<std::vector<std::pair<int, double>>> before_;
};

}  // namespace

Schedule clustered(const TaskGraph& graph, const Machine& machine, int processors) {
  require(processors >= 1, "a schedule needs at least one processor");
  const std::vector<int> order = by_upward_rank(graph, machine, processors);
  TaskClusters clusters(graph, machine, order, MeanDelay(machine, processors));
  clusters.join();
  // Fewer processors may be faster; one processor needs no messages.
  std::optional<Timeline> best;
  double shortest = 0.0;
  for (int used = 1; used <= processors; ++used) {
    Timeline timeline(graph, machine, processors);
    const std::vector<int> processor = clusters.deal(used);
    double end = 0.0;
    for (const int task : order) {
      const int p = processor[at(task)];
      timeline.place(task, p, timeline.gap(p, timeline.arrival(task, p), timeline.durations()[at(task)]));
      end = std::max(end, timeline.finish(task));
    }
    if (!best || end < shortest) {
      shortest = end;
      best.emplace(std::move(timeline));
    }
  }
  return best->schedule("cluster");
}

}  // namespace lw
