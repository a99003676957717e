// Divide: task graphs, machines, schedules, charts of them, and functions on several cores.
#pragma once

#include "codegen.hpp"
#include "schedule/choice.hpp"
#include "schedule/executor.hpp"
#include "schedule/gantt.hpp"
#include "schedule/host.hpp"
#include "schedule/machine.hpp"
#include "schedule/schedule.hpp"
#include "schedule/task_graph.hpp"
