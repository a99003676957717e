// Functions divided into tasks: nothing is lost, nothing is twice, and whatever order the tasks' graph allows, every
// operand is there when it is read.
#include "schedule/grain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "codegen/trace/verification.hpp"
#include "model/read/read.hpp"
#include "schedule/schedule.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace grain_test {

constexpr Grain kGrains[] = {Grain::instruction, Grain::three, Grain::vector, Grain::body};

bool is_operation(Op op) { return op != Op::constant && op != Op::input && op != Op::neg && op != Op::output; }

std::int64_t operations(const OperationCount& c) {
  return c.multiplications + c.additions + c.divisions + c.roots + c.trigonometric + c.comparisons;
}

// Some order that the graph of tasks allows.
std::vector<int> random_order(const TaskGraph& graph, Random& random) {
  std::vector<int> waits, ready, order;
  for (int t = 0; t < graph.size(); ++t) {
    waits.push_back(static_cast<int>(graph.before(t).size()));
    if (waits.back() == 0) ready.push_back(t);
  }
  while (!ready.empty()) {
    const auto k = static_cast<std::size_t>(random.below(static_cast<int>(ready.size())));
    const int t = ready[k];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(k));
    order.push_back(t);
    for (const Dependence& d : graph.after(t)) {
      if (--waits[static_cast<std::size_t>(d.task)] == 0) ready.push_back(d.task);
    }
  }
  return order;
}

void expect_whole(const Function& f, const Division& d, const std::string& what) {
  SCOPED_TRACE(what);
  const Graph& graph = f.graph();
  ASSERT_EQ(d.task_of.size(), graph.size());
  ASSERT_EQ(static_cast<int>(d.nodes.size()), d.graph.size());
  std::vector<int> times(graph.size(), 0);
  for (std::size_t t = 0; t < d.nodes.size(); ++t) {
    ASSERT_FALSE(d.nodes[t].empty());
    for (const NodeId id : d.nodes[t]) {
      ++times[id];
      ASSERT_EQ(d.task_of[id], static_cast<int>(t));
    }
  }
  std::vector<NodeId> free;
  for (const NodeId id : f.order()) {
    ASSERT_EQ(times[id], is_operation(graph[id].op) ? 1 : std::min(times[id], 1)) << id;
    if (times[id] == 0) {
      ASSERT_EQ(d.task_of[id], -1);
      free.push_back(id);
    }
  }
  EXPECT_EQ(total_work(d.graph), cost(f).operations);

  Random random(7);
  for (int k = 0; k < 3; ++k) {
    const std::vector<int> order = random_order(d.graph, random);
    ASSERT_EQ(static_cast<int>(order.size()), d.graph.size()) << "a circle";
    std::vector<NodeId> nodes = free;
    for (const int t : order)
      nodes.insert(nodes.end(), d.nodes[static_cast<std::size_t>(t)].begin(),
                   d.nodes[static_cast<std::size_t>(t)].end());
    EXPECT_NO_THROW(f.in_order(nodes));  // that every operand stands before its user
  }
  // what is read comes from where the graph says, each value once
  std::set<std::pair<NodeId, int>> values;
  for (const NodeId id : f.order()) {
    for_each_operand(graph, id, [&](NodeId operand) {
      while (graph[operand].op == Op::neg) operand = graph[operand].a;
      if (d.task_of[id] >= 0 && d.task_of[operand] >= 0 && d.task_of[id] != d.task_of[operand])
        values.insert({operand, d.task_of[id]});
    });
  }
  std::int64_t bytes = 0;
  for (int t = 0; t < d.graph.size(); ++t) {
    for (const Dependence& b : d.graph.before(t)) bytes += b.bytes;
  }
  EXPECT_EQ(bytes, 8 * static_cast<std::int64_t>(values.size()));
}

Function traced(const std::string& model, const std::string& function, bool limbs = false, bool friction = false) {
  TraceOptions options;
  options.limbs = limbs;
  options.friction = friction;
  options.search.trials = 0;
  return trace_function(load(model), function, options).function;
}

bool has(const Function& f, Op op) {
  return std::any_of(f.order().begin(), f.order().end(), [&](NodeId id) { return f.graph()[id].op == op; });
}

