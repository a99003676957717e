// Inverse dynamics: τ = M(q) q̈ + c(q, q̇) + g(q) − Σ Jᵀ f_ext, with the joint reactions.
//
// Newton-Euler in link frames (Luh, Walker, Paul 1980) about the frame's origin with first moments h = m c, linear in
// the inertial parameters (m, h, I). ω angular velocity, α angular and a linear acceleration of the origin, the base
// accelerated by −gravity. Outward, for a joint with axis s and parent p, r the origin seen from p:
//   ω = Rᵀω_p + s q̇,  α = Rᵀα_p + s q̈ + Rᵀω_p × s q̇,  a = Rᵀ(a_p + α_p × r + ω_p × (ω_p × r))     (revolute)
//   ω = Rᵀω_p,        α = Rᵀα_p,                          a = … + s q̈ + 2 ω × s q̇                    (prismatic)
//   f = m a + α × h + ω × (ω × h),   n = I α + ω × I ω + h × a
// Inward: f_p += R f, n_p += R n + r × R f, τ = s·n or s·f. The joint's spring and the rotor's inertia are added to τ;
// force elements act as external wrenches and torques do (elements.hpp).
#pragma once

#include "workspace.hpp"

namespace lw {

// tau (nv). After it, work.force[b] is the wrench that body b's joint passes to it from its parent, at the body's
// origin in its frame: the joint reaction. `external` (empty, or one per body): wrenches acting on the bodies, same
// place and axes.
template <class T>
void rnea(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> tau,
          std::span<const Force<std::type_identity_t<T>>> external = {});

// c(q, q̇) + g(q): the torques for q̈ = 0.
template <class T>
void bias_forces(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, Out<T> bias);

// g(q): the torques that hold the mechanism at rest (springs and other force elements included).
template <class T>
void gravity_forces(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> gravity);

// A wrench on a link in world axes at its frame's origin, moved to its body's frame. After
// forward_kinematics; the link must not be fixed to the base, where a wrench has no effect.
template <class T>
Force<T> wrench_on_body(const Model<T>& model, const Workspace<T>& work, int frame, const Force<T>& wrench);
// The same at an arbitrary frame.
template <class T>
Force<T> wrench_on_body(const Workspace<T>& work, const Frame<T>& frame, const Force<T>& wrench);

// The outward sweep only: X, velocity.ang, alpha, acceleration, for a base accelerated by −gravity.
template <class T>
void forward_accelerations(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
                           const Vec3<T>& gravity);

}  // namespace lw
