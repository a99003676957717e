// A Function as tasks, at a chosen grain. What is finer than a task belongs to one; what is coarser is one.
//
//   instruction   every operation
//   three         three operations a task, as far as there are three on a way or side by side (Dhanaraj's subtasks)
//   vector        what one vector of the algorithm needs: an equation of Luh and Lin (values whose names differ in _x,
//                 _y, _z)
//   body          what one joint or body needs (names with the same number)
//   cost          joined until a task takes about `target` seconds on the machine, no longer: √n strands of equal work
//                 that send each other little, cut into √n windows of time, where n is the number of such tasks
//
// Every grain keeps the graph of tasks free of circles (clusters.hpp says how). Calls and solves are one task each, of
// all their work.
// A change of sign belongs to what is negated and costs nothing; of an input it belongs to no task, like the input
// itself.
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
  std::vector<int> task_of;  // of each node of the function's graph; -1: constants, inputs, what is not live
  std::vector<std::vector<NodeId>> nodes;  // of each task, in an order of evaluation
};

// Not `cost`, which has a target.
Division divide(const Function& function, Grain grain);
Division divide(const Function& function, const Machine& machine, double target);

// What one node costs: a call what its function costs, a solve its residual in every step.
OperationCount work_of(const Graph& graph, NodeId id);
// With what it takes to pass a number to a function and back, which is an instruction like an addition.
OperationCount work_with_passing(const Graph& graph, NodeId id);
// A fused multiplication and addition takes a core as long as one of them: it is one instruction.
inline bool is_arithmetic(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::fma; }

}  // namespace lw
