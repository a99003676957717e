// Divides a Function into tasks of a chosen grain.
//
//   instruction   every operation
//   three         three operations per task, in a row or side by side, where there are three (Dhanaraj's subtasks)
//   vector        what one vector of the algorithm needs: an equation of Luh and Lin (values whose names differ in _x,
//                 _y, _z)
//   body          what one joint or body needs (names with the same number)
//   cost          joined until a task takes about `target` seconds on the machine, no longer: √n strands of equal work
//                 that send each other little, cut into √n windows of time, where n is the number of such tasks
//
// The graph of tasks is always acyclic (clusters.hpp). A call or a solve is one task with all of its work. A change of
// sign belongs to the value that is negated and costs nothing. The sign of an input belongs to no task, like the input.
#pragma once

#include <string>
#include <vector>

#include "../graph/function.hpp"
#include "machine.hpp"
#include "task_graph.hpp"

namespace lw {

enum class Grain { instruction, three, vector, body, cost };

struct Division {
  TaskGraph graph;
  std::vector<int> task_of;                // of each node of the function's graph; -1: constants, inputs, dead nodes
  std::vector<std::vector<NodeId>> nodes;  // of each task, in an order of evaluation
};

// Not for `cost`, which takes a target.
Division divide(const Function& function, Grain grain);
Division divide(const Function& function, const Machine& machine, double target);

// The cost of one node: of a call that of its function, of a solve that of its residual in every step.
OperationCount work_of(const Graph& graph, NodeId id);
// The same with the numbers passed to a function and back, one instruction each, like an addition.
OperationCount work_with_passing(const Graph& graph, NodeId id);
// A fused multiply-add takes as long as a multiplication: it is one instruction.
inline bool is_arithmetic(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::fma; }

}  // namespace lw
