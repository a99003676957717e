// Loop closures: residuals of a configuration, and the remaining degrees of freedom.
//
// The equations are those of closure_rows.hpp, all of them: six minus the joint's degrees of freedom per closure.
// Planar mechanisms have dependent equations, so the mobility is nv − rank of the residuals' Jacobian, taken at a
// closed configuration.
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

// Residuals of all closures at q (metres and radians), and their Jacobian by columns (rows = residuals, nv columns).
struct ClosureState {
  std::vector<double> residual;
  std::vector<double> jacobian;
};
ClosureState closure_state(const Model<double>& model, Workspace<double>& work, In<double> q);

struct Mobility {
  int dof = 0;                 // nv − rank, in general position
  double residual = 0.0;       // largest, at q
  bool closed = true;          // the closures can be satisfied to 1e-9
  std::vector<double> q;       // the closed configuration found from home
  double home_residual = 0.0;  // largest, at home itself
  bool singular_home = false;  // the mobility at home is larger than in general
};
// From home by damped Gauss-Newton, then from poses nearby. A mechanism without loops has nv degrees of freedom.
Mobility mobility(const Model<double>& model);

// q ⊕ δ: a step along velocities, quaternions kept unit.
void advance(const Model<double>& model, Out<double> q, In<double> step);

}  // namespace lw
