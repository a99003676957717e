// Groups of tasks that exchange much data, assigned to processors so that the makespan is least.
//
// 1. Tasks are joined along the dependences with most data for their size, until few groups are left. A group need not
//    run in one piece: it is what stays on one processor (a subtree's outward, inward and second outward pass).
// 2. Groups are assigned to processors: a processor's share is grown from each group in turn.
// 3. The best of these assignments is improved group by group, then task by task, as long as the makespan decreases.
// The makespan comes from a simulation: each processor takes the ready task with the longest path to the end. Reading
// data of others takes time; it arrives `start_up` after it was written. Every wait takes time as well.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "../../base/index.hpp"
#include "../schedule.hpp"

namespace lw {
namespace {

// A wait takes time even if its message arrived long ago: for the flag's cache line, and for code cut in two.
constexpr double kWaiting = 0.4;

class Partition {
 public:
  Partition(const TaskGraph& graph, const Machine& machine, int processors)
      : graph_(graph),
        processors_(processors),
        rank_(bottom_levels(graph, machine)),
        bound_(lower_bound(graph, machine, processors)) {
    for (int t = 0; t < graph.size(); ++t) time_.push_back(machine.duration(graph[t].work));
    total_ = std::accumulate(time_.begin(), time_.end(), 0.0);
    for (int q = 0; q < processors; ++q) {
      for (int p = 0; p < processors; ++p) {
        start_up_.push_back(machine.delay(q, p, 0, processors));
        per_byte_.push_back(machine.delay(q, p, 1, processors) - start_up_.back());
      }
    }
  }

  Schedule best() {
    const std::vector<int> group = groups();
    const int count = group.empty() ? 0 : 1 + *std::max_element(group.begin(), group.end());
    std::vector<int> best(at(graph_.size()), 0);
    double end = simulate(best);  // all on one processor
    for (int seed = 0; seed < count; ++seed) {
      const std::vector<int> dealt = spread(deal(group, count, seed), group);
      if (const double e = simulate(dealt); e < end) {
        end = e;
        best = dealt;
      }
    }
    // moves whole groups, then single tasks, to any other processor
    for (int round = 0; round < 6; ++round) {
      const double before = end;
      for (int g = 0; g < count; ++g) {
        for (int p = 0; p < processors_; ++p) {
          std::vector<int> other = best;
          for (int t = 0; t < graph_.size(); ++t) {
            if (group[at(t)] == g) other[at(t)] = p;
          }
          if (const double e = simulate(other); e < end * (1.0 - 1e-9)) {
            end = e;
            best = other;
          }
        }
      }
      if (end > before * 0.999) break;
    }
    int budget = 3000000 / std::max(1, graph_.size());  // simulations
    for (bool better = true; better && budget > 0;) {
      better = false;
      for (int t = 0; t < graph_.size() && budget > 0; ++t) {
        if (!touches_others(best, t)) continue;
        for (int p = 0; p < processors_; ++p) {
          if (p == best[at(t)]) continue;
          const int home = std::exchange(best[at(t)], p);
          --budget;
          if (const double e = simulate(best); e < end * (1.0 - 1e-9)) {
            end = e;
            better = true;
          } else {
            best[at(t)] = home;
          }
        }
      }
    }
    Schedule schedule;
    schedule.method = "partition";
    schedule.processors = processors_;
    schedule.lower_bound = bound_;
    simulate(best, &schedule.placements);
    std::stable_sort(schedule.placements.begin(), schedule.placements.end(),
                     [](const Placement& a, const Placement& b) {
                       return std::tie(a.start, a.processor) < std::tie(b.start, b.processor);
                     });
    schedule.proven_optimal = schedule.makespan() <= bound_ * (1.0 + 1e-9);
    return schedule;
  }

 private:
  bool touches_others(const std::vector<int>& processor, int t) const {
    const auto away = [&](const Dependence& d) { return processor[at(d.task)] != processor[at(t)]; };
    return std::any_of(graph_.before(t).begin(), graph_.before(t).end(), away) ||
           std::any_of(graph_.after(t).begin(), graph_.after(t).end(), away);
  }

  // Heavy edges first, in rounds of pairs.
  std::vector<int> groups() const {
    constexpr int kGroups = 32;
    std::vector<int> group(at(graph_.size()));
    std::iota(group.begin(), group.end(), 0);
    int count = graph_.size();
    const double largest = total_ / (4.0 * processors_);
    while (count > kGroups) {
      std::vector<double> size(at(count), 0.0);
      std::vector<std::map<int, double>> told(at(count));
      for (int t = 0; t < graph_.size(); ++t) {
        const int a = group[at(t)];
        size[at(a)] += time_[at(t)];
        for (const Dependence& d : graph_.after(t)) {
          const int b = group[at(d.task)];
          if (a == b) continue;
          told[at(a)][b] += d.bytes;
          told[at(b)][a] += d.bytes;
        }
      }
      std::vector<int> order(at(count)), mate(at(count), -1);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return size[at(a)] < size[at(b)]; });
      bool any = false;
      for (const int a : order) {
        if (mate[at(a)] >= 0) continue;
        double heaviest = 0.0;
        for (const auto& [b, bytes] : told[at(a)]) {
          if (mate[at(b)] >= 0 || size[at(a)] + size[at(b)] > largest) continue;
          const double weight = bytes / std::sqrt(size[at(b)] + 1e-3 * total_);
          if (weight <= heaviest) continue;
          heaviest = weight;
          mate[at(a)] = b;
        }
        if (mate[at(a)] < 0) {
          mate[at(a)] = a;
        } else {
          mate[at(mate[at(a)])] = a;
          any = true;
        }
      }
      if (!any) break;
      std::vector<int> number(at(count), -1);
      int next = 0;
      for (int a = 0; a < count; ++a) {
        if (number[at(a)] >= 0) continue;
        number[at(a)] = next;
        number[at(mate[at(a)])] = next++;
      }
      for (int& g : group) g = number[at(g)];
      count = next;
    }
    return group;
  }

