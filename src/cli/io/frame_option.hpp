// --frame: one of the model's frames by its name.
#pragma once

#include <string>

#include "../../model/model.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

Option frame_option(const std::string& meaning);
// The last frame if absent. Throws Error(usage) for an unknown name.
int chosen_frame(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
