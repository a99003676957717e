// A random state of a model: arbitrary angles, displacements and positions within ±0.5 m, unit quaternions, rates
// within ±2, accelerations within ±5, forces within ±20. The same seed gives the same numbers on every machine.
#pragma once

#include <vector>

#include "../base/random.hpp"
#include "model.hpp"

namespace lw {

struct State {
  std::vector<double> q, qd, qdd, tau;
  std::vector<double> guess = {};  // for closed loops: approximate dependent coordinates
};

State random_state(const Model<double>& model, Random& random);

}  // namespace lw
