// By how much the error of an integrator falls where its step is halved: its order, on a motion of a mechanism.
//
//   order = log₂ e(h)/e(h/2),  e(h) = |y_h(T) − y(T)| / |y(T)|
//
// T and the longest step follow the motion: a lively mechanism wants short ones, lest they blow up, a slow one long
// ones, lest all errors be round-off.
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
