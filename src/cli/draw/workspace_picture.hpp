// Draws the workspace of a planar mechanism with its dexterity, and the mechanism at home.
#pragma once

#include <string>

#include "../../dynamics/assembly/workspace_map.hpp"

namespace lw::cli {

std::string workspace_picture(const Model<double>& model, int frame, const WorkspaceMap& map);

}  // namespace lw::cli
