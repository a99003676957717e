// A Function as tasks, at a chosen grain. What is finer than a task belongs to one; what is coarser is one.
//
//   instruction   every operation
//   three         three operations a task, as far as there are three on a way or side by side (Dhanaraj's subtasks)
//   vector        what one vector of the algorithm needs: an equation of Luh and Lin (values whose names differ in _x, _y, _z)
//   body          what one joint or body needs (names with the same number, sections of the graph)
//   cost          joined until a task takes about `target` seconds on the machine, never against the order of evaluation
//
// Every grain keeps the graph of tasks free of circles. Calls and solves are one task each, of all their work.
#pragma once

#include <vector>

#include "../graph/function.hpp"
#include "machine.hpp"
#include "task_graph.hpp"

namespace lw {

enum class Grain { instruction, three, vector, body, cost };

struct Division {
  TaskGraph graph;
  std::vector<int> task_of;                // of each node of the function's graph; -1: constants, inputs, what is not live
  std::vector<std::vector<NodeId>> nodes;  // of each task, in an order of evaluation
};

Division divide(const Function& function, Grain grain);
Division divide(const Function& function, const Machine& machine, double target);

}  // namespace lw