void expect_all_grains(const Function& f, const std::string& name) {
  for (const Grain grain : kGrains)
    expect_whole(f, divide(f, grain), name + ", grain " + std::to_string(static_cast<int>(grain)));
  const Machine steps;
  for (const double target : {1.0, 5.0, 40.0, 1e9}) expect_whole(f, divide(f, steps, target), name + ", cost");
}

TEST(Grain, EveryOperationIsInOneTaskAndOrdersOfTasksAreOrdersOfEvaluation) {
  expect_all_grains(traced("puma560", "inverse"), "puma560 inverse");
  expect_all_grains(traced("stanford", "forward"), "stanford forward");
  expect_all_grains(traced("twu-3r", "inverse-derivatives"), "twu-3r inverse-derivatives");
  expect_all_grains(trace_of("ur5", Method::aba), "ur5 aba, without passes");
  expect_all_grains(trace_of("ur5", Method::newton_euler_modified), "ur5 Newton-Euler, without passes");
}

TEST(Grain, RandomFunctionsToo) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    expect_all_grains(random_function(seed), "random " + std::to_string(seed));
}

TEST(Grain, CallsAndSolvesAreTasks) {
  const Function legs = traced("quadruped", "inverse", true);
  ASSERT_TRUE(has(legs, Op::call));
  expect_all_grains(legs, "quadruped with calls");
  const Function losses = traced("puma560-dhanaraj", "forward", false, true);
  ASSERT_TRUE(has(losses, Op::solve));
  expect_all_grains(losses, "forward with friction");
}

TEST(Grain, InstructionsAreAloneAndThreesAreNoMoreThanThree) {
  const Function f = traced("puma560", "inverse");
  const Division single = divide(f, Grain::instruction), three = divide(f, Grain::three);
  for (int t = 0; t < single.graph.size(); ++t) EXPECT_EQ(operations(single.graph[t].work), 1);
  std::int64_t all = 0;
  for (int t = 0; t < three.graph.size(); ++t) {
    EXPECT_LE(operations(three.graph[t].work), 3);
    all += operations(three.graph[t].work);
  }
  EXPECT_EQ(all, operations(cost(f).operations));
  EXPECT_LE(three.graph.size(), static_cast<double>(all) / 3.0 * 1.15);  // few are not full
}

// Luh and Lin's tasks are the vectors of the recursion: without passes, what has the name of one is in one task, unless
// another vector lies between its components.
TEST(Grain, ComponentsOfAVectorAreOneTask) {
  const Function f = traced("puma560", "inverse");
  const Division d = divide(f, Grain::vector), bodies = divide(f, Grain::body);
  EXPECT_LT(d.graph.size(), divide(f, Grain::three).graph.size());
  EXPECT_LT(bodies.graph.size(), d.graph.size());
  EXPECT_GE(bodies.graph.size(), 6);
}

TEST(Grain, TasksTakeNoLongerThanTheTargetUnlessOneOperationDoes) {
  const Function f = traced("puma560", "inverse");
  const Machine machine = load_machine("t800");
  for (const double target : {2e-6, 10e-6, 100e-6}) {
    const Division d = divide(f, machine, target);
    double sum = 0.0;
    for (int t = 0; t < d.graph.size(); ++t) {
      const double seconds = machine.duration(d.graph[t].work);
      sum += seconds;
      EXPECT_TRUE(seconds <= target * (1 + 1e-12) || operations(d.graph[t].work) == 1) << seconds;
    }
    EXPECT_NEAR(sum, machine.duration(cost(f).operations), 1e-12 * sum);
    EXPECT_LE(d.graph.size(), 2.5 * sum / target + 10) << target;
  }
  EXPECT_EQ(divide(f, machine, 1.0).graph.size(), 1);
}

// What joining must not do: make one task wait for another that it does not need. Two legs have nothing to do with each
// other until they meet, so half of the work can always go on beside the other half.
TEST(Grain, JoiningLeavesRoomForTwoProcessors) {
  const Function f = traced("quadruped", "inverse-derivatives");
  Machine machine;  // steps, messages free: the bound is the graph's own
  const double all = machine.duration(cost(f).operations);
  for (const double tasks : {30.0, 100.0, 300.0}) {
    const Division d = divide(f, machine, all / tasks);
    EXPECT_LE(critical_path(d.graph, machine), 0.5 * all) << tasks;
    EXPECT_GE(all / earliest_finish(d.graph, machine, 2).makespan(), 1.8) << tasks;
  }
}

}  // namespace grain_test
}  // namespace lw
