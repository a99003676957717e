// Magnitude of the terms whose sum is each derivative of a torque: the scale of its error, entry by entry.
//
// τ_i is the sum over the bodies b that joint i carries of ∫ J_i·a dm, with J_i the velocity of a point for a unit
// velocity i, u its velocity and a its acceleration. In the norm |x|² = ∫ |x|² dm of a body, p the parent of joint j, t
// = 1 for rotations and 0 for translations:
//   ∂τ/∂q̈   Σ_b |J_i||J_j|
//   ∂τ/∂q̇   Σ_b |J_i| 2 (ω_p |J_j| + t_j |u − u_p|)
//   ∂τ/∂q    Σ_b |J_i| ((α_p + ω_p²) |J_j| + t_j (|a| + |a_p| + 4 ω_p |u − u_p|)) + t_i |J_j||a|
// over the bodies that both carry; u_p and a_p have the points of b if they move with p, |a| and |a_p| are sums over
// the causes (weight, velocities, accelerations), which may cancel one another. Rotors, springs and force elements add
// theirs. These are bounds of the entries. Of turns about other axes through the joint a hundredth counts too, as in
// torque_terms.hpp. No unit of length or mass, no other joint and no body that hangs elsewhere decides what is small.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// nv × nv each, by columns.
struct DerivativeTerms {
  std::vector<double> d_q, d_qd, d_qdd;
};
DerivativeTerms derivative_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd);

// The same along a parameter, of a model in which it moves at rate 1: nv rows. A body's change of wrench counts with
// what carrying it from body to body makes of it, without signs.
std::vector<double> parameter_terms(const Model<Dual>& moving, Workspace<Dual>& work, In<double> q, In<double> qd,
                                    In<double> qdd);

}  // namespace lw
