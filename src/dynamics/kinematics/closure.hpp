// Loop closures: how far a configuration is from closing them, and how many freedoms they leave.
//
// The equations are those of closure_rows.hpp, all of them: six minus the joint's freedom a closure. Planar mechanisms
// have dependent ones, so the mobility is nv − rank of the residuals' Jacobian, taken at a closed configuration.
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
  bool closed = true;          // the closures could be met to 1e-9
  std::vector<double> q;       // a configuration that meets them, the one found from home
  double home_residual = 0.0;  // largest, at home itself
  bool singular_home = false;  // at q more seems free than moves in general
};
// From home by damped Gauss-Newton, then from poses beside it. A mechanism without loops has its nv freedoms.
Mobility mobility(const Model<double>& model);

// q ⊕ δ: a step along velocities, quaternions kept unit.
void advance(const Model<double>& model, Out<double> q, In<double> step);

}  // namespace lw
