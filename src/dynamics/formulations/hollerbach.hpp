// Recursive Lagrange (Hollerbach 1980; Dhanaraj 1990, appendices A.2 and A.3): the closed equations summed in an order
// with a fixed cost per joint. T, W, p: pose, rotation and origin of a link in the base; A, R, a: pose, rotation and
// origin in its parent p; J = [K h; hᵀ m]: pseudo-inertia; z: joint axis; sums are over the links j that link i
// carries.
//
// With 4×4 matrices, outward and inward:
//   Ṫ_i = Ṫ_p A + T_i Q q̇,   T̈_i = T̈_p A + 2 Ṫ_p A Q q̇ + T_i Q Q q̇² + T_i Q q̈
//   D_i = J_i T̈_iᵀ + Σ A_j D_j,   c_i = [h; m] + Σ A_j c_j,   τ_i = tr(T_i Q D_i) − gᵀ T_i Q c_i
//
// With 3×3 matrices ([R] revolute, [P] prismatic; W' = W Q):
//   Ẇ_i = Ẇ_p R + [R] W'_i q̇,   Ẅ_i = Ẅ_p R + [R](2 Ẇ_p R Q q̇ + W'_i Q q̇² + W'_i q̈)
//   p̈_i = p̈_p + Ẅ_p a + [P](2 Ẇ_i z q̇ + W_i z q̈)
//   D_i = K Ẅ_iᵀ + h p̈_iᵀ + Σ (R_j D_j + a_j e_jᵀ),   e_i = m p̈_i + Ẅ_i h + Σ e_j,   c_i = h + Σ (R_j c_j + m_j a_j)
//   τ_i = tr(W'_i D_i) − gᵀ W'_i c_i  [R],   (W_i z)·(e_i − m_i g)  [P]
// where D_i = ∫ y ẍᵀ dm, e_i = ∫ ẍ dm, c_i = ∫ y dm and the mass m_i are of link i with all it carries (y from link i's
// origin in its axes, ẍ in the base's). The code keeps D transposed: its columns are vectors of the base.
#pragma once

#include "homogeneous.hpp"

namespace lw {

// tau (nv of the linkage). Joints with one coordinate.
template <class T>
void hollerbach_4x4(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);
template <class T>
void hollerbach_3x3(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd, Out<T> tau);

}  // namespace lw
