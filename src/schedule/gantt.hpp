// A schedule as a Gantt chart: one row per processor, time to the right.
//
// Tasks that determine the makespan (critical_tasks) are highlighted; arrows are messages between processors; hatched
// areas are idle time. The page shows what the task under the pointer computes, what it waits for and which tasks wait
// for it. It is one self-contained file.
#pragma once

#include <string>

#include "schedule.hpp"

namespace lw {

// `of`: what is scheduled, for the title; by default the name of the graph.
std::string gantt_svg(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                      const std::string& of = {});
std::string gantt_html(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                       const std::string& of = {});
// Columns: task, name, processor, start, finish, multiplications, additions, divisions, roots, trigonometric,
// comparisons, waits_for, computes.
std::string gantt_csv(const TaskGraph& graph, const Schedule& schedule);

}  // namespace lw
