// Inertial parameters of closed mechanisms: what a cut joint lets pass.
//
// A point mass where a cut joint holds two links together (revolute, universal, spherical) moves with either, and is
// felt the same whichever link it belongs to. A leg that ends in one loop gives so much of itself to the link it is
// tied to,
//   μ = h·r / |r|²,    r from its own joint to the cut,
// that no first moment along r is left: a rod becomes a moment of inertia, and its mass is that of its two ends. The
// torques of the closed mechanism stay what they are; those of the spanning tree, its reactions and momentum do not.
// (Regrouping of trees does the rest.)
#pragma once

#include "../../model/model.hpp"

namespace lw {

template <class T>
Model<T> masses_over_cuts(Model<T> model);

}  // namespace lw
