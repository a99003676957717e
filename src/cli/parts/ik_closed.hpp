// `ik` of mechanisms with loops: driven joints for a pose, in every working mode.
#pragma once

#include "../frame/command.hpp"
#include "../io/model_input.hpp"

namespace lw::cli {

int run_closed_ik(const Arguments& arguments, const LoadedModel& loaded);

}  // namespace lw::cli
