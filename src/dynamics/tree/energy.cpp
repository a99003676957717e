#include "energy.hpp"

#include "elements.hpp"

namespace lw {

template <class T>
Energy<T> energy(const Model<T>& model, const Workspace<T>& work, In<T> q, In<T> qd) {
  check_sizes("energy", model, work, {{"q", q.size(), model.nq}, {"qd", qd.size(), model.nv}});
  T kinetic(0.0), potential(0.0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    const Motion<T>& v = work.velocity[i];
    const Force<T> momentum = b.inertia * v;
    kinetic += T(0.5) * dot(v, momentum);
    const Transform<T>& X = work.X_W[i];
    potential -= dot(model.gravity, b.inertia.mass * X.p + X.R * b.inertia.h);
    if (b.velocities() == 1) {
      const T rate = joint_rate<T>(b, qd), stretch = joint_coordinate<T>(b, q) - b.rest;
      kinetic += T(0.5) * b.armature * rate * rate;
      potential += T(0.5) * b.stiffness * stretch * stretch;
    }
  }
  if (has_elements(model)) potential += element_energy<T>(model, work, q);
  for (const RotorTie<T>& tie : model.rotor_ties) {
    kinetic += tie.inertia * qd[static_cast<std::size_t>(tie.v)] * qd[static_cast<std::size_t>(tie.w)];
  }
  return {kinetic, potential};
}

template <class T>
Force<T> momentum(const Model<T>& model, const Workspace<T>& work) {
  Force<T> total;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    total += work.X_W[i].to_parent(model.bodies[i].inertia * work.velocity[i]);
  }
  return total;
}

template <class T>
CentreOfMass<T> centre_of_mass(const Model<T>& model, const Workspace<T>& work) {
  T mass(0.0);
  Vec3<T> first = Vec3<T>::zero();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<T>& I = model.bodies[i].inertia;
    mass += I.mass;
    first += I.mass * work.X_W[i].p + work.X_W[i].R * I.h;
  }
  const Vec3<T> linear = momentum(model, work).lin;
  return {mass, first / mass, linear / mass};
}

#define LW_INSTANTIATE(T)                                                           \
  template Energy<T> energy<T>(const Model<T>&, const Workspace<T>&, In<T>, In<T>); \
  template Force<T> momentum<T>(const Model<T>&, const Workspace<T>&);              \
  template CentreOfMass<T> centre_of_mass<T>(const Model<T>&, const Workspace<T>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
