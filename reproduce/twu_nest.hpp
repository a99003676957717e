// Design sensitivities as Twu 1987 derives them in chapter 3 and never ran: the direct method, by nested products.
//
//   D_1 … D_j x, by b:   B_k = D_k+1 … D_j x,   Nest_j+1 = ∂x/∂b,   Nest_k = D_k Nest_k+1 + (∂D_k/∂b) B_k        (3-10
//                        to 3-13)
//
// the result being Nest_1: no tensor of three indices is ever formed. It is applied to every group of matrices of
// chapter 4, with ∂A/∂b = [∂A/∂b] + A' ∂q/∂b, and the like for Ȧ, Ä, ∂A/∂q, ∂Ȧ/∂q. The derivative of Lagrange's
// equations (3-14) then is
//
//   inverse   the motion is given:   ∂Q/∂b
//   forward   Q(t) is given:         M ∂q̈/∂b = −(3-14 with ∂q̈/∂b = 0)
//             (3-18, 3-19)
//
// He prints ∂/∂b of the groups with Ä's A' as the coefficients of ∂q̈/∂b; by the product rule they are these groups
// themselves, the mass matrix, and their derivatives, times q̈, stand on the other side.
//
// In his frames and his 4 × 4 matrices: nothing is shared with the library's dynamics.
#pragma once

#include <string>

#include "twu.hpp"

namespace lw::reproduce {

struct TwuArm {
  std::vector<TwuLink> links;
  double g;  // along −y
};

struct TwuVariable {
  enum class Of { length, mass, centre, moment, gravity } of;
  std::size_t link = 0;
  int axis = 2;  // of a moment
};
// By the name that the embedded models have for it: l1, m2, c3, i1 (about z), link2.yy, g.
TwuVariable twu_variable(const std::string& parameter);
// The arm with another value of it, and the value.
double& twu_value(TwuArm& arm, const TwuVariable& variable);

// A motion at an instant, or its derivative by a design variable.
struct TwuInstant {
  Vector q, qd, qdd;
};
struct TwuForces {
  Vector Q, by;  // and ∂Q/∂b
};
TwuForces nested_forces(const TwuArm& arm, const TwuInstant& motion, const TwuVariable& b, const TwuInstant& by_b);
// M, by rows: what stands before q̈, and before ∂q̈/∂b.
Vector nested_mass_matrix(const TwuArm& arm, const Vector& q);

// The motion under forces Q(t) from q = 0, and its derivatives by all variables, at the times, which rise; by Verner's
// formulas in √t, in which forces a √t + b are smooth.
struct TwuVaried {
  TwuInstant motion;
  std::vector<TwuInstant> by;
};
std::vector<TwuVaried> nested_motion(const TwuArm& arm, const TwuExample& example,
                                     const std::vector<TwuVariable>& variables, const Vector& times, int steps_between);

}  // namespace lw::reproduce
