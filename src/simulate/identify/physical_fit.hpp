// Physically consistent bodies as near as possible to identified parameters.
//
// A body of mass m, first moment h and inertia I about its origin is physically consistent if its pseudo-inertia
//   P = [Σ h; hᵀ m],  Σ = ½ tr(I) 1 − I = ∫ x xᵀ dm
// is positive definite (Wensing, Kim, Slotine 2018). With R from `identify`, x(π) the base parameters K π and the
// friction,
//   minimise ½ |R (x(π) − x̂)|² + μ Σ_bodies (tr P₀⁻¹P − log det P)
// over standard parameters π; for rotors and friction P is 1 × 1. The function is convex, because P is linear in π. P₀,
// the model's value, determines the directions that the log does not. With P = S Sᵀ a Newton step is a least-squares
// problem,
//   R M δ = −R (x − x̂),   √μ S⁻¹ (Σ_k E_k δ_k) S⁻ᵀ = −√μ (Sᵀ P₀⁻¹ S − 1)
// since the products of the rows on the left are the Hessian of the barrier, and their products with the right its
// gradient.
#pragma once

#include "identify.hpp"

namespace lw {

struct PhysicalFit {
  std::vector<double> standard;  // π: one for each parameter of base.standard
  std::vector<double> friction;  // one per term; nonnegative except for offsets
  // Distance from the estimates: the largest difference in standard deviations, and its parameter.
  double worst = 0.0;
  std::string worst_name;
  static constexpr double kWithin = 3.0;
  bool consistent() const { return worst <= kWithin; }
};
PhysicalFit physical_fit(const Model<double>& model, const Identification& identified);

// The mechanism with those parameters. The first link of each body has all of its inertia (payloads and links fixed to
// it have none of their own any more). If friction was estimated, it replaces all losses: bearings, Stribeck's curve,
// dampers and the losses of drives are removed. Offsets cannot be represented in a mechanism.
Mechanism fitted_mechanism(const Mechanism& mechanism, const Model<double>& model, const Identification& identified,
                           const PhysicalFit& fit);

}  // namespace lw
