// When and where each task runs, and whether that is valid.
//
//   makespan T_p = latest finish;   speed-up S = T_1 / T_p, T_1 one processor without messages;   efficiency S / p
//   T_p >= max(critical path, T_1 / p), and sharper bounds (Fernandez, Bussell 1973)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine.hpp"
#include "task_graph.hpp"

namespace lw {

struct Placement {
  int task = 0;
  int processor = 0;
  double start = 0.0, finish = 0.0;
};

struct Schedule {
  std::string method;
  int processors = 1;
  std::vector<Placement> placements;  // by start, then processor; a published schedule may lack tasks or list one twice
  double lower_bound = 0.0;           // proven; equal to the makespan if that is optimal
  bool proven_optimal = false;

  double makespan() const;
};

// Errors of a schedule, each reported once: a task that is missing, placed twice or unknown; a processor that does not
// exist; a start before 0 or not a number; two tasks at the same time on a processor; a task that is shorter than its
// work; a task that starts before its predecessors are done, or before their messages have arrived. If a task is placed
// twice, its successors may use whichever copy arrives first.
struct Violation {
  enum class Kind {
    missing,
    twice,
    unknown,
    no_processor,
    no_time,
    overlap,
    too_short,
    precedence,
    message
  } kind = Kind::missing;
  int from = -1, to = -1;  // tasks: both for an edge or an overlap, else `to`
  std::string words;
};
std::vector<Violation> violations(const TaskGraph& graph, const Machine& machine, const Schedule& schedule);

// Length of the longest path from each task's start to the end of all, without messages.
std::vector<double> bottom_levels(const TaskGraph& graph, const Machine& machine);
double critical_path(const TaskGraph& graph, const Machine& machine);
double serial_time(const TaskGraph& graph, const Machine& machine);
// No schedule on p processors is shorter (without messages; these only make it longer). Work that must run within an
// interval needs enough processors (Fernandez, Bussell 1973); earliest starts and latest ends account for predecessors
// and successors that share the processors too.
double lower_bound(const TaskGraph& graph, const Machine& machine, int processors);

// Schedulers. All produce valid schedules.

// TSA (Dhanaraj 1990): in each cycle the ready tasks of the current layer in list order, then those of later layers,
// nearest first. For tasks of equal length: a cycle is as long as its longest task. `layer`: of each task; empty:
// layers(graph).
Schedule streamlined(const TaskGraph& graph, const Machine& machine, int processors, std::vector<int> layer = {});
// Highest level first; among equals, most immediate successors first (Kasahara, Narita 1984). Waits for messages.
Schedule highest_level_first(const TaskGraph& graph, const Machine& machine, int processors);
// Heterogeneous earliest finish time (Topcuoglu, Hariri, Wu 2002), with messages and insertion into gaps.
Schedule earliest_finish(const TaskGraph& graph, const Machine& machine, int processors);
// Joins tasks along heavy messages first (Sarkar's edge zeroing), then assigns clusters to processors by load: for
// machines where a message costs more than a task.
Schedule clustered(const TaskGraph& graph, const Machine& machine, int processors);
// Groups tasks that exchange much data and assigns the groups to processors by local search. The simulation that it
// minimises includes the time that a processor spends reading what others wrote: for cores that share memory. Processor
// 0 begins, and waits for the others at the end.
Schedule partitioned(const TaskGraph& graph, const Machine& machine, int processors);
// Depth-first branch and bound (DF/IHS, Kasahara, Narita 1984), starting from the best of the above. Gives an optimum,
// or a gap (lower_bound) after so many search nodes (reproducible) or seconds, whichever comes first. Graphs of more
// than 5000 tasks are not searched.
struct OptimalOptions {
  double seconds = 10.0;   // of the search, without the initial schedules
  std::int64_t nodes = 0;  // 0: as many as usually take less time than that
};
Schedule optimal(const TaskGraph& graph, const Machine& machine, int processors, const OptimalOptions& options = {});

}  // namespace lw
