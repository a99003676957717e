// How all joints of a closed mechanism follow the driven ones:  q̇ = G q̇_driven,  G = 1 on the driven, −J_u⁺ J_d on
// the rest.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// G by columns, nv rows. Throws Error(data) where the closures are singular by what is not driven: a parallel
// singularity.
std::vector<double> follower_rates(const Model<double>& model, Workspace<double>& work, In<double> q,
                                   const std::vector<int>& driven);

}  // namespace lw
