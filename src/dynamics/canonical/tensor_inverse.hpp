// Inverse dynamics with few operations, on a canonical tree: Newton-Euler with the acceleration tensor
//
//   U = [α] + [ω][ω],      acceleration of a point r of the body: a + U r
//
// as the state that is passed on instead of the angular acceleration (Balafoutis, Patel 1991). Three properties make it
// cheap. For a revolute joint about z, in the axes of the carrier (′: of the parent's motion),
//
//   U z = U′ z                          the third column does not depend on the joint: it is rotated, never computed
//   α_x = ω_y ω_z − U₂₃, α_y = U₁₃ − ω_x ω_z     so that the third row follows with two products
//   ω_x² + ω_y² = −U₃₃                  is known: one of three squares is a difference
//
// and for consecutive parallel axes, all links rotate relative to one carrier, by sums of angles: if the carrier has
// little motion (the first link of most arms), this simplifies all of them.
#pragma once

#include "tree.hpp"

namespace lw {

// Variants for each link. The cheapest are found by counting (codegen).
struct TensorMethod {
  std::vector<bool> merged;  // its motion is computed from the carrier of its parent, whose axis is parallel
  std::vector<bool>
      in_carrier;  // its moments are turned into its carrier's axes, not its motion into its own: where no
                   // child needs it there (each is merged)
};

// `qd`, `qdd`, `tau` and q are the model's, without force elements. Allocates, because it is for tracing. `reactions`,
// if requested: the wrench that the joint of each link transmits to it, at the link's origin, for a prismatic joint in
// the link's axes, for a revolute joint in axes whose z is the joint's.
template <class T>
void tensor_inverse(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q, In<T> qd,
                    In<T> qdd, Out<T> tau, std::vector<Force<T>>* reactions = nullptr);

}  // namespace lw
