// Energy, momentum and centre of mass. After forward_velocities (kinematics.hpp).
//
//   kinetic    ½ Σ (ω·Iω + 2 v·(ω × h) + m v²) + ½ Σ armature q̇² + Σ rotor ties q̇_v q̇_w  =  ½ q̇ᵀ M q̇
//   potential  −Σ g·(m p + R h) + ½ Σ stiffness (q − rest)² + that of force elements (elements.hpp); external forces
//              have none
//   momentum   linear, and angular about the world's origin, in world axes (bodies only: rotors carry none here)
#pragma once

#include "workspace.hpp"

namespace lw {

template <class T>
struct Energy {
  T kinetic, potential;
};
template <class T>
Energy<T> energy(const Model<T>& model, const Workspace<T>& work, In<T> q, In<T> qd);

template <class T>
Force<T> momentum(const Model<T>& model, const Workspace<T>& work);

template <class T>
struct CentreOfMass {
  T mass;
  Vec3<T> position, velocity;  // in the world
};
template <class T>
CentreOfMass<T> centre_of_mass(const Model<T>& model, const Workspace<T>& work);

}  // namespace lw
