#include "task_graph.hpp"

#include <algorithm>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../graph/function.hpp"

namespace lw {

namespace {

void add_dependence(std::vector<Dependence>& list, int task, int bytes) {
  const auto known = std::find_if(list.begin(), list.end(), [&](const Dependence& d) { return d.task == task; });
  if (known == list.end()) {
    list.push_back({task, bytes});
  } else {
    known->bytes += bytes;
  }
}

// Names a cycle among tasks that all wait for each other.
std::string circle(const TaskGraph& graph, const std::vector<int>& waiting_for) {
  std::vector<int> seen_at(at(graph.size()), -1), way;
  int task = 0;
  while (waiting_for[at(task)] == 0) ++task;
  while (seen_at[at(task)] < 0) {
    seen_at[at(task)] = static_cast<int>(way.size());
    way.push_back(task);
    const auto& before = graph.before(task);
    task = std::find_if(before.begin(), before.end(), [&](const Dependence& d) {
             return waiting_for[at(d.task)] > 0;
           })->task;
  }
  std::string words = graph[task].name;
  for (std::size_t k = way.size(); k-- > at(seen_at[at(task)]);) words += " -> " + graph[way[k]].name;
  return words;
}

}  // namespace

int TaskGraph::add(Task task) {
  tasks_.push_back(std::move(task));
  before_.emplace_back();
  after_.emplace_back();
  return size() - 1;
}

void TaskGraph::depend(int from, int to, int bytes) {
  require(from >= 0 && from < size() && to >= 0 && to < size(), "a dependence connects two tasks of the graph");
  require(bytes >= 0, "a message has at least 0 bytes");
  add_dependence(before_[at(to)], from, bytes);
  add_dependence(after_[at(from)], to, bytes);
}

int TaskGraph::find(const std::string& task) const {
  for (int i = 0; i < size(); ++i) {
    if (tasks_[at(i)].name == task) return i;
  }
  return -1;
}

std::vector<int> evaluation_order(const TaskGraph& graph) {
  std::vector<int> waiting_for, order;
  for (int i = 0; i < graph.size(); ++i) {
    waiting_for.push_back(static_cast<int>(graph.before(i).size()));
    if (waiting_for.back() == 0) order.push_back(i);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const Dependence& d : graph.after(order[k])) {
      if (--waiting_for[at(d.task)] == 0) order.push_back(d.task);
    }
  }
  if (static_cast<int>(order.size()) < graph.size()) {
    throw Error(ErrorCode::model,
                "the tasks of " + graph.name() + " wait for each other: " + circle(graph, waiting_for));
  }
  return order;
}

std::vector<int> layers(const TaskGraph& graph) {
  std::vector<int> layer(at(graph.size()), 1);
  for (const int task : evaluation_order(graph)) {
    for (const Dependence& d : graph.after(task)) layer[at(d.task)] = std::max(layer[at(d.task)], layer[at(task)] + 1);
  }
  return layer;
}

OperationCount total_work(const TaskGraph& graph) {
  OperationCount sum;
  for (int i = 0; i < graph.size(); ++i) add_to(sum, graph[i].work);
  return sum;
}

}  // namespace lw
