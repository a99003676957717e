// Programs to make code from: mechanisms traced by the algorithms as they are.
#pragma once

#include <string>

#include "codegen/text/program.hpp"
#include "model/model.hpp"

namespace lw {

// inverse, mass-matrix and forward of a mechanism.
Program traced_program(const Mechanism& mechanism, const std::string& name, const Arithmetic& arithmetic = {});

// q, q̇ and one more, as the function's inputs, at a random state of the model.
std::vector<double> random_inputs(const Model<double>& model, const Function& function, class Random& random);

}  // namespace lw
