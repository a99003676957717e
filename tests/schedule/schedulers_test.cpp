// Every scheduler gives what the validator accepts and no bound forbids; optima against all schedules that there are,
// and against theorems.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "schedule/schedule.hpp"
#include "support/random_tasks.hpp"

namespace lw {
namespace schedulers_test {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Machine ideal() { return {}; }

Machine talkative(Topology topology, double start_up, double per_hop, double per_byte) {
  Machine m;
  m.topology = topology;
  m.start_up = start_up;
  m.per_hop = per_hop;
  m.per_byte = per_byte;
  return m;
}

std::vector<Machine> machines() {
  Machine slow;
  slow.multiplication = 45e-6;
  slow.in_seconds = true;
  Machine laden = talkative(Topology::shared, 0.3, 0.0, 0.01);
  laden.overhead = 0.7;
  return {ideal(), slow, laden, talkative(Topology::pipeline, 1.0, 2.0, 0.125),
          talkative(Topology::full, 30.0, 0.0, 0.0)};
}

const std::map<std::string, std::function<Schedule(const TaskGraph&, const Machine&, int)>>& methods() {
  static const std::map<std::string, std::function<Schedule(const TaskGraph&, const Machine&, int)>> all{
      {"tsa", [](const TaskGraph& g, const Machine& m, int p) { return streamlined(g, m, p); }},
      {"hlf", highest_level_first},
      {"heft", earliest_finish},
      {"partition", partitioned},
      {"cluster", clustered},
      {"optimal", [](const TaskGraph& g, const Machine& m, int p) {
         return optimal(g, m, p, {.seconds = 1000.0, .nodes = 3000});
       }}};
  return all;
}

std::string first_words(const std::vector<Violation>& list) { return list.empty() ? "" : list.front().words; }

// The shortest of all schedules that start each task as early as it can after those before it in a sequence, by trying
// all sequences and all processors: an optimum is among them.
class AllSchedules {
 public:
  AllSchedules(const TaskGraph& graph, const Machine& machine, int processors)
      : graph_(graph),
        machine_(machine),
        processors_(processors),
        where_(at(graph.size()), -1),
        finish_(at(graph.size())),
        free_(at(processors)) {}
  double shortest() {
    extend(0, 0.0);
    return best_;
  }

