// The workspace of a planar mechanism as a drawing: how well its frame can be moved where, with the mechanism at home
// in it.
#pragma once

#include <string>

#include "../../dynamics/assembly/workspace_map.hpp"

namespace lw::cli {

std::string workspace_picture(const Model<double>& model, int frame, const WorkspaceMap& map);

}  // namespace lw::cli
