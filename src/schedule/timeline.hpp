// What schedulers share: durations, and processors that are filled.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedule.hpp"

namespace lw {

// Durations of the tasks on the machine. Throws Error(data) for one that is negative or not a number.
std::vector<double> durations(const TaskGraph& graph, const Machine& machine);
// The largest time that all of them are multiples of, 0 where there is none worth the name: without messages, all starts of a
// shortest schedule can be multiples of it.
double common_unit(const std::vector<double>& durations);
// Rounded up to a multiple of the unit, but for rounding errors; as it is where there is no unit.
double round_up(double time, double unit);
// Whether a message takes any time between any two of so many processors.
bool has_messages(const TaskGraph& graph, const Machine& machine, int processors);

// What a message takes on average between two processors that differ.
class MeanDelay {
 public:
  MeanDelay(const Machine& machine, int processors) : machine_(machine), processors_(processors) {}
  double operator()(int bytes) const;

 private:
  const Machine& machine_;
  int processors_;
  mutable std::map<int, double> known_;
};

// The longest way to the end first, messages included; no task before one that it waits for.
std::vector<int> by_upward_rank(const TaskGraph& graph, const Machine& machine, int processors);

// In any schedule on so many processors: when each task can start at the earliest, and what is to be done after its end.
struct Windows {
  std::vector<double> head, tail;
};
Windows windows(const TaskGraph& graph, const std::vector<double>& durations, int processors);

class Timeline {
 public:
  Timeline(const TaskGraph& graph, const Machine& machine, int processors);

  const std::vector<double>& durations() const { return durations_; }
  bool is_placed(int task) const { return of_task_[static_cast<std::size_t>(task)] >= 0; }
  double finish(int task) const { return placement(task).finish; }
  // When all that the task waits for is on that processor; those tasks are placed already.
  double arrival(int task, int processor) const;
  // When the processor has done the last of its tasks.
  double available(int processor) const;
  // The first time from `ready` on at which the processor has a gap that is long enough, maybe after all its tasks.
  double gap(int processor, double ready, double duration) const;
  void place(int task, int processor, double start);

  // As it stands, sorted, with lower_bound(graph, machine, processors).
  Schedule schedule(std::string method) const;

 private:
  const Placement& placement(int task) const;

  const TaskGraph& graph_;
  const Machine& machine_;
  std::vector<double> durations_;
  std::vector<Placement> placements_;
  std::vector<int> of_task_;                                  // where it is in placements_; -1
  std::vector<std::vector<std::pair<double, double>>> busy_;  // of each processor, in order of time
};

// Tasks whose predecessors are all taken, in the order of a list of all tasks.
class ReadyTasks {
 public:
  ReadyTasks(const TaskGraph& graph, std::vector<int> list);
  const std::set<int>& positions() const { return ready_; }  // in the list
  int task(int position) const { return list_[static_cast<std::size_t>(position)]; }
  void take(int position);

 private:
  const TaskGraph& graph_;
  std::vector<int> list_, position_, waiting_for_;
  std::set<int> ready_;
};

}  // namespace lw