 private:
  void extend(int placed, double end) {
    if (placed == graph_.size()) {
      best_ = std::min(best_, end);
      return;
    }
    for (int task = 0; task < graph_.size(); ++task) {
      const auto& before = graph_.before(task);
      if (where_[at(task)] >= 0 ||
          std::any_of(before.begin(), before.end(), [&](const Dependence& d) { return where_[at(d.task)] < 0; })) {
        continue;
      }
      for (int p = 0; p < processors_; ++p) {
        double start = free_[at(p)];
        for (const Dependence& d : before) {
          start = std::max(start, finish_[at(d.task)] + machine_.delay(where_[at(d.task)], p, d.bytes, processors_));
        }
        const double was_free = free_[at(p)];
        where_[at(task)] = p;
        free_[at(p)] = finish_[at(task)] = start + machine_.duration(graph_[task].work);
        extend(placed + 1, std::max(end, finish_[at(task)]));
        free_[at(p)] = was_free;
        where_[at(task)] = -1;
      }
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const int processors_;
  std::vector<int> where_;
  std::vector<double> finish_, free_;
  double best_ = HUGE_VAL;
};

TEST(Schedulers, GiveValidSchedulesWithinTheBounds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomTasksOptions options;
    options.tasks = 1 + static_cast<int>(seed);
    options.least_work = static_cast<int>(seed % 2);
    options.density = 0.02 + 0.1 * static_cast<double>(seed % 4);
    const TaskGraph graph = random_tasks(seed, options);
    for (const Machine& machine : machines()) {
      const double path = critical_path(graph, machine), serial = serial_time(graph, machine);
      for (const int p : {1, 2, 3, 7}) {
        const double bound = lower_bound(graph, machine, p), rounding = 1e-9 * serial;
        EXPECT_GE(bound, std::max(path, serial / p) - rounding);
        for (const auto& [name, method] : methods()) {
          const Schedule s = method(graph, machine, p);
          EXPECT_EQ(s.method, name);
          EXPECT_EQ(s.processors, p);
          const std::vector<Violation> wrong = violations(graph, machine, s);
          EXPECT_TRUE(wrong.empty()) << name << ", seed " << seed << ", p " << p << ": " << first_words(wrong);
          EXPECT_GE(s.makespan(), bound - rounding) << name << ", seed " << seed << ", p " << p;
          EXPECT_GE(s.lower_bound, bound - rounding);
          EXPECT_EQ(s.proven_optimal, s.makespan() <= s.lower_bound + rounding) << name;
          if (p == 1) {
            EXPECT_NEAR(s.makespan(), serial, rounding) << name;
          }
          if (name == "cluster") {
            EXPECT_LE(s.makespan(), serial + rounding);
          }
          EXPECT_TRUE(std::is_sorted(s.placements.begin(), s.placements.end(),
                                     [](const Placement& a, const Placement& b) { return a.start < b.start; }));
        }
      }
    }
  }
}

TEST(Schedulers, OptimaAreThoseOfAllSchedules) {
  int searched = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomTasksOptions options;
    options.tasks = 4 + static_cast<int>(seed % 4);
    options.most_work = seed % 3 == 0 ? 1 : 6;
    options.least_work = seed % 5 == 1 ? 0 : 1;
    options.density = 0.3;
    const TaskGraph graph = random_tasks(1000 + seed, options);
    for (const Machine& machine :
         {ideal(), talkative(Topology::full, 0.5, 1.0, 0.0), talkative(Topology::pipeline, 0.0, 1.5, 0.125)}) {
      const int p = options.tasks < 7 ? 3 : 2;
      const double shortest = AllSchedules(graph, machine, p).shortest();
      const Schedule s = optimal(graph, machine, p, {.seconds = 1000.0, .nodes = 10'000'000});
      EXPECT_TRUE(s.proven_optimal) << "seed " << seed;
      EXPECT_NEAR(s.makespan(), shortest, 1e-9) << "seed " << seed;
      EXPECT_LE(lower_bound(graph, machine, p), shortest + 1e-9) << "seed " << seed;
      if (highest_level_first(graph, machine, p).makespan() > shortest + 1e-9) ++searched;
    }
  }
  EXPECT_GT(searched, 10);  // that these graphs are no play for lists
}

// Hu 1961: tasks of one length, each with one successor at most: highest level first is optimal, and ends after
// max over k of k + ceil(tasks of level > k / p).
TEST(Schedulers, TreesByHusTheorem) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TaskGraph graph("tree");
    const int n = 40;
    for (int i = 0; i < n; ++i) graph.add({"t" + std::to_string(i), "", {.additions = 1}});
    for (int i = 1; i < n; ++i) graph.depend(i, random.below(i));
    const std::vector<double> level = bottom_levels(graph, ideal());
    for (const int p : {2, 3, 5}) {
      double hu = 0.0;
      for (int k = 0; k < n; ++k) {
        const auto higher = std::count_if(level.begin(), level.end(), [&](double l) { return l > k; });
        if (higher > 0) hu = std::max(hu, k + std::ceil(static_cast<double>(higher) / p));
      }
      EXPECT_EQ(highest_level_first(graph, ideal(), p).makespan(), hu) << "seed " << seed;
      EXPECT_EQ(lower_bound(graph, ideal(), p), hu) << "seed " << seed;
    }
  }
}

// Coffman and Graham 1972: on two processors, tasks of one length by labels are optimal. Labels go up from the end; the
// next goes to the task whose successors' labels, sorted downwards, come first in the dictionary.
double coffman_graham(const TaskGraph& graph) {
  const int n = graph.size();
  // their labels need a graph without short cuts
  std::vector<std::vector<bool>> below(at(n), std::vector<bool>(at(n)));
  std::vector<int> order = evaluation_order(graph), label(at(n));
  std::vector<std::vector<int>> next(at(n));
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    for (const Dependence& d : graph.after(*i)) {
      const bool short_cut = std::any_of(graph.after(*i).begin(), graph.after(*i).end(),
                                         [&](const Dependence& other) { return below[at(other.task)][at(d.task)]; });
      if (!short_cut) next[at(*i)].push_back(d.task);
    }
    for (const Dependence& d : graph.after(*i)) {
      below[at(*i)][at(d.task)] = true;
      for (int j = 0; j < n; ++j) below[at(*i)][at(j)] = below[at(*i)][at(j)] || below[at(d.task)][at(j)];
    }
  }
  for (int l = 1; l <= n; ++l) {
    int chosen = -1;
    std::vector<int> least;
    for (int i = 0; i < n; ++i) {
      if (label[at(i)] > 0) continue;
      std::vector<int> labels;
      for (const int j : next[at(i)]) labels.push_back(label[at(j)]);
      if (std::count(labels.begin(), labels.end(), 0) > 0) continue;
      std::sort(labels.rbegin(), labels.rend());
      if (chosen < 0 || labels < least) {
        chosen = i;
        least = labels;
      }
    }
    label[at(chosen)] = l;
  }
  std::vector<int> done_at(at(n), -1);
  int cycle = 0;
  for (int done = 0; done < n; ++cycle) {
    for (int slot = 0; slot < 2; ++slot) {
      int task = -1;
      for (int i = 0; i < n; ++i) {
        const auto& before = graph.before(i);
        const bool ready = done_at[at(i)] < 0 && std::all_of(before.begin(), before.end(), [&](const Dependence& d) {
                             return done_at[at(d.task)] >= 0 && done_at[at(d.task)] < cycle;
                           });
        if (ready && (task < 0 || label[at(i)] > label[at(task)])) task = i;
      }
      if (task < 0) break;
      done_at[at(task)] = cycle;
      ++done;
    }
  }
  return cycle;
}

