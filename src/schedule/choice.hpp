// Which method, which grain, how many processors: schedules compared, and what follows from them.
#pragma once

#include <string>
#include <vector>

#include "grain.hpp"
#include "schedule.hpp"

namespace lw {

// "tsa", "hlf", "heft", "cluster", "partition", "optimal"
const std::vector<std::string>& scheduling_methods();
// Throws Error(usage) for another. `seconds` is for "optimal".
Schedule schedule_by(const std::string& method, const TaskGraph& graph, const Machine& machine, int processors,
                     double seconds = 10.0);

// What a task writes, on its way to another processor: once for all that read it there.
struct Message {
  int from = 0;              // the task
  std::vector<int> readers;  // on one processor, the first of them first
};
std::vector<Message> messages(const TaskGraph& graph, const Schedule& schedule);

struct Figures {
  double makespan = 0.0;
  double speedup = 1.0;     // against one processor that has all to do and sends nothing
  double efficiency = 1.0;  // speedup / processors
  double idle = 0.0;        // time that processors wait, all together
  int idle_slots = 0;       // the same in tasks, where these are of one length; else -1
  int levels = 0;           // times at which tasks start: cycles, where tasks are of one length
  int messages = 0;         // from one processor to another
};
// `alone`: what one processor takes; 0: serial_time(graph, machine).
Figures figures(const TaskGraph& graph, const Machine& machine, const Schedule& schedule, double alone = 0.0);

// The grain that gives the shortest schedules. Without messages none is shorter than with every operation alone (TSA:
// than with its three); with messages tasks of several lengths are tried by `earliest_finish`.
struct ChosenGrain {
  Division division;
  std::string name;  // "instruction", "three", "120 ns a task", "whole"
};
// `machine` is one for code of this size (Machine::for_code_of).
ChosenGrain choose_grain(const Function& function, const Machine& machine, int processors,
                         const std::string& method = "heft");

// How many processors are worth it, and why. Without messages: the most that are busy 98 % of the time or longer. With
// messages: those of the shortest schedule, or the fewest that come within 5 % of it; 1 where that is all there is to
// gain. Schedules may be of machines for code of their size; `machine` is as it was loaded.
struct Recommendation {
  int processors = 1;
  std::string reason;
};
Recommendation recommend(const TaskGraph& graph, const Machine& machine, const std::vector<Schedule>& schedules);

// Critical path by tasks, from the first to the last: what keeps the schedule from being shorter. Each task waits for
// the one before it, be it for what that sends or for its processor.
std::vector<int> critical_tasks(const TaskGraph& graph, const Machine& machine, const Schedule& schedule);

// What times up to `longest` are written in: seconds, … nanoseconds, or steps.
struct TimeUnit {
  double size = 1.0;
  std::string name = "steps";
};
TimeUnit time_unit(const Machine& machine, double longest);
// A time as a reader wants it: "90 ns", "3.65 ms", or "27 steps" of a machine without seconds.
std::string time_text(const Machine& machine, double time);

}  // namespace lw
