// Derivatives of inverse and forward dynamics of closed-loop mechanisms.
//
// They are derived from a balance that solves no equations. All coordinates of the tree are given, displaced by `step`
// along its velocities, and so are all velocities, accelerations and multipliers.
//   q, qd, qdd, w, lambda, step, [p]  →  velocity = J q̇,  acceleration = J q̈ + J̇ q̇,  sharing = J w,  force = M q̈ +
//                                     h − Jᵀλ,  residual = φ
// w: if there are more actuated joints than degrees of freedom, their torques are entries of w = R z (the least torques
// with the given forces).
//
// Then, by the implicit function theorem at the pose: dependent coordinates follow the independent ones by R and
// parameters by −J_u⁻¹ ∂φ/∂p; velocities and accelerations by −J_u⁻¹ of the change of their rows; and forces change by
// Rᵀ times the change of the tree's torques. All of this shares one factorisation of J_u.
#pragma once

#include "../../dynamics/loops/slopes.hpp"
#include "../../graph/jacobian.hpp"
#include "method_list.hpp"

namespace lw {

Function loop_balance(const MethodList& list, const Variant& variant);
// Outputs d_q, d_qd, d_qdd or d_tau, [d_p].
void trace_loop_derivatives(Tracing& t, Slopes::Of of, const Function& balance, Elimination order);

}  // namespace lw
