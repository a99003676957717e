// What Wong's experiments share: the profile (3.43) of his test runs, and the state at which the oracle evaluates.
#pragma once

#include "evaluate.hpp"

namespace lw::reproduce {

inline const Vector kWongQ{.1, .2, .3, .4, .5, .6}, kWongQd{.6, .5, .4, .3, .2, .1};

// Equation 3.43 with w = 2π/T: θ = (wt − sin wt)/2, from 0 to π at rest, the same for every joint.
struct WongProfile {
  double q, qd, qdd;
};
WongProfile wong_profile(double t, double T);
// The torques that it takes.
Vector wong_torque(const Model<double>& model, double t, double T);

}  // namespace lw::reproduce
