// Input common to `sensitivity` and `optimize`: parameters, functionals, inputs of the mechanism.
#pragma once

#include <string>
#include <vector>

#include "../../simulate/design/design_run.hpp"
#include "../frame/command.hpp"
#include "plant_input.hpp"

namespace lw::cli {

// "all": of the file; "inertial": of links; "start": the initial state; else names separated by commas, which may
// include these words. `state`: the independent joints, whose state is given.
std::vector<std::string> design_parameters(const std::string& option, const std::string& text,
                                           const Mechanism& mechanism, const Model<double>& state);

// "integral: FORMULA", "end: FORMULA" or "SECONDS: FORMULA".
DesignFunctional functional_of(const std::string& option, const std::string& text);

// --torque JOINT=FORMULA of actuated joints, one entry per velocity of the tree.
std::vector<WrittenFormula> torque_formulas(const Arguments& arguments, const LoadedPlant& plant);

}  // namespace lw::cli
