// Elastic drives: a spring, damper and backlash between motor and joint, which have separate coordinates.
//
// With θ the motor angle divided by the ratio (on the joint side), and s = θ - q, reduced by the backlash,
//   J r² θ̈ + (losses of the drive) + (k s + c ṡ) = τ,    (the rest of the mechanism) = k s + c ṡ
#pragma once

#include "../mechanism.hpp"

namespace lw {

// Adds a motor for each joint J whose drive has a stiffness: a massless link `J.motor` that carries the drive (rotor
// and losses) on a joint of the same name and the same type as J, and a shaft `J.shaft` between the two joints. J
// itself is no longer actuated. The motors' coordinates come after those of the file; their home is that of their
// joints. Throws Error(model) if a rotor has no inertia, or the joint is a mimic joint. The mechanism must have passed
// the checks.
Mechanism with_elastic_drives(const Mechanism& mechanism);

}  // namespace lw
