// Common parts of schedulers: durations, priorities, and processors filled with tasks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../base/index.hpp"
#include "schedule.hpp"

namespace lw {

// Durations of the tasks on the machine. Throws Error(data) if one is negative or not a number.
std::vector<double> durations(const TaskGraph& graph, const Machine& machine);
// The largest time of which all are multiples; 0 if there is none of a useful size. Without messages, all starts of a
// shortest schedule can be multiples of it.
double common_unit(const std::vector<double>& durations);
// Rounded up to a multiple of the unit, with tolerance for rounding errors; unchanged if there is no unit.
double round_up(double time, double unit);
// Whether messages between so many processors take any time.
bool has_messages(const TaskGraph& graph, const Machine& machine, int processors);

// Average time of a message between two different processors.
class MeanDelay {
 public:
  MeanDelay(const Machine& machine, int processors) : machine_(machine), processors_(processors) {}
  double operator()(int bytes) const;

 private:
  const Machine& machine_;
  int processors_;
  mutable std::map<int, double> known_;
};

// By longest path to the end, messages included; every task comes after those that it waits for.
std::vector<int> by_upward_rank(const TaskGraph& graph, const Machine& machine, int processors);

// For every schedule on so many processors: the earliest start of each task, and the least time from its end to the end
// of all.
struct Windows {
  std::vector<double> head, tail;
};
Windows windows(const TaskGraph& graph, const std::vector<double>& durations, int processors);

class Timeline {
 public:
  Timeline(const TaskGraph& graph, const Machine& machine, int processors);

  const std::vector<double>& durations() const { return durations_; }
  double finish(int task) const { return placement(task).finish; }
  // When everything that the task waits for has arrived at that processor; those tasks must be placed already.
  double arrival(int task, int processor) const;
  // When the processor finishes its last task.
  double available(int processor) const;
  // The first time from `ready` on at which the processor has a long enough gap, possibly after all of its tasks.
  double gap(int processor, double ready, double duration) const;
  void place(int task, int processor, double start);

  // The schedule so far, sorted, with lower_bound(graph, machine, processors).
  Schedule schedule(std::string method) const;

 private:
  const Placement& placement(int task) const;

  const TaskGraph& graph_;
  const Machine& machine_;
  std::vector<double> durations_;
  std::vector<Placement> placements_;
  std::vector<int> of_task_;                                  // its place in placements_, or -1
  std::vector<std::vector<std::pair<double, double>>> busy_;  // of each processor, in order of time
};

// Tasks whose predecessors are all scheduled, in the order of a list of all tasks.
class ReadyTasks {
 public:
  ReadyTasks(const TaskGraph& graph, std::vector<int> list);
  const std::set<int>& positions() const { return ready_; }  // in the list
  int task(int position) const { return list_[at(position)]; }
  void take(int position);

 private:
  const TaskGraph& graph_;
  std::vector<int> list_, position_, waiting_for_;
  std::set<int> ready_;
};

}  // namespace lw
