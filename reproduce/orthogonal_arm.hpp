// A chain of n revolute joints whose axes are at right angles (twists −90°, 90°, …, the first joint's axis upright),
// with a length a and an offset d at every joint, centres of mass anywhere, and inertias along the links' axes. No two
// numbers of a link are equal, which would save operations; all are multiples of a power of two, so that moving an
// inertia from frame to frame and back is exact and its zeros stay zeros.
#pragma once

#include "model/mechanism.hpp"

namespace lw::reproduce {

Mechanism orthogonal_arm(int joints);

}  // namespace lw::reproduce
