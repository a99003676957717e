// The model with right angles between axes that are so within `snap` (rad), and without lengths below `snap` times its
// size. Its rotations are rotations, to the last bits.
#pragma once

#include "../../model/model.hpp"

namespace lw {

template <class T>
Model<T> snapped(Model<T> model, double snap);

}  // namespace lw
