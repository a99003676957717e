// Velocities of all bodies from those of the joints, in body axes (Wong 1991, chapter 3, after Hemami 1982 and Angeles
// and Ma 1988). It is an orthogonal complement of the constraints: multiplying the free-body equations by its transpose
// eliminates the constraint forces. Used by ness.hpp and noc.hpp.
//
// Vectors of body i start at its centre of mass: k_i to its own hinge, l_i of its parent p to the same hinge, ρ_ij to
// hinge j. A transforms components from p's axes to i's. For every joint j between the base and body i, i included, and
// its axis e:
//   e_jj = z (one coordinate), x y z (spherical; floating, twice),   e_ij = A e_pj
//   ρ_jj = k_j,                                                      ρ_ij = A (ρ_pj − l_i) + k_i
//   ω_i = Σ c_ij q̇_j,  ẋ_i = Σ r_ij q̇_j:     c = e, r = ρ × e (rotation),   c = 0, r = e (translation)
// Rates of momentum, with the base accelerated by −g and s, v the joint's own angular and linear rate:
//   ω_i = A ω_p + s,   ω̇_i = A ω̇_p + ω_i × s + ṡ,   W = [ω̇] + [ω]²
//   p̈_i = A (p̈_p + W_p l_i) + v̇ + (A ω_p + ω_i) × v − W_i k_i,   L̇_i = J ω̇_i + ω_i × J ω_i
#pragma once

#include "linkage.hpp"

namespace lw {

// The effect of one joint velocity on one body: a column of H̄ = [C; ρ × C].
template <class T>
struct ComplementColumn {
  int velocity = 0;
  int joint = 0;
  bool turns = true;
  Vec3<T> axis, rho;
  Vec3<T> c, r;
};

// For every body the columns of the joints between the base and it, from the base outward, ending with its own joint.
template <class T>
using Complement = std::vector<std::vector<ComplementColumn<T>>>;

template <class T>
Complement<T> orthogonal_complement(const Linkage<T>& linkage, Poses<T> poses);

template <class T>
struct MomentumRates {
  std::vector<Vec3<T>> angular;  // L̇, about the centre of mass
  std::vector<Vec3<T>> linear;   // m p̈
};

template <class T>
MomentumRates<T> momentum_rates(const Linkage<T>& linkage, Poses<T> poses, In<T> qd, In<T> qdd);

// The wrench that a joint transmits to its link, at the hinge in the link's axes, for given rates of momentum. Inward
// over the links j that link i carries: f_i = m p̈ + Σ R_j f_j,  n_i = L̇ − k × m p̈ + Σ (R_j n_j + p_j × R_j f_j).
template <class T>
std::vector<Force<T>> hinge_wrenches(const Linkage<T>& linkage, Poses<T> poses, const MomentumRates<T>& rates);

}  // namespace lw
