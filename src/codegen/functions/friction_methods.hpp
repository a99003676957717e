// Methods for inverse and forward dynamics with losses of joints and drives.
//
//   reactions f, n and τ by Newton-Euler  →  bearing friction  →  at the joint  →  through the drive
//   (dynamics/friction/friction.hpp)
//
// The acceleration tensor on the canonical tree computes every reaction as an intermediate value. Canonical frames lie
// elsewhere on the axes than the file's; the positions of the bearings' supports account for that (`along`).
//
// Forward dynamics: torques and reactions are affine in q̈, so that the equation for q̈ is small,
//
//   total(M q̈ + h, W q̈ + w₀, q̇, q̈) = τ      M, h, W, w₀ computed once
//
// by Newton steps from the accelerations without friction (Solve, graph/expr.hpp). If they do not converge (a joint
// jams), or converge where ∂total/∂q̈ has changed sign, accelerations are NaN. A joint at rest has no dry friction
// here; dynamics/loops/forward_losses.hpp handles sticking.
#pragma once

#include "../../dynamics/friction/friction.hpp"
#include "method_list.hpp"

namespace lw {

// in: q, qd, qdd → losses
Losses<Expr> tensor_losses(const Scene& scene, const TensorMethod& method, const Arguments& in);
// By recursive Newton-Euler in canonical frames or in the model's; `work` keeps the motion.
Losses<Expr> newton_euler_losses(const Model<Expr>& model, const CanonicalTree<Expr>* tree, Workspace<Expr>& work,
                                 const Arguments& in);

// in: q, qd, tau → qdd. `anew` makes the scene in another graph, given the symbols of kept parameters in that graph.
void forward_with_losses(const Scene& scene, const TensorMethod& method,
                         const std::function<Scene(const std::vector<Expr>&)>& anew, const Arguments& in,
                         std::vector<Expr>& qdd);

// The operations by which the losses of each joint and its drive add to its torque, once its reaction is known, in the
// order of the model's joints; coupled drives count with the first of their joints.
struct LossCost {
  std::string joint;
  OperationCount operations;
};
std::vector<LossCost> loss_costs(const Mechanism& mechanism, const ParameterValues<double>& values = {});

}  // namespace lw
