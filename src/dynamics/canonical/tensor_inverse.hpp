// Inverse dynamics with few operations, on a canonical tree: Newton-Euler with the acceleration tensor
//
//   U = [α] + [ω][ω],      acceleration of a point r of the body: a + U r
//
// as the state that is passed on instead of the angular acceleration (Balafoutis, Patel 1991). Three observations make
// it cheap. Of a revolute joint about z, in the axes of the carrier (′: of the parent's motion),
//
//   U z = U′ z                          the third column does not know the joint: it is turned, never computed
//   α_x = ω_y ω_z − U₂₃, α_y = U₁₃ − ω_x ω_z     so that the third row follows with two products
//   ω_x² + ω_y² = −U₃₃                  is known: of three squares one is a difference
//
// and of parallel axes one behind the other, all links turn against one carrier, by sums of angles: where that has
// little motion of its own (the first link of most arms), so have they.
#pragma once

#include "tree.hpp"

namespace lw {

// What can be done in several ways, for each link. Which is cheapest is found by counting (codegen).
struct TensorMethod {
  std::vector<bool> merged;  // it takes its motion from the carrier of its parent, to whose axis its own is parallel
  std::vector<bool>
      in_carrier;  // its moments are turned into its carrier's axes, not its motion into its own: where no
                   // child needs it there (each is merged)
};

// `qd`, `qdd`, `tau` and q are the model's, force elements left out. Allocates: it is for tracing. `reactions`, where
// asked for: what the joint of each link passes to it, at the link's origin, of a slide in the link's axes, of a turn
// in some whose z is the joint's.
template <class T>
void tensor_inverse(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q, In<T> qd,
                    In<T> qdd, Out<T> tau, std::vector<Force<T>>* reactions = nullptr);

}  // namespace lw
