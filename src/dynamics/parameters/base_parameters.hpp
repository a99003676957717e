// Base inertial parameters: the fewest that give every torque, and how the standard ones are grouped into them.
//
// A combination u of the parameters of a body whose energy does not change with the body's own joint, whatever the
// bodies above do, acts as if it belonged to the body above. It is taken off the body and added there as seen at q = 0,
// or dropped where the base is above. By blocks (mass, first moment h, inertia I), with axis a, these are
//   revolute   m; h along a; I in span(1 − a aᵀ)
//     all turns above are parallel to a:   I with aᵀ I a = 0; and every h, where the axis moves along itself only and
//                                          gravity is along a
//     no gravity, a point P of the axis never moves:  also h ⊥ a, together with the I that it makes about the origin
//   prismatic  I;  h along b where all turns above are about one direction b;  every h where b = a or nothing turns
//   spherical  m;  every h, where there is no gravity and its centre never moves
//   floating   none
// A joint composed of several passes on what all of them pass on. The rotor of a mimic is felt by the joint it follows;
// one of a revolute joint whose parent never turns about a is part of aᵀ I a; one of a slide whose parent never moves
// along it, and turns only about it, where gravity does not act along it, is part of m.
// (Gautier, Khalil 1990; Khalil, Dombre 2002, chapter 9; here for any axes and frames. docs/theory/regressor.md)
//
// These rules find all dependencies of a tree. With mimics they hold, but a coordinate that moves several joints may
// leave further ones: base_rank tells. They look at geometry only, never at inertias; where geometry is symbolic they
// hold for all but exceptional values of the symbols.
#pragma once

#include "regressor.hpp"

namespace lw {

// Axes count as parallel, or meeting, where they are so within this (rad, or of the mechanism's size): files have nine
// digits.
inline constexpr double kNearlyZero = 1e-9;

// π_base = K π. K is kept by rows, without its zeros: what a base parameter is the sum of.
template <class T>
struct BaseParameters {
  struct Term {
    int parameter;  // of the standard ones
    T factor;
  };
  ParameterTable standard;
  std::vector<int> base;  // the standard parameters that stay, ascending
  std::vector<std::vector<Term>> K;

  const std::string& name(std::size_t k) const { return standard.names[static_cast<std::size_t>(base[k])]; }
};
template <class T>
BaseParameters<T> base_parameters(const Model<T>& model);

// K π
template <class T>
std::vector<T> base_values(const BaseParameters<T>& parameters, In<T> standard_values);

// The same torques from base parameters alone: all others are zero. Joint reactions and the base's wrench are not kept,
// but for the joints of the bodies that `felt` names (empty: none). Through such a joint nothing passes; and below one
// only what moves the same on either body: mass and a rod on the axis of a turn, mass in the centre of a ball, the
// inertia of a slide. That needs the same wrench wherever it belongs, so of all reactions that of the joint it crosses
// alone changes.
template <class T>
Model<T> regrouped(const Model<T>& model, double nearly_zero = kNearlyZero, const std::vector<bool>& felt = {});

// "link2.xx - link2.yy + 0.186451*link3.m"
std::string relation_text(const BaseParameters<double>& parameters, std::size_t k);

// Rank of regressors stacked over random states: how many base parameters there are, found by another method.
// Without rotors: of the columns of bodies alone.
int base_rank(const Model<double>& model, bool rotors = true);

}  // namespace lw
