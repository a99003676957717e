// Momentum about the centre of mass, in the world's axes, and how joints make it.
//
//   h = A q̇,   ḣ = A q̈ + Ȧ q̇          [angular; linear] (Orin, Goswami, Lee 2013)
//
// Bodies only, as `momentum` (energy.hpp): rotors carry none here. Column v of A: the momentum of all that hangs on the
// joint, moved by its unit velocity v. ḣ is the sum of the forces of inertia and of their moments about the centre of
// mass.
#pragma once

#include "workspace.hpp"

namespace lw {

// After forward_kinematics. 6 × nv by columns.
template <class T>
void momentum_matrix(const Model<T>& model, const Workspace<T>& work, Out<T> A);
// ḣ of the motion of the last forward_accelerations without gravity (rnea.hpp): with q̈ = 0 it is Ȧ q̇. After
// forward_kinematics.
template <class T>
Force<T> momentum_rate(const Model<T>& model, const Workspace<T>& work);

}  // namespace lw
