// How coordinates move with velocities, and where derivatives with respect to configurations start:
//
//   q̇ = v;   of quaternions q̇ = ½ q ⊗ (ω, 0);   of the position of a floating joint ṗ = R(q) v
#pragma once

#include "model.hpp"

namespace lw {

// q̇ (nq) of the velocities v (nv), in any scalar: the model is asked for its joints alone.
template <class T, class S>
std::vector<T> coordinate_rates(const Model<S>& model, std::span<const std::type_identity_t<T>> q,
                                std::span<const std::type_identity_t<T>> v) {
  std::vector<T> rates(q.size(), T(0.0));
  for (const Body<S>& b : model.bodies) {
    if (b.mimics) continue;
    const auto k = static_cast<std::size_t>(b.q), first = static_cast<std::size_t>(b.v);
    const bool floats = b.kind == JointKind::floating;
    if (!floats && b.kind != JointKind::spherical) {
      rates[k] = v[first];
      continue;
    }
    const std::size_t turn = floats ? k + 3 : k;
    const T &x = q[turn], &y = q[turn + 1], &z = q[turn + 2], &w = q[turn + 3];
    const T half_x = T(0.5) * v[first], half_y = T(0.5) * v[first + 1], half_z = T(0.5) * v[first + 2];
    rates[turn] = w * half_x + y * half_z - z * half_y;
    rates[turn + 1] = w * half_y + z * half_x - x * half_z;
    rates[turn + 2] = w * half_z + x * half_y - y * half_x;
    rates[turn + 3] = -(x * half_x + y * half_y + z * half_z);
    if (!floats) continue;
    const Vec3<T> shift = rotation_from_quaternion(x, y, z, w) * Vec3<T>(v[first + 3], v[first + 4], v[first + 5]);
    for (int i = 0; i < 3; ++i) rates[k + static_cast<std::size_t>(i)] = shift[i];
  }
  return rates;
}

// The configuration displaced by `step` (nv), to the first order.
template <class T, class S>
std::vector<T> displaced(const Model<S>& model, std::span<const std::type_identity_t<T>> q,
                         std::span<const std::type_identity_t<T>> step) {
  std::vector<T> moved = coordinate_rates<T>(model, q, step);
  for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = q[k] + moved[k];
  return moved;
}

}  // namespace lw
