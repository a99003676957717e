// Local coordinates of a closed mechanism, in numbers: some velocities are independent, the loops determine the others.
//
//   position   from a configuration q that is nearly closed: dependent joints move until φ(q) = 0, by Newton's method
//   velocity   J_u q̇_u = −J_a q̇_a          (projection.hpp)
//
// Which velocities are independent may be chosen anew at any pose (Wehage, Haug 1982). `choose` eliminates loop by loop
// with the largest pivots, in a loop's own joints first, so that a chain of loops is solved one after the other: J_u is
// block triangular (LoopPlan::velocity.blocks), and N loops in a row cost what their Jacobian has entries.
//
// The margin of a choice is its smallest pivot, lengths measured by a link of middling length. It vanishes where the
// independent joints do not determine the others, at a dead centre of this choice. Where the closures themselves lose
// rank, no choice has one, and branches of the motion meet.
#pragma once

#include "projection.hpp"

namespace lw {

class LoopCoordinates {
 public:
  // The independent velocities of a plan, and its equations. The model must outlive it.
  LoopCoordinates(const Model<double>& model, LoopPlan plan);
  LoopCoordinates(const LoopCoordinates&) = delete;
  LoopCoordinates& operator=(const LoopCoordinates&) = delete;

  const LoopPlan& plan() const { return plan_; }
  PlantWorkspace<double>& work() { return work_; }

  // Moves dependent joints until the loops are closed; work() is then posed there (PoseIs::set). False where Newton's
  // method does not converge, or leads farther away than `reach` (rad, or links of middling length).
  bool close(Out<double> q, double reach);
  // The same by the shortest way for all joints, and leaving out what the closures barely say: for poses in which
  // branches meet.
  void close_near_branches(Out<double> q, Out<double> qd);

  struct Margin {
    double least = 0.0;              // smallest pivot of all blocks
    std::vector<double> volumes;     // of each block: its determinant, with its sign
    int lost = 0;                    // pivots below `small`,
    std::vector<std::size_t> loops;  // and the loops of the blocks that have them
  };
  Margin margin(In<double> q, double small = 0.0);

  double length() const { return size_; }  // of a middling link, m

 private:
  const Model<double>& model_;
  const LoopPlan plan_;
  const double size_;
  PlantWorkspace<double> work_;
  std::vector<double> row_scale_, column_scale_;  // that make J dimensionless
  std::vector<double> residual_, step_, whole_;
};

struct LoopChoice {
  LoopPlan plan;        // for LoopCoordinates; nothing else of it may be used
  double margin = 0.0;  // of the best choice that was found
};
// At a closed configuration, as many dependent velocities as `like` has; of all equations, or of those of `like`.
LoopChoice choose_coordinates(const Model<double>& model, const LoopPlan& like, In<double> q,
                              bool same_equations = false);
// By how much the closures are independent at a configuration: the smallest singular value of their Jacobian that is
// not zero in general, lengths measured as above. Zero where branches meet, whatever the coordinates.
double independence_of_closures(const Model<double>& model, const LoopPlan& like, In<double> q);
// The order in which a plan's dependent velocities can be solved for: J_u is block triangular in it.
std::vector<EliminationPlan::Block> elimination_blocks(const Model<double>& model, const LoopPlan& plan, In<double> q);

}  // namespace lw
