// Control laws of joints, with e = desired − actual:
//
//   pd, pid           τ = kp e + kd ė + ki ∫e
//   computed torque   τ = M(q) u + h(q, q̇),  u = q̈_d + kp e + kd ė + ki ∫e,  0 for joints that it does not control
//
// For any scalar: numbers when a scenario runs, symbols when it is differentiated.
#pragma once

#include <span>
#include <vector>

#include "../dynamics/tree/workspace.hpp"
#include "trajectory.hpp"

namespace lw {

struct JointLaw {
  enum class Kind { pd, pid, computed_torque } kind = Kind::pd;
  std::vector<int> q, v;           // indices of the joints, which have one velocity per coordinate
  std::vector<double> kp, kd, ki;  // one per joint

  bool integrates() const;
};

// The output for joint v[k]: its torque, or with computed torque its u. Entries of other joints are unchanged.
// `integral`: ∫e of each joint, or empty; `errors`: receives e of each joint if not null.
template <class T, class Wanted>
void demand(const JointLaw& law, const JointMotion<Wanted>& wanted, In<T> q, In<T> qd, std::span<const double> integral,
            Out<T> demanded, Out<T> errors = {}) {
  for (std::size_t k = 0; k < law.v.size(); ++k) {
    const auto at_q = static_cast<std::size_t>(law.q[k]), at_v = static_cast<std::size_t>(law.v[k]);
    const T e = T(wanted.q[k]) - q[at_q], rate = T(wanted.qd[k]) - qd[at_v];
    T u = T(law.kp[k]) * e + T(law.kd[k]) * rate;
    if (!integral.empty()) u += T(law.ki[k] * integral[k]);
    demanded[at_v] = law.kind == JointLaw::Kind::computed_torque ? u + T(wanted.qdd[k]) : u;
    if (!errors.empty()) errors[k] = e;
  }
}

}  // namespace lw
