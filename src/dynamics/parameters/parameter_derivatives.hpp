// Derivatives with respect to the parameters of a mechanism: masses, inertias, lengths, angles.
//
// A parameter is a named parameter of the file (`l1`; formulas and parameters computed from it vary with it), or an
// inertial parameter of a body (`link3.mx`, regressor.hpp), in which inverse dynamics is linear: ∂τ/∂π is its
// regressor. One evaluation over dual numbers gives the derivative of all results by one parameter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../model/model.hpp"

namespace lw {

// Any function of a model.
using OfModel = std::function<std::vector<Dual>(const Model<Dual>&)>;

// ∂f/∂p for each parameter. Throws Error(usage) for an unknown name.
std::vector<std::vector<double>> parameter_derivatives(const Mechanism& mechanism,
                                                       const std::vector<std::string>& parameters, const OfModel& f);

// The names of one kind, in order.
std::vector<std::string> file_parameters(const Mechanism& mechanism);
std::vector<std::string> inertial_parameter_names(const Mechanism& mechanism);

}  // namespace lw
