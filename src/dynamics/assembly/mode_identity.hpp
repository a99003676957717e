// The assembly mode of a closed-loop mechanism, as a label that is constant along a path.
//
// Two modes meet only where the Jacobian J_u of the closures with respect to the unknown coordinates loses rank. It
// falls into blocks: loops that share no free joint, and among those that do, loops that determine all they have before
// the next. Each block has an orientation, the sign of its determinant, and keeps it until it is singular. The label is
// a sign per block, against a reference: `+` as there. For planar loops with two free links each it identifies the
// mode. A platform on three legs has up to six modes with two signs, and may even pass between modes of the same sign
// without a singularity, so that no label can identify them: these are identified by their number in the list of
// `assembly_modes`, and by tracking.
//
// The two sets of angles of a universal joint that holds a rod are one mode (link_comparison.hpp) but reverse the
// determinant's sign: it is multiplied by the handedness of that joint.
//
// The volume of a block is √det(J_bᵀ J_b), with the sign: |det J_b| for a square block, and for a planar loop, which
// has equations that say nothing, that of the others.
#pragma once

#include <string>
#include <vector>

#include "../kinematics/closure.hpp"
#include "link_comparison.hpp"

namespace lw {

// Free velocities and closure equations that depend on each other; equations are numbered as in closure_state.
struct ClosureBlock {
  std::vector<int> velocities, equations, loops;
};
// By what carries what, loops that share a free joint together. Free velocities that no loop touches are in none.
std::vector<ClosureBlock> closure_blocks(const Model<double>& model, const std::vector<int>& held);
// Finer: a loop that determines all of its free joints at q, those known that loops before it determine, is a block of
// its own.
std::vector<ClosureBlock> solvable_blocks(const Model<double>& model, Workspace<double>& work, In<double> q,
                                          const std::vector<int>& held);

// Whether each block's Jacobian has the same orientation in two configurations, as it has in neighbours of one mode.
bool oriented_alike(const Model<double>& model, const std::vector<ClosureBlock>& blocks, const ClosureState& a,
                    const ClosureState& b);

class ModeIdentity {
 public:
  // `reference`: a closed configuration. A block that is singular there has no sign.
  ModeIdentity(const Model<double>& model, Workspace<double>& work, In<double> reference, const std::vector<int>& held);

  struct Measure {
    std::string signs;            // '+' or '-' for each block; '0' where it is singular, here or in the reference
    std::vector<double> volumes;  // with signs, in the unit of the block's determinant
    double distance = 0.0;        // smallest singular value of J_u: so much would have to change to make it singular
    double condition = 1.0;
  };
  Measure at(Workspace<double>& work, In<double> q) const;
  const std::vector<ClosureBlock>& blocks() const { return blocks_; }

 private:
  // Of each block: whether its universal joints are turned over, an odd number of them.
  std::vector<bool> turned_over(Workspace<double>& work, In<double> q) const;

  const Model<double>& model_;
  LinkComparison links_;
  std::vector<LinkComparison::RodEnd> ends_;
  std::vector<ClosureBlock> blocks_;
  std::vector<std::vector<double>> reference_;  // J_b of each block, by columns
  std::vector<bool> reference_over_;
};

}  // namespace lw
