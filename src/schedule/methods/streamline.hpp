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
// Axes are parallel or square to each other and inertias diagonal, so that a row of R v is one subtask or free. What
// vanishes is left out: with the first link all that hangs on a resting base, with the last what hangs on a free end,
// with a sliding joint what its turning would add, and products with zeros of p and s: of six subtasks 4, 2 or 0 are
// left, of three 2, 1 or 0, for one, two or three zeros. What a task that is left out would have waited for, its
// successors wait for.
//
// A sliding joint's q̈ and Coriolis terms (3, 6) add to a, not to α: 6 waits for 18 and 19, and stands before 23..25
// and the next link's 15..17.
//
// Friction adds eight subtasks to a turning joint and six to a sliding one, on which nothing else waits:
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
  // which entries of the vectors are other than 0
  std::array<bool, 3> next_origin{true, true, true};     // p; of the last link it plays no part
  std::array<bool, 3> centre_of_mass{true, true, true};  // s
};

// The links of a model, in frames whose z are the joints' axes and whose x are along their common normals. Throws
// Error(model) where the model is no serial arm of turning and sliding joints, square or parallel to each other, with
// inertias along the axes of these frames.
std::vector<StreamlinedLink> streamlined_links(const Model<double>& model);

struct StreamlineOptions {
  bool bearings = false;       // friction that the joints' reactions cause
  bool transmissions = false;  // losses between motor and joint
};

// All subtasks of n turning links, 43 each, in the order of links; subtask t of link i is named i followed by two
// digits: 213.
TaskGraph subtasks(int links);
// Those that are needed.
TaskGraph streamline(const std::vector<StreamlinedLink>& links, const StreamlineOptions& options = {});
// Some tasks of a graph, in its order; who waited for one that is left out waits for what that one waited for.
TaskGraph restricted(const TaskGraph& graph, const std::vector<bool>& keep);

// The layer that Dhanaraj's table 4.3 gives to subtask t of link i of n: forwards the subtask's own layer and two more
// a link, then back again; 4 n + 3 in all. Subtasks of friction follow those that they wait for.
int streamlined_layer(int link, int subtask, int links);

// Of a task's name.
struct SubtaskName {
  int link = 0, subtask = 0;
};
SubtaskName subtask_of(const Task& task);

}  // namespace lw
