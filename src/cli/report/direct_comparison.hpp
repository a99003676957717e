// `assemble --path --compare`: the methods of direct kinematics of a planar 3-RRR, side by side along a motion of its
// cranks.
#pragma once

#include <vector>

#include "../../dynamics/assembly/mode_path.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

// `followed`: the same motion by the mechanism's own closures, as the reference for the methods. Throws Error(usage) if
// it is not a planar 3-RRR.
int compare_direct_kinematics(const Arguments& arguments, const Model<double>& model,
                              const std::vector<DrivenSample>& driven, const ClosedPath& followed);

}  // namespace lw::cli
