// Assembly of a closed-loop mechanism: all coordinates of the spanning tree from some given ones.
//
//   r(q) = 0 for the coordinates that are not given, by  q_u ← q_u ⊕ −(J_uᵀ J_u + λ)⁻¹ J_uᵀ r
//
// r and J are those of closure.hpp, J_u the columns of the unknown coordinates; λ = 0 as long as the residual decreases
// (this is Newton's method, quadratic), and increases otherwise. For given coordinates there are several assembly
// modes: `assemble_from` finds the one to which the guess leads, `assemble_at` keeps that of the home pose. It follows
// the straight line of the actuated coordinates with steps so short that corrections are small and the orientation of
// J_u, the sign of its determinant in each block of loops, never changes: two modes meet only where one of these is
// zero.
#pragma once

#include <string>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// A configuration is closed if no residual is larger (m or rad).
inline constexpr double kClosedResidual = 1e-9;

struct Assembled {
  std::vector<double> q;   // all coordinates of the spanning tree
  double residual = 0.0;   // largest closure residual, m or rad
  double condition = 0.0;  // of J_u: its largest singular value by its smallest; infinite if some freedom remains
  int iterations = 0;
  bool closed = false;
};

// Velocities of the joints that the file calls actuated, in file order; and their coordinates, of which a spherical
// joint has one more.
std::vector<int> actuated_velocities(const Model<double>& model);
std::vector<int> actuated_coordinates(const Model<double>& model);

// Newton's method with step control from `guess`; coordinates whose velocities are in `held` keep their values.
Assembled assemble_from(const Model<double>& model, Workspace<double>& work, std::vector<double> guess,
                        const std::vector<int>& held, int most_iterations = 100);

// The members of `candidates`, in order, that are independent at the closed configuration q: the rest can follow every
// motion of theirs.
std::vector<int> independent_velocities(const Model<double>& model, Workspace<double>& work, In<double> q,
                                        const std::vector<int>& candidates);

// The actuated velocities that drive the motion at a closed configuration: all, or with redundant actuation the first
// independent ones. Throws Error if the mechanism is locked, if they leave some freedom undetermined, or if it is
// singular.
std::vector<int> driving_velocities(const Model<double>& model, Workspace<double>& work, const Assembled& at);

// The closed home pose: with its actuated coordinates if possible, else near it. Throws Error if it cannot be closed.
Assembled assemble_home(const Model<double>& model);

// The same mechanism with the leading joints alone actuated: of more than there are freedoms the first independent ones
// at home. Throws as driving_velocities.
Model<double> led_model(const Model<double>& model);

// The same mechanism with those joints alone actuated that these velocities belong to.
Model<double> led_by(Model<double> model, const std::vector<int>& velocities);

// The mode of the home pose, continued along the straight line from home's actuated coordinates to `actuated` (as many
// as actuated_coordinates has). Throws Error that names the loop that cannot close and by how much, the freedom that
// the actuated joints leave undetermined, or the position on the line at which modes meet. Redundant actuated joints
// must be consistent.
Assembled assemble_at(const Model<double>& model, In<double> actuated);

// The same from any closed configuration instead of home.
Assembled continue_to(const Model<double>& model, Workspace<double>& work, const Assembled& from, In<double> actuated);

// The loop with the largest closure error at q, as text: "loop `closure2` is open by 0.0123 m". Empty if all are
// closed.
std::string open_loop(const Model<double>& model, Workspace<double>& work, In<double> q);

}  // namespace lw
