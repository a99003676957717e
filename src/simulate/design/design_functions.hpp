// The equations of a design in symbols, and their products: what a DesignSystem compiles.
//
//   residual  r(t, u, q, v, a, b) = inverse dynamics − torques;   a is where r = 0
//   rates     q̇(q, v), a, F₁, F₂, …       F: integrands over (t, q, v, a, τ, b)
//   outputs   q, v, a, τ, G₁, G₂, …
//
// Accelerations are never differentiated through their solution. With A = ∂r/∂a, which is the mass matrix,
//
//   along:  A ȧ = −(∂r/∂x ẋ)                         one back substitution more
//   back:   Aᵀ μ = ā,  x̄ = −(∂r/∂x)ᵀ μ               the reverse sweep runs over inverse dynamics alone
//
// so that all derivatives by b cost about as much as two evaluations. Where losses depend on loads, r is no longer
// linear in a: a is found by Newton's method, A by differentiation; the rest stays.
//
// With loops v and a of the residual are those of the independent joints, r = Rᵀ(inverse dynamics − torques) and A = Rᵀ
// M R; q are all coordinates, closed, and follow the independent ones and b (traced_loops.hpp). Formulas see all
// joints.
#pragma once

#include <memory>
#include <vector>

#include "../../graph/function.hpp"
#include "design_tree.hpp"
#include "quantities.hpp"

namespace lw {

struct DesignFormulas {
  // One a velocity. Where the text is empty, the torque comes from `law`, (t, q, qd) → nv torques, if there is one and
  // it is marked here; else it is an input of the function.
  std::vector<WrittenFormula> torques;
  std::shared_ptr<const Function> law = {};
  std::vector<bool> by_law = {};
  std::vector<WrittenFormula> integrands;
  std::vector<WrittenFormula> outputs;
};

struct DesignFunctions {
  // y: q, v. Groups t, u, y, p; along: then dy, dp; back: then w → y, p. With loops q is given for all joints, and v,
  // dy and the y that comes back are those of the independent ones.
  struct Three {
    Function value, along, back;
  };
  Three rates, outputs;
  // For other methods, over all joints: t, u, q, v, p → tau; and a, t, u, q, v, p → q̇ (of the state), F, and → what
  // outputs gives.
  Function torques, at_accelerations, outputs_at;
};
// Forward: torques are given, as formulas or as inputs u.
DesignFunctions forward_functions(const DesignParameters& design, const DesignFormulas& formulas, DesignLosses losses,
                                  const LoopPlan& plan);
// Inverse: the motion is given, torques follow. Groups t, q, qd, qdd, p; along: then dp; back: then w → p. The results
// are tau and the outputs. With loops q is that of all joints, qd and qdd of the independent, tau of the actuated ones.
DesignFunctions::Three inverse_functions(const DesignParameters& design, const std::vector<WrittenFormula>& outputs,
                                         DesignLosses losses, const LoopPlan& plan);

// The function with the group `p` at these values, made short.
Function at_values(const Function& f, std::span<const double> p);
// The same as it is, made short.
Function shortened(const Function& f);

}  // namespace lw