TEST(Schedulers, TwoProcessorsByCoffmanAndGraham) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomTasksOptions options;
    options.tasks = 24;
    options.most_work = 1;
    options.density = 0.06 + 0.04 * static_cast<double>(seed % 4);
    const TaskGraph graph = random_tasks(2000 + seed, options);
    const Schedule s = optimal(graph, ideal(), 2, {.seconds = 1000.0, .nodes = 10'000'000});
    EXPECT_TRUE(s.proven_optimal) << "seed " << seed;
    EXPECT_EQ(s.makespan(), coffman_graham(graph)) << "seed " << seed;
  }
}

// Graham 1969: nine tasks whose list takes 12 on three processors, 15 on four, and 13 on three when all are shorter by
// one. The optima are the critical paths, 12, 12 and 10.
TEST(Schedulers, GrahamsAnomalies) {
  const auto graph_of = [](int shorter) {
    TaskGraph graph("Graham");
    int i = 0;
    for (const int work : {3, 2, 2, 2, 4, 4, 4, 4, 9})
      graph.add({"T" + std::to_string(++i), "", {.additions = work - shorter}});
    graph.depend(0, 8);
    for (const int to : {4, 5, 6, 7}) graph.depend(3, to);
    return graph;
  };
  EXPECT_EQ(optimal(graph_of(0), ideal(), 3).makespan(), 12);
  EXPECT_EQ(optimal(graph_of(0), ideal(), 4).makespan(), 12);
  EXPECT_EQ(optimal(graph_of(1), ideal(), 3).makespan(), 10);
}

// A long task had better not start on the idle processor, where it would be in the way of what comes next: never to
// wait while something is ready, as lists do, takes 10.
TEST(Schedulers, OptimaMayWait) {
  TaskGraph graph("waiting");
  const auto add = [&](const char* name, int work) { return graph.add({name, "", {.additions = work}}); };
  const int first = add("first", 1), b = add("b", 3), c = add("c", 4), last = add("last", 2);
  add("long", 5);
  const int little = add("little", 1);
  for (const int to : {b, c, little}) graph.depend(first, to);
  for (const int from : {b, c}) graph.depend(from, last);
  EXPECT_EQ(AllSchedules(graph, ideal(), 2).shortest(), 9.0);
  const Schedule s = optimal(graph, ideal(), 2);
  EXPECT_TRUE(s.proven_optimal);
  EXPECT_EQ(s.makespan(), 9.0);
  EXPECT_GE(highest_level_first(graph, ideal(), 2).makespan(), 10.0);
}

TEST(Schedulers, MessagesThatCostMoreThanTheyGainAreNotSent) {
  const TaskGraph graph = random_tasks(5, {.tasks = 30, .density = 0.2});
  const Machine far = talkative(Topology::full, 1000.0, 0.0, 0.0);
  const double serial = serial_time(graph, far);
  EXPECT_LE(clustered(graph, far, 4).makespan(), serial);
  EXPECT_LE(optimal(graph, far, 4, {.seconds = 1000.0, .nodes = 30000}).makespan(), serial);
  // and those that gain are
  TaskGraph wide("wide");
  const int root = wide.add({"root", "", {.additions = 1}});
  for (int i = 0; i < 4; ++i) wide.depend(root, wide.add({"w" + std::to_string(i), "", {.additions = 100}}));
  const Machine near = talkative(Topology::full, 3.0, 0.0, 0.0);
  for (const auto& [name, method] : methods()) {
    const double waiting = name == "partition" ? 0.4 * 3.0 : 0.0;  // takes the reader's time there, too
    EXPECT_LE(method(wide, near, 4).makespan(), 104.0 + waiting) << name;
  }
}

