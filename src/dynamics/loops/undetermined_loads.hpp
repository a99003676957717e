// Bearings whose loads rigid bodies do not determine.
//
// Loops that hold more than they must can be strained against themselves: forces λ in the cut joints with Jᵀ λ = 0, J
// all equations of the closures, do nothing to the motion, and with them
//   reactions r = r₀ + N y,   any y
// satisfy the equations of motion: of a planar loop whatever acts across its plane. r₀, which algorithms take
// (projection.hpp), has what loops need not hold in the joints of the tree, so that it depends on which joint the file
// cuts. Were it shared as evenly as possible, min |r₀ + N y| (moments by a length of the mechanism), bearings would be
// loaded otherwise: where their friction is another then, it is not known.
#pragma once

#include <string>
#include <vector>

#include "projection.hpp"

namespace lw {

struct UndeterminedLoads {
  std::vector<std::string> joints;  // with bearings, cut ones by the names of their loops
  std::vector<std::string> loops;   // that hold more than they must
};
// In the motion that work has: after inverse_dynamics, generalised_forces or ClosedLosses::forces at q.
UndeterminedLoads undetermined_loads(const Model<double>& model, const LoopPlan& plan,
                                     const PlantWorkspace<double>& work, In<double> q,
                                     std::span<const Force<double>> external = {});
// In words, or "".
std::string to_string(const UndeterminedLoads& loads, const std::string& mechanism);

}  // namespace lw
