// How large the terms are that each torque is the sum of: what its error is measured against.
//
//   Σ_b Σ_causes |S·w_b| + |w_b|/100, + |rotor| + |spring| + |force elements|
//
// over the bodies b that the joint carries, w_b the moment about the joint (of a slide, the force) that b needs for its weight,
// for the velocities and for the accelerations: three causes, which may cancel one another. Of what the bearings take a hundredth counts: it cancels along the axis, but not to the last bit. No unit of length or mass
// and no other joint decides what is small.
#pragma once

#include <vector>

#include "workspace.hpp"

namespace lw {

std::vector<double> torque_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd);

}  // namespace lw