TEST(Schedulers, HeavyMessagesStayOnOneProcessor) {
  // two chains with heavy messages within and light ones across
  TaskGraph graph("chains");
  std::vector<int> a, b;
  for (int i = 0; i < 6; ++i) {
    a.push_back(graph.add({"a" + std::to_string(i), "", {.additions = 4}}));
    b.push_back(graph.add({"b" + std::to_string(i), "", {.additions = 4}}));
    if (i == 0) continue;
    graph.depend(a[at(i - 1)], a[at(i)], 1000);
    graph.depend(b[at(i - 1)], b[at(i)], 1000);
  }
  graph.depend(a[0], b[5], 8);
  const Machine machine = talkative(Topology::full, 0.0, 0.0, 0.1);
  const Schedule s = clustered(graph, machine, 2);
  EXPECT_EQ(s.makespan(), 24.0);
  EXPECT_TRUE(s.proven_optimal);
}

TEST(Schedulers, ResultsAreTheSameEveryTime) {
  const TaskGraph graph = random_tasks(77, {.tasks = 60, .most_work = 9, .density = 0.05});
  for (const auto& [name, method] : methods()) {
    const Schedule a = method(graph, ideal(), 3), b = method(graph, ideal(), 3);
    ASSERT_EQ(a.placements.size(), b.placements.size());
    for (std::size_t k = 0; k < a.placements.size(); ++k) {
      EXPECT_EQ(a.placements[k].task, b.placements[k].task) << name;
      EXPECT_EQ(a.placements[k].start, b.placements[k].start) << name;
      EXPECT_EQ(a.placements[k].processor, b.placements[k].processor) << name;
    }
  }
}

// A search that would go on for ages ends by the clock, with a schedule and the gap that is left.
TEST(Schedulers, SearchEndsInTime) {
  const TaskGraph graph = random_tasks(40, {.tasks = 40, .most_work = 9, .density = 0.075});
  const Machine machine = talkative(Topology::full, 3.0, 0.0, 0.1);
  const Schedule s = optimal(graph, machine, 4, {.seconds = 0.05, .nodes = std::int64_t{1} << 60});
  EXPECT_FALSE(s.proven_optimal);
  EXPECT_LT(s.lower_bound, s.makespan());
  EXPECT_TRUE(violations(graph, machine, s).empty());
}

TEST(Schedulers, BoundsOfManyTasks) {
  // more than earliest starts are sharpened for
  const TaskGraph graph = random_tasks(9, {.tasks = 2300, .density = 0.001});
  const double bound = lower_bound(graph, ideal(), 4);
  const Schedule s = highest_level_first(graph, ideal(), 4);
  EXPECT_GE(bound, serial_time(graph, ideal()) / 4.0);
  EXPECT_GE(s.makespan(), bound);
  EXPECT_TRUE(violations(graph, ideal(), s).empty());
}

TEST(Schedulers, MisuseIsRefused) {
  TaskGraph circle("circle");
  for (const char* name : {"a", "b", "c"}) circle.add({name, "", {.additions = 1}});
  circle.depend(0, 1);
  circle.depend(1, 2);
  circle.depend(2, 1);
  try {
    evaluation_order(circle);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::model);
    EXPECT_NE(std::string(e.what()).find("b -> c -> b"), std::string::npos) << e.what();
  }
  for (const auto& [name, method] : methods()) {
    EXPECT_THROW(method(circle, ideal(), 2), Error) << name;
    EXPECT_THROW(method(random_tasks(1), ideal(), 0), Error) << name;
    EXPECT_EQ(method(TaskGraph("empty"), ideal(), 2).makespan(), 0.0) << name;
  }
  EXPECT_THROW(streamlined(random_tasks(1), ideal(), 2, {1, 2}), Error);
  EXPECT_THROW(circle.depend(0, 3), Error);
  Machine broken;
  broken.multiplication = std::nan("");
  EXPECT_THROW(highest_level_first(random_tasks(1), broken, 2), Error);
}

}  // namespace schedulers_test
}  // namespace lw
