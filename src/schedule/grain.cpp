#include "grain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../codegen/text/equations.hpp"
#include "clusters.hpp"
#include "task_words.hpp"

namespace lw {
namespace {

constexpr int kBytes = 8;  // per value

OperationCount sum(const OperationCount& a, const OperationCount& b, std::int64_t times = 1) {
  return {a.multiplications + times * b.multiplications,
          a.additions + times * b.additions,
          a.divisions + times * b.divisions,
          a.roots + times * b.roots,
          a.trigonometric + times * b.trigonometric,
          a.comparisons + times * b.comparisons};
}

// The vector or body that a value belongs to, by its name: omega2 (for omega2_x), or 2.
std::string owner(const std::string& name, Grain grain) {
  const Symbol symbol = parsed(name);
  return grain == Grain::body ? symbol.body : symbol.quantity + symbol.body;
}

// The label of each node. A value without a name belongs to its first reader; results have labels of their own: tau2 is
// of body 2.
std::vector<int> labels(const Function& function, Grain grain) {
  const Graph& graph = function.graph();
  std::map<std::string, int> numbers;
  std::vector<int> label(graph.size(), -1);
  const auto number = [&](const std::string& text) {
    return numbers.try_emplace(text, static_cast<int>(numbers.size())).first->second;
  };
  for (const NodeId id : function.order()) {
    const std::string* name = graph.name_of(id);
    if (name != nullptr && graph[id].op != Op::input) label[id] = number(owner(*name, grain));
  }
  std::size_t k = 0;
  for (const Group& group : function.outputs()) {
    for (std::size_t i = 0; i < group.size; ++i, ++k) {
      const NodeId r = function.results()[k];
      // the entries of a column belong together
      const std::size_t at = group.rows == 0 ? i : i / group.rows;
      if (label[r] < 0) label[r] = number(owner(fmt::format("{}{}", group.name, at + 1), grain));
    }
  }
  std::vector<bool> has_own(graph.size());
  for (std::size_t id = 0; id < label.size(); ++id) has_own[id] = label[id] >= 0;
  for (std::size_t n = function.order().size(); n-- > 0;) {  // in reverse, so that the first reader decides
    const NodeId id = function.order()[n];
    for_each_operand(graph, id, [&](NodeId operand) {
      if (!has_own[operand]) label[operand] = label[id];
    });
  }
  return label;
}

// Times by node, without the overhead of a task.
std::vector<double> seconds_of(const Function& function, const Machine& machine) {
  std::vector<double> seconds(function.graph().size(), 0.0);
  Machine alone = machine;
  alone.overhead = 0.0;
  for (const NodeId id : function.order()) seconds[id] = alone.duration(work_of(function.graph(), id));
  return seconds;
}

Division divided(const Function& function, const Clusters& clusters) {
  const Graph& graph = function.graph();
  const TaskWords words(function);
  Division division{TaskGraph(function.name()), std::vector<int>(graph.size(), -1), clusters.members()};
  for (std::size_t t = 0; t < division.nodes.size(); ++t) {
    Task task;
    for (const NodeId id : division.nodes[t]) {
      division.task_of[id] = static_cast<int>(t);
      task.work = sum(task.work, work_of(graph, id));
    }
    // the last one that the algorithm or a result names
    const auto& nodes = division.nodes[t];
    const auto named = std::find_if(nodes.rbegin(), nodes.rend(), [&](NodeId id) { return words.has_name(id); });
    task.name = words.name(named != nodes.rend() ? *named : nodes.back());
    task.text = words.text(division.nodes[t]);
    division.graph.add(std::move(task));
  }
  for (std::size_t t = 0; t < division.nodes.size(); ++t) {
    std::set<NodeId> read;  // each value is sent once
    for (const NodeId id : division.nodes[t]) {
      for_each_operand(graph, id, [&](NodeId operand) {
        while (graph[operand].op == Op::neg) operand = graph[operand].a;
        const int from = division.task_of[operand];
        if (from < 0 || from == static_cast<int>(t) || !read.insert(operand).second) return;
        division.graph.depend(from, static_cast<int>(t), kBytes);
      });
    }
  }
  return division;
}

}  // namespace

OperationCount work_of(const Graph& graph, NodeId id) {
  const Node& n = graph[id];
  OperationCount work;
  switch (n.op) {
    case Op::constant:
    case Op::input:
    case Op::neg:
    case Op::output: break;
    case Op::add:
    case Op::sub: work.additions = 1; break;
    case Op::mul: work.multiplications = 1; break;
    case Op::div: work.divisions = 1; break;
    case Op::fma: work.multiplications = work.additions = 1; break;
    case Op::sqrt: work.roots = 1; break;
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::less:
    case Op::select: work.comparisons = 1; break;
    case Op::call: work = cost(*graph.calls()[n.a].function).operations; break;
    case Op::solve: {
      const Solve& solve = graph.solves()[n.a];
      work = sum({}, cost(solve.step != nullptr ? *solve.step : *solve.residual).operations, solve.steps);
      break;
    }
    default: work.trigonometric = 1;
  }
  return work;
}

Division divide(const Function& function, Grain grain) {
  require(grain != Grain::cost, "the grain `cost` needs a machine and a target");
  const Graph& graph = function.graph();
  std::vector<double> operations(graph.size(), 0.0);
  for (const NodeId id : function.order()) {
    const OperationCount w = work_of(graph, id);
    operations[id] =
        static_cast<double>(w.multiplications + w.additions + w.divisions + w.roots + w.trigonometric + w.comparisons);
  }
  Clusters clusters(function, operations);
  if (grain == Grain::three) {
    clusters.join_readers(3.0);
    clusters.join_layers(3.0);
  }
  if (grain == Grain::vector || grain == Grain::body) clusters.join_labels(labels(function, grain));
  return divided(function, clusters);
}

Division divide(const Function& function, const Machine& machine, double target) {
  require(target > 0.0, "tasks take some time");
  const std::vector<double> seconds = seconds_of(function, machine);
  const double count = std::accumulate(seconds.begin(), seconds.end(), 0.0) / target;
  const int strands = std::max(1, static_cast<int>(std::lround(std::sqrt(count))));
  Clusters clusters(function, seconds);
  clusters.join_readers(target);
  clusters.join_strands(strands, std::max(1, static_cast<int>(std::min(1e6, count / strands))), target);
  clusters.join_neighbours(target);
  return divided(function, clusters);
}

OperationCount work_with_passing(const Graph& graph, NodeId id) {
  OperationCount work = work_of(graph, id);
  if (graph[id].op == Op::call) {
    const Call& call = graph.calls()[graph[id].a];
    work.additions += static_cast<std::int64_t>(call.arguments.size() + call.function->output_size());
  }
  return work;
}

}  // namespace lw
