// Mechanisms with loops to test with: a serial chain of seven turns whose end is tied to the base by a joint of any
// type, closed at a pose that is its home; and small planar ones.
#pragma once

#include <string>

#include "model/mechanism.hpp"

namespace lw {

// Seven revolute joints, axes and offsets at random; as many of the first joints actuated as it has freedoms.
Mechanism closed_chain(JointType cut, std::uint64_t seed);

}  // namespace lw
