// A closed mechanism put together: all coordinates of the spanning tree from some that are given.
//
//   r(q) = 0 for the coordinates that are not held, by  q_u ← q_u ⊕ −(J_uᵀ J_u + λ)⁻¹ J_uᵀ r
//
// r and J are those of closure.hpp, J_u the columns of what is free to move; λ = 0 as long as the residual falls by it
// (then this is Newton's method, quadratic), and grows where it does not. What is held leaves several ways to assemble
// the mechanism, its modes: `assemble_from` finds the one that the guess leads to, `assemble_at` keeps that of the home
// pose. It follows the straight line of the actuated coordinates with steps so short that the corrector has little to
// correct and the orientation of J_u, the sign of its determinant in each block of loops, never changes: two modes meet
// only where one of these is zero.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// A configuration counts as closed where no residual is larger (m or rad).
inline constexpr double kClosedResidual = 1e-9;

struct Assembled {
  std::vector<double> q;   // all coordinates of the spanning tree
  double residual = 0.0;   // largest closure residual, m or rad
  double condition = 0.0;  // of J_u: its largest singular value by its smallest; infinite where something stays free
  int iterations = 0;
  bool closed = false;
};

// Velocities of the joints that the file calls actuated, in file order; and their coordinates, of which a spherical
// joint has one more.
std::vector<int> actuated_velocities(const Model<double>& model);
std::vector<int> actuated_coordinates(const Model<double>& model);

// Newton with step control from `guess`; coordinates whose velocities are in `held` keep their values.
Assembled assemble_from(const Model<double>& model, Workspace<double>& work, std::vector<double> guess,
                        const std::vector<int>& held, int most_iterations = 100);

// Those of `candidates`, the first ones first, that may be chosen freely at the closed configuration q: without them
// the rest can still follow every motion of theirs.
std::vector<int> independent_velocities(const Model<double>& model, Workspace<double>& work, In<double> q,
                                        const std::vector<int>& candidates);

// Those of the actuated velocities that lead the motion at a closed configuration: all, or where there are more than
// freedoms the first independent ones. Throws Error where the mechanism is locked, where they leave something free, and
// where it is singular.
std::vector<int> driving_velocities(const Model<double>& model, Workspace<double>& work, const Assembled& at);

// The home pose, closed: with its actuated coordinates where that is possible, else near it. Throws Error where it is
// not.
Assembled assemble_home(const Model<double>& model);

// The same mechanism with the leading joints alone actuated: of more than there are freedoms the first independent ones
// at home. Throws as driving_velocities.
Model<double> led_model(const Model<double>& model);

// The same mechanism with those joints alone actuated that these velocities belong to.
Model<double> led_by(Model<double> model, const std::vector<int>& velocities);

// The mode of the home pose, continued along the straight line from home's actuated coordinates to `actuated` (as many
// as actuated_coordinates has). Throws Error that names the loop that cannot close and by how much, what the actuated
// joints leave free, or at which part of the way the modes meet. More actuated joints than freedoms must fit together.
Assembled assemble_at(const Model<double>& model, In<double> actuated);

// The same from any closed configuration instead of home.
Assembled continue_to(const Model<double>& model, Workspace<double>& work, const Assembled& from, In<double> actuated);

// The loop that is open widest at q, in words: "loop `closure2` is open by 0.0123 m". Empty where all are closed.
std::string open_loop(const Model<double>& model, Workspace<double>& work, In<double> q);

}  // namespace lw
