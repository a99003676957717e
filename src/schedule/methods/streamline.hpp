// Newton-Euler dynamics of a serial arm as subtasks of three operations each (Dhanaraj 1990, chapter 4).
//
// Per link i, with the vector p_i to the next origin, s_i to the centre of mass, and λ the matrix of accelerations that
// differ along the link, λ r = α × r + ω × (ω × r):
//
//    1, 2    Rᵀ ω of the link before          20..25  λ s, and the acceleration of the centre of mass
//    3       ω, and c = q̇ (ω_y, -ω_x), q̈      26      F = m a_c
//    4..6    α                                27..29  N = I α + ω × I ω
//    7, 8    products and squares of ω        30..32  f = F + R f of the link after
//    9..11   λ                                33..38  p × f, s × F
//   12..17   λ p of the link before, summed   39..43  n
//   18, 19   a, turned
//
// Axes are parallel or perpendicular to each other and inertias diagonal, so that a row of R v is one subtask or free.
// Terms that vanish are left out: for the first link those of a resting base, for the last link those of a free end,
// for a prismatic joint those of rotation, and products with zeros of p and s: of six subtasks 4, 2 or 0 remain, of
// three 2, 1 or 0, for one, two or three zeros. The successors of an omitted task wait for its predecessors.
//
// The q̈ and Coriolis terms of a prismatic joint (3, 6) add to a, not to α: 6 waits for 18 and 19, and precedes 23..25
// and the next link's 15..17.
//
// Friction adds eight subtasks to a revolute joint and six to a prismatic one; no other subtasks wait for them:
//   44       d/2 f_x, d/2 f_y, σ μ r / d
//   45, 46   the sums of a support, and its first square        47, 48  its second, the sum, the root   (sliding: none)
//   49       both supports together, times 44, plus the torque
//   50, 51   efficiency at that load and the torque through it; breakaway
#pragma once

#include <array>
#include <vector>

#include "../../model/model.hpp"
#include "../task_graph.hpp"

namespace lw {

struct StreamlinedLink {
  bool prismatic = false;
  // which entries of the vectors are nonzero
  std::array<bool, 3> next_origin{true, true, true};     // p; unused for the last link
  std::array<bool, 3> centre_of_mass{true, true, true};  // s
};

// The links of a model, in frames whose z are the joints' axes and whose x are along their common normals. Throws
// Error(model) unless the model is a serial arm of revolute and prismatic joints with perpendicular or parallel axes,
// and with principal axes of inertia along these frames.
std::vector<StreamlinedLink> streamlined_links(const Model<double>& model);

struct StreamlineOptions {
  bool bearings = false;       // friction that the joints' reactions cause
  bool transmissions = false;  // losses between motor and joint
};

// All subtasks of n links with revolute joints, 43 each, in the order of links. The name of subtask t of link i is i
// followed by two digits: 213.
TaskGraph subtasks(int links);
// The subtasks that are needed.
TaskGraph streamline(const std::vector<StreamlinedLink>& links, const StreamlineOptions& options = {});
// Some tasks of a graph, in its order. Successors of an omitted task wait for its predecessors.
TaskGraph restricted(const TaskGraph& graph, const std::vector<bool>& keep);

// The layer that Dhanaraj's table 4.3 gives to subtask t of link i of n: outward the subtask's own layer plus two per
// link, then inward; 4 n + 3 layers in total. Friction subtasks follow those that they wait for.
int streamlined_layer(int link, int subtask, int links);

// From a task's name.
struct SubtaskName {
  int link = 0, subtask = 0;
};
SubtaskName subtask_of(const Task& task);

}  // namespace lw
