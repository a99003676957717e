// When and where each task runs, and whether that can be.
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
  std::vector<Placement> placements;  // by start, then processor; a printed one may lack tasks or have one twice
  double lower_bound = 0.0;           // proven; equal to the makespan where it is an optimum
  bool proven_optimal = false;

  double makespan() const;
};

// What is wrong with a schedule, each once: tasks that are missing, placed twice or unknown; a processor that there is
// not; a start before 0 or at no time at all; two tasks at one time on a processor; a task that is shorter than its
// work; a task that starts before what it waits for is done, or has come. Where a task is placed twice, the first to
// come counts for those that wait for it.
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
  int from = -1, to = -1;  // tasks: of an edge both, of an overlap both, else `to`
  std::string words;
};
std::vector<Violation> violations(const TaskGraph& graph, const Machine& machine, const Schedule& schedule);

// Lengths of the longest ways: from each task's start to the end of all, without messages.
std::vector<double> bottom_levels(const TaskGraph& graph, const Machine& machine);
double critical_path(const TaskGraph& graph, const Machine& machine);
double serial_time(const TaskGraph& graph, const Machine& machine);
// No schedule on p processors is shorter (without messages; with them it only gets longer). What must run between two
// times in any schedule that ends by a time needs processors enough (Fernandez, Bussell 1973); earliest starts and
// latest ends take into account that those before and after a task share the processors too.
double lower_bound(const TaskGraph& graph, const Machine& machine, int processors);

// Schedulers. All give valid schedules.

// TSA (Dhanaraj 1990): cycle by cycle the ready tasks of the current layer in list order, then of later layers, nearest
// first. Made for tasks of one length: a cycle is as long as the longest of its tasks. `layer`: of each task;
// empty: layers(graph).
Schedule streamlined(const TaskGraph& graph, const Machine& machine, int processors, std::vector<int> layer = {});
// Highest level first, most immediate successors first among equals (Kasahara, Narita 1984). Messages are waited for.
Schedule highest_level_first(const TaskGraph& graph, const Machine& machine, int processors);
// Heterogeneous earliest finish time (Topcuoglu, Hariri, Wu 2002), with messages and insertion into gaps.
Schedule earliest_finish(const TaskGraph& graph, const Machine& machine, int processors);
// Tasks joined along heavy messages first (Sarkar's edge zeroing), clusters dealt to processors by load: for machines
// where a message costs more than a task.
Schedule clustered(const TaskGraph& graph, const Machine& machine, int processors);
// Groups of tasks that tell each other much, dealt to processors by local search on a simulation in which a processor's
// time also goes into reading what others wrote: for cores that share memory. Processor 0 begins, and waits for the
// others in the end.
Schedule partitioned(const TaskGraph& graph, const Machine& machine, int processors);
// Depth first with bounds (DF/IHS, Kasahara, Narita 1984), from the best of the above: an optimum, or a gap
// (lower_bound) after so many nodes of the search, where results are the same every time, or so many seconds, whichever
// is first. Graphs of more than 5000 tasks are not searched.
struct OptimalOptions {
  double seconds = 10.0;   // of the search; the schedules that it begins with take their own
  std::int64_t nodes = 0;  // 0: as many as usually take less than that
};
Schedule optimal(const TaskGraph& graph, const Machine& machine, int processors, const OptimalOptions& options = {});

}  // namespace lw
