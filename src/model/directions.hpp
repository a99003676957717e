// Unit vectors, and directions perpendicular to an axis.
#pragma once

#include <array>
#include <cmath>

#include "../base/error.hpp"
#include "../graph/scalar.hpp"
#include "../spatial/vec3.hpp"

namespace lw {

template <class T>
Vec3<T> unit(const Vec3<T>& a) {
  using std::sqrt;
  const T length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return {a[0] / length, a[1] / length, a[2] / length};
}

// Only the choice of directions perpendicular to an axis depends on values.
inline double known_value(const Expr& x) {
  if (x.is_constant()) return x.constant();
  throw Error(ErrorCode::usage,
              "the normal of a planar joint and the axis of a flat guide must not depend on a kept parameter");
}
template <class T>
double known_value(const T& x) {
  return value_of(x);
}

// Directions of a planar joint, and of a flat guide: the next two axes after the normal in cyclic order, made
// perpendicular to it.
template <class T>
std::array<Vec3<T>, 2> plane_directions(const Vec3<T>& normal) {
  int along = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(known_value(normal[k])) > std::abs(known_value(normal[along]))) along = k;
  }
  const Vec3<T> follow = Vec3<T>::unit((along + 1) % 3);
  const Vec3<T> u = unit<T>(follow - normal * dot(follow, normal));
  return {u, cross(normal, u)};
}

}  // namespace lw
