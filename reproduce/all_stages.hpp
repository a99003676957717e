// A step of an explicit Runge-Kutta method with all of its stages in their order, also those that only tell its error:
// a right-hand side that remembers its calls notices. Integrators of the library (src/simulate) leave out what they do
// not need.
//
//   k_i = f(t + c_i h, y + h Σ_{j<i} A_ij k_j),   y' = y + h Σ b_i k_i
#pragma once

#include "evaluate.hpp"
#include "simulate/integrate/butcher.hpp"

namespace lw::reproduce {

template <class Slope>
Vector all_stages_step(const ButcherTableau& method, const Slope& slope, double t, const Vector& y, double h) {
  std::vector<Vector> k;
  const auto moved = [&](const double* weights) {
    Vector to = y;
    for (std::size_t j = 0; j < k.size(); ++j) {
      for (std::size_t i = 0; i < y.size(); ++i) to[i] += h * weights[j] * k[j][i];
    }
    return to;
  };
  while (k.size() < method.stages) {
    const std::size_t i = k.size();
    k.push_back(slope(t + method.c[i] * h, moved(method.A[i])));
  }
  return moved(method.b);
}

// From y at t to y at the end, in so many steps.
template <class Slope>
Vector all_stages_run(const ButcherTableau& method, const Slope& slope, double t, Vector y, double end, int steps) {
  for (int k = 0; k < steps; ++k) {
    const double h = (end - t) / steps;
    y = all_stages_step(method, slope, t + k * h, y, h);
  }
  return y;
}

}  // namespace lw::reproduce
