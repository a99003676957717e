// Dynamics of closed mechanisms in all coordinates of their spanning tree, by multipliers. It has no independent joints
// to choose and so goes on where those of projection.hpp do not determine the motion: the second method, and the one
// through singular poses.
//
//   M q̈ + h = τ + Jᵀ λ,   J q̈ = −J̇ q̇
//   q̈ = p + N y,   p = −J⁺ J̇ q̇,   J N = 0,   NᵀMN y = Nᵀ(τ − h − M p)
//
// J are the equations of all closures (closure_rows.hpp), of which some may say nothing, and at a singular pose fewer
// say something: J⁺ and N by singular values, those below 1e-9 of the largest left out.
#pragma once

#include <Eigen/Core>

#include "projection.hpp"

namespace lw {

// Whether a reduced mass matrix is positive definite beyond what rounding leaves: no pivot below 1e-14 of its diagonal.
// Where it is not, nothing resists some motion; "the mass matrix of … is singular", with the velocity that is largest
// in it.
bool is_definite(const Eigen::MatrixXd& H);
std::string no_inertia(const Model<double>& model, int v);
// Throws Error(data) if some motion of the independent joints meets no inertia at q: torques do not determine its
// accelerations.
void require_inertia(const Model<double>& model, const LoopPlan& plan, PlantWorkspace<double>& work, In<double> q);

class Multipliers {
 public:
  // The model must outlive it.
  explicit Multipliers(const Model<double>& model);

  // q̈ under torques of all joints of the tree, at a closed q and q̇ (to what an integrator leaves). Throws Error(data)
  // where nothing resists some motion.
  void forward(In<double> q, In<double> qd, In<double> tau, Out<double> qdd);

  // The nearest closed configuration, by Gauss-Newton steps of least length; then the nearest velocities J q̇ = 0.
  // `close` gives the largest residual that is left, m or rad.
  double close(Out<double> q);
  void close_velocities(In<double> q, Out<double> qd);
  // Smallest singular value of what J has at a general pose, by the largest: 0 at a singular pose.
  double distance(In<double> q);

 private:
  Eigen::Map<const Eigen::MatrixXd> jacobian(In<double> q);

  const Model<double>& model_;
  ClosureEquations equations_;
  Workspace<double> work_;
  std::vector<double> J_, M_, rows_, step_, none_, bias_;
  int rank_ = 0;  // at home
};

}  // namespace lw
