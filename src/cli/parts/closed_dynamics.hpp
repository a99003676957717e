// inverse, forward, mass-matrix and bias of mechanisms with loops.
#pragma once

#include "../io/model_input.hpp"

namespace lw::cli {

int run_closed_inverse(const Arguments& arguments, LoadedModel loaded);
int run_closed_forward(const Arguments& arguments, LoadedModel loaded);
int run_closed_mass_matrix(const Arguments& arguments, LoadedModel loaded);
int run_closed_bias(const Arguments& arguments, LoadedModel loaded);

// --weights of torques that are shared by more joints than there are freedoms.
Option torque_weights_option();

}  // namespace lw::cli
