// --frame: one of the model's frames by its name.
#pragma once

#include <string>

#include "../../model/model.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

Option frame_option(const std::string& meaning);
// The last frame where it is absent. Throws Error(usage) for a name that the model does not have.
int chosen_frame(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
