// Magnitude of the terms whose sum is each torque: the scale of its error.
//
//   Σ_b Σ_causes |S·w_b| + |w_b|/100, + |rotor| + |spring| + |force elements|
//
// over the bodies b that the joint carries, w_b the moment about the joint (for a prismatic joint, the force) that b
// needs for its weight, for velocities and for accelerations: three causes, which may cancel. A hundredth of the
// bearing load is included, because it cancels along the axis, but not to the last bit. |w_b| is a sum of magnitudes:
// of I ω̇, ω × I ω and h × a, and of force times lever from joint to joint, whose moments may cancel too (a point mass
// on its circle). The result depends neither on units of length or mass nor on other joints.
#pragma once

#include <vector>

#include "workspace.hpp"

namespace lw {

std::vector<double> torque_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd);

// The same for the energies: sums of magnitudes over the bodies. The potential of a balanced mechanism may be zero
// although its terms are large.
struct EnergyTerms {
  double kinetic = 0.0, potential = 0.0;
};
EnergyTerms energy_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd);

// The same for the momentum about the centre of mass, and of its rate (centroidal.hpp).
struct MomentumTerms {
  double angular = 0.0, linear = 0.0;
};
MomentumTerms momentum_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd);
MomentumTerms momentum_rate_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                  In<double> qdd);

}  // namespace lw
