// Functions of a closed mechanism as expression graphs.
//
//   q, [qd, qdd or tau], guess, [p]  →  what the function gives, dependent, residual
//
// q, qd and qdd run over the independent joints and tau over the actuated ones (loop_plan.hpp). `guess` are the
// dependent coordinates as they were a moment ago; `dependent` comes back as what they are, the next guess, and
// `residual` as what is left of the position's equations after the steps of its Solve node (m, rad). The tree's
// dynamics inside is any method of trees.
#pragma once

#include <functional>

#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../graph/jacobian.hpp"

namespace lw {

// Throws Error(usage) for a function that closed mechanisms do not have.
std::vector<Group> closed_inputs(const std::string& function, const LoopPlan& plan);
std::vector<Group> closed_outputs(const std::string& function, const LoopPlan& plan, std::size_t parameters);

struct ClosedMethod {
  const Model<Expr>& model;  // in whose frames the loops are closed
  const LoopPlan& plan;
  LoopPositionOptions position;
};

// inverse; bias, where there is no qdd
void trace_closed_torques(const ClosedMethod& method, const TreeTorques<Expr>& torques, bool still, const Arguments& in,
                          Results& out);
void trace_closed_mass_matrix(const ClosedMethod& method, const TreeMassMatrix<Expr>& mass, const Arguments& in,
                              Results& out);
void trace_closed_forward(const ClosedMethod& method, const TreeTorques<Expr>& torques,
                          const TreeMassMatrix<Expr>& mass, const Arguments& in, Results& out);
// inverse with what joints and drives lose (tau is the total), or friction, all parts of it. `lossy`: the model by
// which torques and reactions are computed.
void trace_closed_losses(const ClosedMethod& method, const Model<Expr>& lossy, const Arguments& in, Results& out);
// forward with friction that does not depend on loads: viscous, and dry of what moves. Throws Error(usage) for bearings
// under load and drives that lose.
void trace_closed_forward_losses(const ClosedMethod& method, const Model<Expr>& lossy, const TreeMassMatrix<Expr>& mass,
                                 const Arguments& in, Results& out);

// Derivatives. What they are taken of holds no solution of equations: all coordinates of the tree are given and
// displaced by `step` along its velocities, and so are all velocities, accelerations and multipliers.
//   q, qd, qdd, w, lambda, step, [p]  →  velocity = J q̇,  acceleration = J q̈ + J̇ q̇,  sharing = J w,  force = M q̈ +
//                                     h − Jᵀλ,  residual = φ
// w: where more joints are actuated than there are freedoms, their torques are w's entries, w = R z (the least that
// give the forces).
std::vector<Group> closed_balance_inputs(const Model<double>& model, const LoopPlan& plan);
std::vector<Group> closed_balance_outputs(const Model<double>& model, const LoopPlan& plan);
void trace_closed_balance(const ClosedMethod& method, const TreeTorques<Expr>& torques, const Arguments& in,
                          Results& out);
// in: q, qd, qdd or tau, guess, [p] → d_q, d_qd, d_qdd or d_tau, [d_p]. By the implicit function theorem at the pose,
// whatever found it: dependent coordinates follow the independent ones by R and parameters by −J_u⁻¹ ∂φ/∂p, velocities
// and accelerations by −J_u⁻¹ of what their rows change, and what the forces change is Rᵀ of that. So one factorisation
// of J_u serves all.
void trace_closed_derivatives(const ClosedMethod& method, const TreeTorques<Expr>& torques,
                              const TreeMassMatrix<Expr>& mass, const Function& balance, Elimination order,
                              bool forward, const Arguments& in, Results& out);

// kinematics, jacobian and energy
void trace_closed_pose(const ClosedMethod& method, const std::string& function, int frame, const Arguments& in,
                       Results& out);

}  // namespace lw