  // Processors 1, 2, … take groups, first `seed`, then those that exchange most with the groups they have, up to a fair
  // share.
  std::vector<int> deal(const std::vector<int>& group, int count, int seed) const {
    std::vector<double> size(at(count), 0.0);
    std::vector<std::map<int, double>> told(at(count));
    for (int t = 0; t < graph_.size(); ++t) {
      size[at(group[at(t)])] += time_[at(t)];
      for (const Dependence& d : graph_.after(t)) {
        told[at(group[at(t)])][group[at(d.task)]] += d.bytes;
        told[at(group[at(d.task)])][group[at(t)]] += d.bytes;
      }
    }
    std::vector<int> processor(at(count), 0);
    for (int p = 1; p < processors_; ++p) {
      std::vector<double> pull(at(count), 0.0);
      double load = 0.0;
      for (int next = (seed + p - 1) % count; next >= 0;) {
        if (processor[at(next)] == 0) {
          processor[at(next)] = p;
          load += size[at(next)];
          for (const auto& [b, bytes] : told[at(next)]) pull[at(b)] += bytes;
        }
        next = -1;
        double strongest = 0.0;
        for (int g = 0; g < count; ++g) {
          if (processor[at(g)] != 0 || load + size[at(g)] > 1.03 * total_ / processors_) continue;
          const double weight = (1.0 + pull[at(g)]) / (size[at(g)] + 1e-12 * total_);
          if (weight <= strongest) continue;
          strongest = weight;
          next = g;
        }
      }
    }
    return processor;
  }
  std::vector<int> spread(const std::vector<int>& of_groups, const std::vector<int>& group) const {
    std::vector<int> of_tasks;
    for (const int g : group) of_tasks.push_back(of_groups[at(g)]);
    return of_tasks;
  }

  // The end of the last processor. Processor 0 begins at 0 and must be notified of the end of the others.
  double simulate(const std::vector<int>& processor, std::vector<Placement>* placements = nullptr) const {
    struct Ready {
      int task;
      double time;
    };
    std::vector<std::vector<Ready>> ready(at(processors_));
    std::vector<int> missing(at(graph_.size()));
    std::vector<double> finish(at(graph_.size()), 0.0), free;
    for (int p = 0; p < processors_; ++p) free.push_back(start_up_[at(p)]);  // processor 0 begins at 0
    for (int t = 0; t < graph_.size(); ++t) {
      missing[at(t)] = static_cast<int>(graph_.before(t).size());
      if (missing[at(t)] == 0) ready[at(processor[at(t)])].push_back({t, 0.0});
    }
    std::vector<double> known(at(processors_ * processors_),
                              0.0);  // at p, of q: the end of the last task that p has waited for
    double end = 0.0;
    for (int done = 0; done < graph_.size(); ++done) {
      // the processor that can begin first takes the task with the longest path to the end among those ready by then
      int p = -1;
      double begin = 0.0;
      for (int k = 0; k < processors_; ++k) {
        if (ready[at(k)].empty()) continue;
        double earliest = HUGE_VAL;
        for (const Ready& r : ready[at(k)]) earliest = std::min(earliest, r.time);
        earliest = std::max(earliest, free[at(k)]);
        if (p >= 0 && earliest >= begin) continue;
        p = k;
        begin = earliest;
      }
      std::vector<Ready>& list = ready[at(p)];
      std::size_t chosen = list.size();
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k].time > begin) continue;
        if (chosen == list.size() || rank_[at(list[k].task)] > rank_[at(list[chosen].task)] ||
            (rank_[at(list[k].task)] == rank_[at(list[chosen].task)] && list[k].task < list[chosen].task)) {
          chosen = k;
        }
      }
      const int t = list[chosen].task;
      list[chosen] = list.back();
      list.pop_back();
      double reading = 0.0;
      for (const Dependence& d : graph_.before(t)) {
        const int q = processor[at(d.task)];
        if (q == p) continue;
        reading += d.bytes * per_byte_[at(q * processors_ + p)];
        double& latest = known[at(p * processors_ + q)];
        if (finish[at(d.task)] <= latest) continue;
        latest = finish[at(d.task)];
        reading += kWaiting * start_up_[at(q * processors_ + p)];
      }
      const double start = begin + reading;
      finish[at(t)] = free[at(p)] = start + time_[at(t)];
      end = std::max(end, finish[at(t)] + start_up_[at(p * processors_)]);
      if (placements != nullptr) placements->push_back({t, p, start, finish[at(t)]});
      for (const Dependence& d : graph_.after(t)) {
        if (--missing[at(d.task)] > 0) continue;
        double time = 0.0;
        const int q = processor[at(d.task)];
        for (const Dependence& b : graph_.before(d.task)) {
          time = std::max(time, finish[at(b.task)] + start_up_[at(processor[at(b.task)] * processors_ + q)]);
        }
        ready[at(q)].push_back({d.task, time});
      }
    }
    return end;
  }

  const TaskGraph& graph_;
  int processors_;
  std::vector<double> start_up_, per_byte_;  // from q to p at q · processors + p
  std::vector<double> rank_, time_;
  double total_ = 0.0, bound_;
};

}  // namespace

Schedule partitioned(const TaskGraph& graph, const Machine& machine, int processors) {
  return Partition(graph, machine, processors).best();
}

}  // namespace lw
