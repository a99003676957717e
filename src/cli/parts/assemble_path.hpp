// `assemble --path`: a motion of the actuated joints, followed in its mode.
#pragma once

#include "../frame/command.hpp"
#include "../io/model_input.hpp"

namespace lw::cli {

// Exit code: 1 if the mode ends before the path does.
int assemble_along(const Arguments& arguments, const LoadedModel& loaded, int frame);

}  // namespace lw::cli
