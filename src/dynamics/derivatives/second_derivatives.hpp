// Second derivatives of inverse dynamics, by dual numbers over the analytic first ones. ∂²τ has four different parts,
// each nv × nv × nv with entry [k][j][i] at (k · nv + j) · nv + i:
//   q_q    ∂/∂q_k ∂τ_i/∂q_j      qd_q   ∂/∂q_k ∂τ_i/∂q̇_j
//   qd_qd  ∂/∂q̇_k ∂τ_i/∂q̇_j     qdd_q  ∂/∂q_k M_ij
// All ∂q are along velocities. Two rotations of one quaternion joint do not commute, so their order in q_q matters.
#pragma once

#include "../../model/model.hpp"

namespace lw {

struct SecondDerivatives {
  std::vector<double> q_q, qd_q, qd_qd, qdd_q;
};
SecondDerivatives second_inverse_derivatives(const Mechanism& mechanism, std::span<const double> q,
                                             std::span<const double> qd, std::span<const double> qdd);

}  // namespace lw
