// What `sensitivity` and `optimize` take alike: parameters, functionals, what drives the mechanism.
#pragma once

#include <string>
#include <vector>

#include "../../simulate/design/design_run.hpp"
#include "../frame/command.hpp"
#include "../io/loaded_plant.hpp"

namespace lw::cli {

// "all": of the file; "inertial": of links; "start": the initial state; else names by commas, these words among them.
// `state`: the joints whose state is given, which with loops are the independent ones.
std::vector<std::string> design_parameters(const std::string& option, const std::string& text,
                                           const Mechanism& mechanism, const Model<double>& state);

// "integral: FORMULA", "end: FORMULA" or "SECONDS: FORMULA".
DesignFunctional functional_of(const std::string& option, const std::string& text);

// --torque JOINT=FORMULA, an entry a velocity. With loops (`closed`: else null) of actuated joints alone.
std::vector<WrittenFormula> torque_formulas(const Arguments& arguments, const Model<double>& model,
                                            const LoadedPlant* closed);

}  // namespace lw::cli
