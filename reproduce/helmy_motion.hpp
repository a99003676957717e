// Helmy 1994: the planar 3-RRR along a cycloidal motion of its cranks, q = q₀ + Δ (s − sin 2πs / 2π), s = t/T, with all
// that moves on it.
#pragma once

#include <Eigen/Core>

#include "dynamics/loops/projection.hpp"
#include "evaluate.hpp"

namespace lw::reproduce {

struct HelmyManoeuvre {
  std::array<double, 3> from, to;  // deg
  double duration = 3.0;
};
inline constexpr HelmyManoeuvre kTableManoeuvre{{90, 60, 120}, {120, 120, 0}};  // appendix D
inline constexpr HelmyManoeuvre kSetupManoeuvre{{60, 120, 90}, {120, 0, 120}};  // section 5.3, "typical"

class HelmyMotion {
 public:
  explicit HelmyMotion(const HelmyManoeuvre& manoeuvre = kTableManoeuvre,
                       Model<double> model = embedded("planar-3rrr"));

  // Cranks at a time; then the whole mechanism there, followed from the last time that was asked for (or from home).
  void cranks(double t, Vector& q, Vector& qd, Vector& qdd) const;
  void go(double t);

  Vector inverse(const Vector& qd, const Vector& qdd);
  Vector inverse() { return inverse(qd, qdd); }
  Vector forward(const Vector& tau);
  Vector mass_matrix();
  // By redundant coordinates: M q̈ + h = S τ + Jᵀ λ and J q̈ = −J̇ q̇ of all ten closures together; J̇ by differences
  // of J.
  Vector inverse_by_multipliers();

  // Angular velocities of the links, cranks, rods and platform, and their accelerations.
  Vector angular_velocities();
  Vector angular_accelerations();
  // 21 × 3: twists (ω, ċ) of the seven links by unit velocities of the cranks; and by the projection K_a − K_u J_u⁻¹
  // J_a.
  Eigen::MatrixXd complement(bool by_projection = false);
  // 18 × 21: the links' twists that nine revolute joints allow.
  Eigen::MatrixXd twist_constraints();
  double potential_energy();

  Model<double> model;
  LoopPlan plan;
  PlantWorkspace<double> work;
  Vector q, qd, qdd;  // of the cranks
  Vector tree_q;

 private:
  Eigen::MatrixXd link_jacobian();  // 21 × 7: twists by velocities of the tree

  HelmyManoeuvre manoeuvre_;
};

}  // namespace lw::reproduce
