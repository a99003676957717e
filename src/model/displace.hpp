// A configuration displaced along velocities, to the first order: where derivatives with respect to configurations start.
//
//   q + δ;   quaternions q + ½ q ⊗ (δ, 0);   positions of floating joints p + R(q) δ
#pragma once

#include "model.hpp"

namespace lw {

// `step` has nv entries.
template <class T>
std::vector<T> displaced(const Model<T>& model, std::span<const std::type_identity_t<T>> q,
                         std::span<const std::type_identity_t<T>> step) {
  std::vector<T> moved(q.begin(), q.end());
  for (const Body<T>& b : model.bodies) {
    if (b.mimics) continue;
    const auto k = static_cast<std::size_t>(b.q), v = static_cast<std::size_t>(b.v);
    const bool floats = b.kind == JointKind::floating;
    if (!floats && b.kind != JointKind::spherical) {
      moved[k] = q[k] + step[v];
      continue;
    }
    const std::size_t turn = floats ? k + 3 : k;
    const T x = q[turn], y = q[turn + 1], z = q[turn + 2], w = q[turn + 3];
    const T a = T(0.5) * step[v], c = T(0.5) * step[v + 1], e = T(0.5) * step[v + 2];
    moved[turn] = x + (w * a + y * e - z * c);
    moved[turn + 1] = y + (w * c + z * a - x * e);
    moved[turn + 2] = z + (w * e + x * c - y * a);
    moved[turn + 3] = w - (x * a + y * c + z * e);
    if (!floats) continue;
    const Vec3<T> shift = rotation_from_quaternion(x, y, z, w) * Vec3<T>(step[v + 3], step[v + 4], step[v + 5]);
    for (int i = 0; i < 3; ++i) moved[k + static_cast<std::size_t>(i)] = q[k + static_cast<std::size_t>(i)] + shift[i];
  }
  return moved;
}

}  // namespace lw
