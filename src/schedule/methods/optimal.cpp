#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "../../base/index.hpp"
#include "../timeline.hpp"

// A schedule is a sequence of tasks in the order of their starts; each starts as early as it can after the one before.
// Without messages processors are equivalent: a task goes to the one that is free first. With messages each processor
// is tried; of those that have done nothing yet only the first, if all are connected alike.
//
// Branches that are cut cannot contain a better schedule:
//   - tasks that start together, in an order other than that of the list;
//   - without messages: a task that starts when another ready one could already have ended (Giffler, Thompson 1960);
//   - without messages, tasks of equal length: a set of finished tasks that was reached as early before;
//   - what cannot end before the best known schedule: remaining work on p processors, by the time that must follow it.
namespace lw {

namespace {

constexpr double kNodesPerSecond = 4e5;  // fewer than a core manages, so that nodes and not the clock end a search
constexpr int kMostTasks = 5000;         // graphs with more are not searched
constexpr std::size_t kMostKnown = 1'000'000;  // remembered sets of tasks
constexpr std::size_t kMostLengths = 64;       // steps of the lengths that bounds use

struct Search {
  Search(const TaskGraph& of_graph, const Machine& its_machine, int its_processors, const OptimalOptions& options)
      : graph(of_graph),
        machine(its_machine),
        processors(its_processors),
        duration(durations(of_graph, its_machine)),
        messages(has_messages(of_graph, its_machine, its_processors)),
        unit(messages ? 0.0 : common_unit(duration)),
        most_nodes(options.nodes > 0 ? options.nodes : static_cast<std::int64_t>(options.seconds * kNodesPerSecond)),
        deadline(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                        std::chrono::duration<double>(options.seconds))) {
    const std::size_t n = at(graph.size());
    alike =
        machine.topology == Topology::shared || machine.topology == Topology::bus || machine.topology == Topology::full;
    one_length = unit > 0.0 && std::all_of(duration.begin(), duration.end(),
                                           [&](double d) { return d > 0.5 * unit && d < 1.5 * unit; });
    follows = windows(graph, duration, processors).tail;
    std::vector<int> list(n);
    for (std::size_t i = 0; i < n; ++i) list[i] = static_cast<int>(i);
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
      const double la = duration[at(a)] + follows[at(a)], lb = duration[at(b)] + follows[at(b)];
      return la != lb ? la > lb : graph.after(a).size() > graph.after(b).size();
    });
    rank.resize(n);
    for (std::size_t k = 0; k < n; ++k) rank[at(list[k])] = static_cast<int>(k);
    // Times that follow tasks, in steps: a task counts for the step at or below its own time.
    steps = follows;
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    if (steps.size() > kMostLengths) {
      std::vector<double> some;
      for (std::size_t k = 0; k < kMostLengths; ++k) some.push_back(steps[k * (steps.size() - 1) / (kMostLengths - 1)]);
      steps = some;
    }
    left.resize(steps.size());
    tasks_left.resize(steps.size());
    step_of.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      step_of[i] =
          static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), follows[i]) - steps.begin()) - 1;
      left[step_of[i]] += duration[i];
      ++tasks_left[step_of[i]];
      waiting_for.push_back(static_cast<int>(graph.before(static_cast<int>(i)).size()));
      if (waiting_for.back() == 0) ready.push_back(static_cast<int>(i));
    }
    available.resize(at(processors));
    used.resize(at(processors));
    finish.resize(n);
    where.resize(n);
    done.resize((n + 63) / 64);
  }

  // Whether everything that could be better than `best` was searched.
  bool run() {
    node();
    return !stopped;
  }

  // --- what is fixed
  const TaskGraph& graph;
  const Machine& machine;
  const int processors;
  const std::vector<double> duration;
  const bool messages;
  const double unit;  // of all starts; 0 if there is none
  const std::int64_t most_nodes;
  const std::chrono::steady_clock::time_point deadline;
  bool alike = false, one_length = false;
  std::vector<double> follows;  // time that must pass after each task's end
  std::vector<int> rank;        // place in the list: the longest paths first
  std::vector<double> steps;
  std::vector<std::size_t> step_of;

  // --- the best so far
  double best = 0.0;   // makespan
  double bound = 0.0;  // no schedule is shorter
  std::vector<Placement> best_placements;

  // --- where the search is
  std::vector<Placement> placements;
  std::vector<int> waiting_for, ready, where;
  std::vector<bool> used;
  std::vector<double> available, finish;
  std::vector<double> left;     // work left in each step
  std::vector<int> tasks_left;  // number of tasks left in each step
  std::vector<std::uint64_t> done;
  double latest = 0.0;
  std::int64_t nodes = 0;
  bool stopped = false;

 private:
  struct Choice {
    int task, processor;
    double start;
  };
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& set) const {
      std::uint64_t h = 0x9e3779b97f4a7c15;
      for (const std::uint64_t word : set) h = (h ^ word ^ (h >> 29)) * 0xbf58476d1ce4e5b9;
      return static_cast<std::size_t>(h ^ (h >> 32));
    }
  };

  bool better(double time) const { return time < best * (1.0 - 1e-9); }

  double arrival(int task, int processor) const {
    double time = 0.0;
    for (const Dependence& d : graph.before(task)) {
      const int from = where[at(d.task)];
      const double delay = !messages || from == processor ? 0.0 : machine.delay(from, processor, d.bytes, processors);
      time = std::max(time, finish[at(d.task)] + delay);
    }
    return time;
  }

  // A lower bound on the end of the remaining work: tasks that are followed by at least so much time, spread over the
  // processors as they become free. Processors that are busy for longer take no part.
  double least_end(double now) const {
    std::vector<double> free = available;
    for (double& time : free) time = std::max(time, now);
    std::sort(free.begin(), free.end());
    double work = 0.0, end = latest;
    for (std::size_t k = steps.size(); k-- > 0;) {
      if (tasks_left[k] == 0) continue;
      work += left[k];
      double sum = work, poured = HUGE_VAL;
      for (std::size_t j = 0; j < free.size(); ++j) {
        sum += free[j];
        poured = std::min(poured, sum / static_cast<double>(j + 1));
      }
      end = std::max(end, round_up(poured, unit) + steps[k]);
    }
    return end;
  }

  std::vector<Choice> choices(double now) const {
    std::vector<Choice> list;
    const auto free_first = std::min_element(available.begin(), available.end());
    for (const int task : ready) {
      if (!messages) {
        const double start = std::max({arrival(task, 0), *free_first, now});
        list.push_back({task, static_cast<int>(free_first - available.begin()), start});
        continue;
      }
      bool tried_unused = false;
      for (int p = 0; p < processors; ++p) {
        if (!used[at(p)] && alike && tried_unused) continue;
        tried_unused = tried_unused || !used[at(p)];
        const double start = std::max(arrival(task, p), available[at(p)]);
        if (start >= now) list.push_back({task, p, start});
      }
    }
    return list;
  }

  void leave_out(std::vector<Choice>& list, double now) const {
    double first_start = list.front().start, first_end = first_start + duration[at(list.front().task)];
    for (const Choice& c : list) {
      first_start = std::min(first_start, c.start);
      first_end = std::min(first_end, c.start + duration[at(c.task)]);
    }
    const double rounding = 1e-9 * best;
    const int last = placements.empty() ? -1 : placements.back().task;
    const bool in_order = last >= 0 && duration[at(last)] > 0.0;
    std::erase_if(list, [&](const Choice& c) {
      if (!messages && c.start >= first_end - rounding && c.start > first_start + rounding) return true;
      if (!in_order || c.start > now + rounding || rank[at(c.task)] > rank[at(last)]) return false;
      return std::none_of(graph.before(c.task).begin(), graph.before(c.task).end(),
                          [&](const Dependence& d) { return d.task == last; });
    });
    std::stable_sort(list.begin(), list.end(), [&](const Choice& a, const Choice& b) {
      if (a.start < b.start - rounding || b.start < a.start - rounding) return a.start < b.start;
      return rank[at(a.task)] < rank[at(b.task)];
    });
  }

  void node() {
    if (ready.empty()) {
      if (better(latest)) {
        best = latest;
        best_placements = placements;
      }
      return;
    }
    if (++nodes > most_nodes || (nodes % 256 == 0 && std::chrono::steady_clock::now() > deadline)) stopped = true;
    if (stopped) return;
    const double now = placements.empty() ? 0.0 : placements.back().start;
    if (!better(least_end(now))) return;
    std::vector<Choice> list = choices(now);
    if (list.empty()) return;
    double next = list.front().start;
    for (const Choice& c : list) next = std::min(next, c.start);
    if (!messages) {
      for (const Choice& c : list) {
        if (!better(c.start + duration[at(c.task)] + follows[at(c.task)])) return;
      }
    }
    if (one_length &&
        next > now + 0.5 * unit) {  // everything that was begun is done, so that the set of tasks describes the state
      const auto [known, is_new] =
          known_.size() < kMostKnown ? known_.try_emplace(done, next) : std::pair(known_.find(done), false);
      if (known != known_.end() && !is_new) {
        if (known->second <= next + 0.5 * unit) return;
        known->second = next;
      }
    }
    leave_out(list, now);
    for (const Choice& c : list) {
      if (!better(c.start + duration[at(c.task)] + follows[at(c.task)])) continue;
      visit(c);
      if (stopped || best <= bound * (1.0 + 1e-9)) return;
    }
  }

  void visit(const Choice& c) {
    const double was_available = available[at(c.processor)], was_latest = latest, end = c.start + duration[at(c.task)];
    const bool was_used = used[at(c.processor)];
    const std::size_t step = step_of[at(c.task)];
    const double was_left = left[step];
    const std::vector<int> were_ready = ready;
    const std::uint64_t bit = std::uint64_t{1} << (c.task % 64);
    available[at(c.processor)] = finish[at(c.task)] = end;
    where[at(c.task)] = c.processor;
    used[at(c.processor)] = true;
    latest = std::max(latest, end);
    left[step] -= duration[at(c.task)];
    --tasks_left[step];
    done[at(c.task / 64)] |= bit;
    ready.erase(std::find(ready.begin(), ready.end(), c.task));
    for (const Dependence& d : graph.after(c.task)) {
      if (--waiting_for[at(d.task)] == 0) ready.push_back(d.task);
    }
    placements.push_back({c.task, c.processor, c.start, end});
    node();
    placements.pop_back();
    for (const Dependence& d : graph.after(c.task)) ++waiting_for[at(d.task)];
    ready = were_ready;
    done[at(c.task / 64)] &= ~bit;
    left[step] = was_left;
    ++tasks_left[step];
    latest = was_latest;
    used[at(c.processor)] = was_used;
    available[at(c.processor)] = was_available;
  }

  std::unordered_map<std::vector<std::uint64_t>, double, Hash> known_;  // when this set was done
};

}  // namespace

Schedule optimal(const TaskGraph& graph, const Machine& machine, int processors, const OptimalOptions& options) {
  Schedule best = highest_level_first(graph, machine, processors);
  for (Schedule other : {earliest_finish(graph, machine, processors), clustered(graph, machine, processors),
                         streamlined(graph, machine, processors)}) {
    if (other.makespan() < best.makespan() * (1.0 - 1e-9)) best = std::move(other);
  }
  best.method = "optimal";
  if (best.proven_optimal || graph.size() > kMostTasks) return best;
  Search search(graph, machine, processors, options);
  search.best = best.makespan();
  search.bound = best.lower_bound;
  const bool exhausted = search.run();
  if (!search.best_placements.empty()) {
    best.placements = search.best_placements;
    std::stable_sort(best.placements.begin(), best.placements.end(), [](const Placement& a, const Placement& b) {
      return a.start != b.start ? a.start < b.start : a.processor < b.processor;
    });
  }
  if (exhausted) best.lower_bound = best.makespan();
  best.proven_optimal = best.makespan() <= best.lower_bound * (1.0 + 1e-9);
  return best;
}

}  // namespace lw
