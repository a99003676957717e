// The model with exact right angles between axes that are perpendicular within `snap` (rad), and without lengths below
// `snap` times its size. Its rotation matrices are orthogonal to the last bits.
#pragma once

#include "../../model/model.hpp"

namespace lw {

template <class T>
Model<T> snapped(Model<T> model, double snap);

}  // namespace lw
