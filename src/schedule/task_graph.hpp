// Tasks and their dependences: the input of schedulers.
//
//   TaskGraph graph("inverse of puma560");
//   const int a = graph.add({"omega2_x", "c2 omega1_x + s2 omega1_y", {.multiplications = 2, .additions = 1}});
//   const int b = graph.add({...});
//   graph.depend(a, b, 8);                 // b reads 8 bytes that a wrote
//
// Tasks keep the order in which they were added. List schedulers use it as priority order; it need not be an order of
// evaluation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../base/index.hpp"
#include "../graph/scalar.hpp"

namespace lw {

struct Task {
  std::string name;
  std::string text;  // what it computes, in words
  OperationCount work;
};

struct Dependence {
  int task = 0;  // the other task of the edge
  int bytes = 0;
};

class TaskGraph {
 public:
  explicit TaskGraph(std::string name) : name_(std::move(name)) {}

  int add(Task task);
  // `to` reads so many bytes that `from` wrote. Repeated calls add up.
  void depend(int from, int to, int bytes = 8);

  const std::string& name() const { return name_; }
  int size() const { return static_cast<int>(tasks_.size()); }
  const Task& operator[](int task) const { return tasks_[at(task)]; }
  const std::vector<Dependence>& before(int task) const { return before_[at(task)]; }
  const std::vector<Dependence>& after(int task) const { return after_[at(task)]; }
  int find(const std::string& task) const;  // -1 if there is none of that name

 private:
  std::string name_;
  std::vector<Task> tasks_;
  std::vector<std::vector<Dependence>> before_, after_;
};

// An order of evaluation. Throws Error(model) that names a cycle if there is one.
std::vector<int> evaluation_order(const TaskGraph& graph);
// Layer of each task: 1 if it waits for none, else one more than the largest layer that it waits for.
std::vector<int> layers(const TaskGraph& graph);
OperationCount total_work(const TaskGraph& graph);

}  // namespace lw
