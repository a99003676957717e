// The order of an integrator, measured on a motion of a mechanism by halving the step:
//
//   order = log₂ e(h)/e(h/2),  e(h) = |y_h(T) − y(T)| / |y(T)|
//
// T and the longest step are adapted to the motion: fast mechanisms need short steps for stability, slow ones long
// steps, so that errors exceed round-off.
#pragma once

#include <string>
#include <vector>

#include "../scenario/scenario.hpp"

namespace lw {

struct ConvergenceCurve {
  std::string integrator;
  int nominal = 0;
  double measured = 0.0;  // 0: no two errors between round-off and the size of the motion
  std::vector<double> step, error;
  bool compared = false;  // whether there are two such errors
};
inline constexpr double kConvergedToRoundOff = 1e-11;

// Of all integrators with fixed steps, on the free motion of a scenario without events.
std::vector<ConvergenceCurve> integrator_orders(const Mechanism& mechanism, const Scenario& scenario);

}  // namespace lw
