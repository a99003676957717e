// Whether a mechanism loses energy at all, with friction: in joints, cut ones among them, drives or force elements.
#pragma once

#include "../../model/model.hpp"

namespace lw {

bool dissipates(const Model<double>& model);

}  // namespace lw
