// Whether a mechanism dissipates energy with friction: in joints, cut joints included, drives or force elements.
#pragma once

#include "../../model/model.hpp"

namespace lw {

bool dissipates(const Model<double>& model);

}  // namespace lw
