// A schedule as a picture: processors as rows, time to the right.
//
// Tasks on the way that makes the schedule as long as it is (critical_tasks) stand out; arrows are messages between
// processors; what is hatched is time in which a processor waits. The page shows, for the task that the pointer is on,
// what it computes, and what it waits for and who waits for it; it needs nothing but itself.
#pragma once

#include <string>

#include "schedule.hpp"

namespace lw {

// `of`: what is scheduled, for the title; the graph's name unless given.
std::string gantt_svg(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                      const std::string& of = {});
std::string gantt_html(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                       const std::string& of = {});
// Columns: task, name, processor, start, finish, multiplications, additions, divisions, roots, trigonometric,
// comparisons, waits_for, computes.
std::string gantt_csv(const TaskGraph& graph, const Schedule& schedule);

}  // namespace lw
