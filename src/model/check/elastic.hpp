// Elastic drives: a spring, damper and play between motor and joint, both with a coordinate.
//
// With θ the motor's angle over the ratio, on the joint's side, and s = θ - q less the play,
//   J r² θ̈ + (losses of the drive) + (k s + c ṡ) = τ,    (the rest of the mechanism) = k s + c ṡ
#pragma once

#include "../mechanism.hpp"

namespace lw {

// Gives each joint J whose drive has a stiffness a motor of its own: a massless link `J.motor` that carries the drive
// (rotor and losses) on a joint of the same name and the same type as J, and a shaft `J.shaft` between the two joints.
// J itself is no longer actuated. The motors' coordinates follow those of the file, and are at home where their joints
// are. Throws Error(model) where a rotor has no inertia, or the joint follows another. The mechanism has passed the
// checks.
Mechanism with_elastic_drives(const Mechanism& mechanism);

}  // namespace lw
