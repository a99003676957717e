// How large the terms are that each torque is the sum of: what its error is measured against.
//
//   Σ_b Σ_causes |S·w_b| + |w_b|/100, + |rotor| + |spring| + |force elements|
//
// over the bodies b that the joint carries, w_b the moment about the joint (of a slide, the force) that b needs for its
// weight, for the velocities and for the accelerations: three causes, which may cancel one another. Of what the
// bearings take a hundredth counts: it cancels along the axis, but not to the last bit. |w_b| is a sum without signs:
// of I ω̇, ω × I ω and h × a, and of force times lever from joint to joint, whose moments may cancel too (a point mass
// on its circle). No unit of length or mass and no other joint decides what is small.
#pragma once

#include <vector>

#include "workspace.hpp"

namespace lw {

std::vector<double> torque_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd);

// The same of the energies: sums over the bodies without signs. A mechanism in balance has a potential of zero, of
// large terms.
struct EnergyTerms {
  double kinetic = 0.0, potential = 0.0;
};
EnergyTerms energy_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd);

// The same of the momentum about the centre of mass, and of its rate (centroidal.hpp).
struct MomentumTerms {
  double angular = 0.0, linear = 0.0;
};
MomentumTerms momentum_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd);
MomentumTerms momentum_rate_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                  In<double> qdd);

}  // namespace lw
