// Loops in the equations of a design: what follows from the closures φ(q, b) = 0 at a closed configuration q, in
// symbols. A tree has none: all its joints are independent, and everything here stays what it is.
//
//   v = R v_a,  a = R a_a + …,  r_a = Rᵀ r,  H = Rᵀ M R               as projection.hpp has them
//   along:  J_u v_u = −(φ_qa q̇_a + φ_b ḃ)                             how dependent coordinates follow
//   back:   λ = J_u⁻ᵀ v̄_u,  q̄_a −= φ_qaᵀ λ,  b̄ −= φ_bᵀ λ            the same transposed
//
// The position itself comes as a number from outside (loop_path.hpp) and is never differentiated through its solution:
// by the implicit function theorem its derivatives are those of the closures, with the factors of J_u that velocities
// need anyway.
#pragma once

#include <vector>

#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../graph/function.hpp"
#include "design_parameters.hpp"

namespace lw {

// (q, p) → φ, the equations of the plan.
Function closure_function(const DesignParameters& design, const LoopPlan& plan);

class TracedLoops {
 public:
  using Exprs = std::vector<Expr>;

  // At all coordinates q. The plan must outlive it.
  TracedLoops(Model<Expr> model, const LoopPlan& plan, Exprs q);

  const Model<Expr>& model() const { return model_; }
  struct Motion {
    Exprs v, a;
  };
  Motion motion(const Exprs& v, const Exprs& a);  // of all joints, from that of the independent ones
  Exprs forces(const Exprs& of_tree);             // of the independent velocities, from torques of all joints
  // of all joints and cuts, smooth and without loads, at independent velocities; accelerations may give it its
  // direction at rest
  void add_friction(const Exprs& v, const Exprs& a, AtRest at_rest, Exprs& forces);
  Exprs torques(const Exprs& forces);       // of all joints that give these forces, zero where they are not actuated
  Exprs mass_matrix(const Exprs& of_tree);  // H by columns, from M
  Exprs solve(Exprs H, Exprs b) const;      // H⁻¹ b

  // q̇ of all coordinates, from that of the independent ones and ṗ; `closure` as above, at p.
  Exprs along(const Function& closure, const Exprs& p, const Exprs& dq, const Exprs& dp);
  // What the independent coordinates and p weigh, from what all coordinates weigh.
  struct Weights {
    Exprs q, p;
  };
  Weights back(const Function& closure, const Exprs& p, const Exprs& q_bar);

 private:
  Model<Expr> model_;
  const LoopPlan& plan_;
  Exprs q_;
  PlantWorkspace<Expr> work_;
};

}  // namespace lw
