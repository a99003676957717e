// Derivatives with respect to what a mechanism is made of: its masses, inertias, lengths, angles.
//
// A parameter is one that the file names (`l1`; formulas over it follow, parameters that are computed from it too), or
// an inertial one of a body (`link3.mx`, regressor.hpp), in which inverse dynamics is linear: ∂τ/∂π is its regressor.
// One evaluation over dual numbers gives the derivative of all results by one parameter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../model/model.hpp"

namespace lw {

// Any function of a model.
using OfModel = std::function<std::vector<Dual>(const Model<Dual>&)>;

// ∂f/∂p of each parameter. Throws Error(usage) for a name that is neither kind.
std::vector<std::vector<double>> parameter_derivatives(const Mechanism& mechanism,
                                                       const std::vector<std::string>& parameters, const OfModel& f);

// The names of a kind, in their order.
std::vector<std::string> file_parameters(const Mechanism& mechanism);
std::vector<std::string> inertial_parameter_names(const Mechanism& mechanism);

}  // namespace lw
