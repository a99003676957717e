// Compares schedules: by which method, at which grain, on how many processors.
#pragma once

#include <string>
#include <vector>

#include "grain.hpp"
#include "schedule.hpp"

namespace lw {

// "tsa", "hlf", "heft", "cluster", "partition", "optimal"
const std::vector<std::string>& scheduling_methods();
// Throws Error(usage) for any other name. `seconds` limits the search of "optimal".
Schedule schedule_by(const std::string& method, const TaskGraph& graph, const Machine& machine, int processors,
                     double seconds = 10.0);

// What a task sends to another processor: one message for all of its readers there.
struct Message {
  int from = 0;              // the task
  std::vector<int> readers;  // on one processor, the first of them first
};
std::vector<Message> messages(const TaskGraph& graph, const Schedule& schedule);

struct Figures {
  double makespan = 0.0;
  double speedup = 1.0;     // against one processor that does everything and sends nothing
  double efficiency = 1.0;  // speedup / processors
  double idle = 0.0;        // total time that processors wait
  int idle_slots = 0;       // idle time in tasks if all have the same length, else -1
  int levels = 0;           // distinct start times of tasks: cycles if all tasks have the same length
  int messages = 0;         // from one processor to another
};
// `alone`: time on one processor; 0: serial_time(graph, machine).
Figures figures(const TaskGraph& graph, const Machine& machine, const Schedule& schedule, double alone = 0.0);

// The grain that gives the shortest schedules. Without messages, one operation per task is best (TSA: three). With
// messages, several task lengths are tried with `earliest_finish`.
struct ChosenGrain {
  Division division;
  std::string name;  // "instruction", "three", "120 ns a task", "whole"
};
// `machine` must be for code of this size (Machine::for_code_of).
ChosenGrain choose_grain(const Function& function, const Machine& machine, int processors,
                         const std::string& method = "heft");

// How many processors are worth using, and why. Without messages: the largest number that is busy for at least 98 % of
// the time. With messages: the smallest number within 5 % of the shortest schedule, or 1 if no division gains more than
// that. The schedules may use machines for code of their size; `machine` is the one that was loaded.
struct Recommendation {
  int processors = 1;
  std::string reason;
};
Recommendation recommend(const TaskGraph& graph, const Machine& machine, const std::vector<Schedule>& schedules);

// The tasks that determine the makespan, from the first to the last. Each waits for the one before it: for its message
// or for its processor.
std::vector<int> critical_tasks(const TaskGraph& graph, const Machine& machine, const Schedule& schedule);

// The unit for times up to `longest`: seconds, …, nanoseconds, or steps.
struct TimeUnit {
  double size = 1.0;
  std::string name = "steps";
};
TimeUnit time_unit(const Machine& machine, double longest);
// A time as text: "90 ns", "3.65 ms", or "27 steps" if the machine does not measure in seconds.
std::string time_text(const Machine& machine, double time);

}  // namespace lw
