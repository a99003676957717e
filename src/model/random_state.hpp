// A random state of a model: any angle, slides and positions within half a metre, unit quaternions, rates within ±2 and
// accelerations within ±5, forces within ±20. The same numbers from the same seed, on every machine.
#pragma once

#include <vector>

#include "../base/random.hpp"
#include "model.hpp"

namespace lw {

struct State {
  std::vector<double> q, qd, qdd, tau;
  std::vector<double> guess = {};  // of a mechanism with loops: its dependent coordinates, nearly
};

State random_state(const Model<double>& model, Random& random);

}  // namespace lw
