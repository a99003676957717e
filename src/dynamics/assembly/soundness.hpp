// Consistency of the loops of a mechanism: the remaining degrees of freedom, and the fault if there are none.
//
//   Grübler–Kutzbach:  Σ freedoms of all joints − Σ λ over the loops, λ = 3 for a loop that moves in a plane, else 6
//                      (for one λ the same as λ (links − 1 − joints) + Σ freedoms)
//   by rank:           nv − rank J at a closed configuration in general position
//
// The two differ if closures are redundant, by the number of redundant equations.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

struct LoopJudgement {
  bool planar = false;  // every loop moves in a plane
  int gruebler = 0;     // freedoms by counting
  int freedoms = 0;     // by rank
  int equations = 0;    // of the closures, in space
  int independent = 0;  // of these by counting: λ less the freedoms of the closing joint, for each loop
  int rank = 0;         // and in fact
  bool closed = true;   // from the home pose
  double residual = 0.0;
  std::vector<int> redundant;  // loops without which the rank is the same
};
LoopJudgement judge_loops(const Model<double>& model);

// What makes it useless, in the file's words, or "": loops that conflict, nothing that moves.
std::string complaint(const Model<double>& model, const LoopJudgement& judgement);
// What deserves a warning, or "": loops that say nothing that others have not said. Motion and torques are as without
// them, and what they bear is not determined.
std::string redundancy(const Model<double>& model, const LoopJudgement& judgement);
// What is remarkable but no harm: equations that are partly redundant, freedoms that counting does not see.
std::string remark(const Model<double>& model, const LoopJudgement& judgement);

}  // namespace lw
