// The inertia that each joint passes on to the body above, by the rules of base_parameters.hpp.
#pragma once

#include <vector>

#include "regressor.hpp"

namespace lw::detail {

// A direction fixed in a body, in its frame.
template <class T>
struct Direction {
  Vec3<T> a;
  Vec3<double> typical;
  int largest() const;  // component, as a divisor; z if they are equal
};

// The parameters of a body that are passed on, by blocks, and those that remain.
template <class T>
struct Passes {
  bool mass = true;
  enum class Moment { none, along, all } moment = Moment::all;
  Direction<T> line;  // of `along`
  // ring: multiples of 1 − a aᵀ; not_axial: those with aᵀ I a = 0
  enum class Tensor { none, ring, not_axial, all } tensor = Tensor::all;
  Direction<T> axis;  // of both
  // about a point of the axis, s from the origin: a first moment h ⊥ a goes with I = −s (h aᵀ + a hᵀ)
  bool about_point = false;
  T s = T(0.0);

  static Passes nothing() {
    Passes p;
    p.mass = false;
    p.moment = Moment::none;
    p.tensor = Tensor::none;
    return p;
  }

  // Removes the part passed on from an inertia and returns it; these parameters are then exactly zero.
  RigidInertia<T> take(RigidInertia<T>& inertia) const;
  // Whether the k-th of the ten remains.
  bool stays(int k) const;

 private:
  // the diagonal element before the largest of the axis: yy of z; 1 − a_k² is no less than ½ there
  int ring_pivot() const { return (axis.largest() + 2) % 3; }
};

// One entry per body; those without parameters pass nothing on.
template <class T>
struct Regrouping {
  ParameterTable table;
  std::vector<Passes<T>> passes;
  std::vector<int> holder;          // receiver: the next body above with parameters, or the base
  std::vector<bool> rotor_in_body;  // the joint's rotor is indistinguishable from the body's own parameters
};
// `felt` as in base_parameters.hpp.
template <class T>
Regrouping<T> regrouping(const Model<T>& model, double nearly_zero, const std::vector<bool>& felt = {});

}  // namespace lw::detail
