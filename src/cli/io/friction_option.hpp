// The friction terms that `identify` estimates and `excite` designs for: --friction viscous,coulomb,offset and
// --friction-joints.
#pragma once

#include "../../simulate/identify/identify.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

std::vector<Option> friction_options();
IdentifyOptions read_friction(const Arguments& arguments);

}  // namespace lw::cli
