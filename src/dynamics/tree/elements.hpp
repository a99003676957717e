// Force elements: springs, stops, external forces, shafts, and the rotors that couple joints.
//
//   joint         −table(q); a stop with penetration s > 0 pushes back with max(0, k s + d ṡ)
//   point spring  pulls its points a and b together with k (L − rest) or table(L), and d L̇
//   force         a wrench at a frame, in the world's axes or the link's
//   shaft         k s + d δ̇ on its second joint, the opposite on the first: δ = q₁ − q₂, s what it exceeds the play ±p
//                 by; within the play nothing
//   rotors        M(v, w) = M(w, v) += inertia
//
// Wrenches act on bodies, torques at joints; together they give the generalised forces Q. Terms with d dissipate
// energy: they act only with friction and are kept separate (for a stop: the addition to max(0, k s)). Everything else
// always acts: in inverse dynamics τ = M q̈ + h − Q. Without external forces, whose work may depend on the path, Q =
// −∂V/∂q.
#pragma once

#include "workspace.hpp"

namespace lw {

// Excludes the joints' own linear springs (Body::stiffness).
template <class T>
bool has_elements(const Model<T>& model) {
  return !(model.joint_elements.empty() && model.springs.empty() && model.forces.empty() && model.shafts.empty());
}
template <class T>
Model<T> without_elements(Model<T> model);

// For rnea and aba. Subtracts the wrenches on bodies from those that their joints must transmit; computes X_W from X.
template <class T>
void subtract_element_wrenches(const Model<T>& model, Workspace<T>& work, std::span<Force<T>> needed);
// Subtracts the torques at joints from those required there.
template <class T>
void subtract_element_torques(const Model<T>& model, In<T> q, Out<T> needed);

// Q, and its dissipative part: one entry per velocity. Runs its own sweep; work.force is scratch.
template <class T>
void element_torques(const Model<T>& model, Workspace<T>& work, In<T> q, Out<T> Q);
template <class T>
void damping_torques(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, Out<T> Q);
// The dissipative part, added to the wrenches that act on bodies and the torques that act at joints. After
// forward_velocities (kinematics.hpp).
template <class T>
void add_damping(const Model<T>& model, const Workspace<T>& work, In<T> q, In<T> qd, std::span<Force<T>> on_bodies,
                 Out<T> at_joints);

// rnea with friction: tau without damping, the contribution of damping separately, and in work.force the reactions
// including it. work.bias and work.scratch are scratch.
template <class T>
void rnea_with_damping(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> tau,
                       Out<T> damping, std::span<const Force<std::type_identity_t<T>>> external = {});

// V without the joints' own linear springs; external forces have none. After forward_kinematics.
template <class T>
T element_energy(const Model<T>& model, const Workspace<T>& work, In<T> q);

// τ −= Q, for methods without force elements. Allocates.
template <class T>
void subtract_elements(const Model<T>& model, In<T> q, Out<T> tau);

// Coupled rotors: adds their torques to tau, and their entries to M.
template <class T>
void add_rotor_ties(const Model<T>& model, In<T> qdd, Out<T> tau) {
  for (const RotorTie<T>& tie : model.rotor_ties) {
    const auto v = static_cast<std::size_t>(tie.v), w = static_cast<std::size_t>(tie.w);
    tau[v] += tie.inertia * qdd[w];
    tau[w] += tie.inertia * qdd[v];
  }
}
template <class T>
void add_rotor_ties(const Model<T>& model, Out<T> M) {
  const auto n = static_cast<std::size_t>(model.nv);
  for (const RotorTie<T>& tie : model.rotor_ties) {
    const auto v = static_cast<std::size_t>(tie.v), w = static_cast<std::size_t>(tie.w);
    M[v * n + w] += tie.inertia;
    M[w * n + v] += tie.inertia;
  }
}

// The line of a point spring, between two points of the world. If they coincide it has no direction.
template <class T>
struct SpringLine {
  Vec3<T> along;  // from a to b, a unit
  T length;
};
template <class T>
SpringLine<T> spring_line(const Vec3<T>& a, const Vec3<T>& b);
template <class T>
T tension(const PointSpringElement<T>& spring, const T& length);

// δ of a shaft beyond its backlash, and whether it is within the backlash (1 or 0), where it transmits no torque.
template <class T>
T shaft_twist(const ShaftElement<T>& shaft, const T& difference);
template <class T>
T is_slack(const ShaftElement<T>& shaft, const T& difference);

}  // namespace lw
