// What `sensitivity` and `optimize` take alike: parameters, functionals, what drives the mechanism.
#pragma once

#include <string>
#include <vector>

#include "../simulate/design_run.hpp"
#include "command.hpp"
#include "model_input.hpp"

namespace lw::cli {

// "all": of the file; "inertial": of links; "start": the initial state; else names by commas, these words among them.
std::vector<std::string> design_parameters(const std::string& option, const std::string& text,
                                           const LoadedModel& loaded);

// "integral: FORMULA", "end: FORMULA" or "SECONDS: FORMULA".
DesignFunctional functional_of(const std::string& option, const std::string& text);

// --torque JOINT=FORMULA.
std::vector<WrittenFormula> torque_formulas(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
