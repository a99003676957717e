// Reads a mechanism in the notation of Wong 1991 from a YAML file (docs/format.md): bodies on revolute joints, numbered
// from the base outward, described by the quantities of his equations.
//
//   parents or connectivity   p(i), or the rows of U⁻¹ (1 if a body is on the path from the base to body i)
//   m, J                      mass; inertia about the centre of gravity
//   k, l                      from the centre of gravity to the inboard hinge, and to the hinge of body j
//   alpha, a, b               twist about the parent's x; hinge to hinge across the parent: [a, b sin α, −b cos α]
//
// Wong's frames have their origin at the centre of gravity. Ours have the same axes at the inboard hinge:
//   com = −k,   next hinge at l − k.
#pragma once

#include <string>

#include "../check/check.hpp"
#include "../complaints.hpp"
#include "../mechanism.hpp"

namespace lw {

Mechanism read_wong(const std::string& text, const std::string& file, NamePlaces& places, Complaints& complaints);

}  // namespace lw
