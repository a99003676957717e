// Velocities of all joints of a closed-loop mechanism from the actuated ones: q̇ = G q̇_driven, with G = 1 for the
// actuated joints and −J_u⁺ J_d for the rest.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// G by columns, nv rows. Throws Error(data) if the closures are singular with respect to the other joints (parallel
// singularity).
std::vector<double> follower_rates(const Model<double>& model, Workspace<double>& work, In<double> q,
                                   const std::vector<int>& driven);

}  // namespace lw
