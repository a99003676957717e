// Methods to inverse dynamics with what joints and drives lose.
//
//   reactions f, n and τ by Newton-Euler  →  bearing friction  →  at the joint  →  through the drive
//   (dynamics/friction/friction.hpp)
//
// The acceleration tensor on the canonical tree has every reaction on the way; canonical frames stand elsewhere on the
// axes than the file's, which the bearings' supports make up for (`along`).
//
// Forward dynamics: torques and reactions are affine in q̈, so that what is solved for q̈ is small,
//
//   total(M q̈ + h, W q̈ + w₀, q̇, q̈) = τ      M, h, W, w₀ computed once
//
// by Newton steps from the accelerations without friction (Solve, graph/expr.hpp). Where they do not get there (a joint
// jams), or get to where ∂total/∂q̈ has lost its sign, accelerations are NaN. A joint at rest is taken as if it had no
// dry friction: sticking is for dynamics/friction/forward_friction.hpp.
#pragma once

#include "../../dynamics/friction/friction.hpp"
#include "method_list.hpp"

namespace lw {

// in: q, qd, qdd → losses
Losses<Expr> tensor_losses(const Scene& scene, const TensorMethod& method, const Arguments& in);
// By recursive Newton-Euler in canonical or in the model's frames; `work` keeps the motion.
Losses<Expr> newton_euler_losses(const Model<Expr>& model, const CanonicalTree<Expr>* tree, Workspace<Expr>& work,
                                 const Arguments& in);

// in: q, qd, tau → qdd. `anew` makes the scene in another graph, of which the symbols of kept parameters, the last of
// `in`, are.
void forward_with_losses(const Scene& scene, const TensorMethod& method,
                         const std::function<Scene(const std::vector<Expr>&)>& anew, const Arguments& in,
                         std::vector<Expr>& qdd);

// What the laws of each joint and its drive add to its torque once its reaction is known, in the order of the model's
// joints; coupled drives are counted with the first of their joints.
struct LossCost {
  std::string joint;
  OperationCount operations;
};
std::vector<LossCost> loss_costs(const Mechanism& mechanism, const ParameterValues<double>& values = {});

}  // namespace lw
