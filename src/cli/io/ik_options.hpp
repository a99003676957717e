// What --target and --branch of `ik` say.
#pragma once

#include <string>

#include "../../dynamics/kinematics/inverse_kinematics.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

// x,y,z or x,y,z,roll,pitch,yaw
IkTarget read_target(const std::string& text, bool position_only);
// Which of the solutions is meant: 0 where --branch is absent.
std::size_t read_branch(const Arguments& arguments);
// Throws Error(usage) where there are not so many.
void require_branch(std::size_t branch, std::size_t solutions);

}  // namespace lw::cli
