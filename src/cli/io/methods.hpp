// --method: the algorithm. Our own come first, then the formulations of the theses (docs/theory).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../dynamics/formulations/formulation.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

using Methods = std::vector<std::pair<std::string, std::string>>;  // name and description; the first is the default

// `ours`, and every formulation.
Methods with_formulations(Methods ours);

// The option, and the section of the help that explains its values.
Option method_option(const Methods& methods);
Section method_section(const Methods& methods);

// The formulation requested; nullptr for our own algorithms.
const Formulation* chosen_formulation(const Arguments& arguments);

}  // namespace lw::cli
