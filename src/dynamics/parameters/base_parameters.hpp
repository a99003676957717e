// Base inertial parameters: the smallest set that determines all torques, and the grouping of the standard ones into
// them.
//
// If the energy of a combination u of a body's parameters does not depend on the body's own joint, for any motion of
// the bodies above, u acts as if it belonged to the body above. It is moved from the body to that body, as seen at q =
// 0, or dropped at the base. By blocks (mass, first moment h, inertia I), with axis a, these are
//   revolute   m; h along a; I in span(1 − a aᵀ)
//     all turns above are parallel to a:   I with aᵀ I a = 0; and every h, where the axis moves along itself only and
//                                          gravity is along a
//     no gravity, a point P of the axis never moves:  also h ⊥ a, together with the I that it makes about the origin
//   prismatic  I;  h along b where all turns above are about one direction b;  every h where b = a or nothing turns
//   spherical  m;  every h, where there is no gravity and its centre never moves
//   floating   none
// A composite joint passes on what all its parts pass on. The rotor of a mimic joint acts at the joint that it follows;
// the rotor of a revolute joint whose parent never rotates about a is part of aᵀ I a; the rotor of a prismatic joint
// whose parent never moves along it and rotates only about it, with gravity perpendicular to it, is part of m.
// (Gautier, Khalil 1990; Khalil, Dombre 2002, chapter 9; here for any axes and frames. docs/theory/regressor.md)
//
// These rules find all dependencies of a tree. With mimic joints they hold, but a coordinate that moves several joints
// may cause further dependencies, which base_rank shows. They use only geometry, never inertias; with symbolic geometry
// they hold for all but exceptional values of the symbols.
#pragma once

#include "regressor.hpp"

namespace lw {

// Tolerance for parallel or intersecting axes (rad, or relative to the mechanism's size); files have nine digits.
inline constexpr double kNearlyZero = 1e-9;

// π_base = K π. K is stored by rows without zeros: the terms of each base parameter.
template <class T>
struct BaseParameters {
  struct Term {
    int parameter;  // index of a standard parameter
    T factor;
  };
  ParameterTable standard;
  std::vector<int> base;  // the remaining standard parameters, ascending
  std::vector<std::vector<Term>> K;

  const std::string& name(std::size_t k) const { return standard.names[static_cast<std::size_t>(base[k])]; }
};
template <class T>
BaseParameters<T> base_parameters(const Model<T>& model);

// K π
template <class T>
std::vector<T> base_values(const BaseParameters<T>& parameters, In<T> standard_values);

// The same torques from base parameters only; all others are zero. Joint reactions and the base's wrench are not
// preserved, except at the joints of the bodies in `felt` (empty: none). Nothing passes through such a joint, and below
// it only inertia that has the same motion on either body: mass and a rod on the axis of a revolute joint, mass at the
// centre of a spherical joint, the inertia of a prismatic joint's link. It needs the same wrench on either body, so
// only the reaction of the joint that it crosses changes.
template <class T>
Model<T> regrouped(const Model<T>& model, double nearly_zero = kNearlyZero, const std::vector<bool>& felt = {});

// "link2.xx - link2.yy + 0.186451*link3.m"
std::string relation_text(const BaseParameters<double>& parameters, std::size_t k);

// Rank of regressors stacked over random states: the number of base parameters by an independent method. Without
// rotors: only the columns of bodies.
int base_rank(const Model<double>& model, bool rotors = true);

}  // namespace lw
