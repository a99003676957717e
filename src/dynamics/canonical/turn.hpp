// A rotation about z, applied to vectors and moments.
#pragma once

#include "../../graph/typical.hpp"
#include "tree.hpp"

namespace lw {

// Rz of an angle plus some quarter turns, which cost nothing.
template <class T>
struct Turn {
  T c = T(1.0), s = T(0.0);

  Turn(const T& angle, int quarters) {
    using std::cos, std::sin;
    const T cosine = cos(angle), sine = sin(angle);
    switch (((quarters % 4) + 4) % 4) {
      case 0: c = cosine, s = sine; break;
      case 1: c = -sine, s = cosine; break;
      case 2: c = -cosine, s = -sine; break;
      default: c = sine, s = -cosine;
    }
  }
  Turn() = default;
  // Rz v and Rzᵀ v
  Vec3<T> out(const Vec3<T>& v) const { return {c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]}; }
  Vec3<T> in(const Vec3<T>& v) const { return {c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]}; }
};

// Moments of a link's own axes, in axes rotated about z.
template <class T>
SecondMoments<T> turned_out(const typename CanonicalTree<T>::Link& link, const Turn<T>& turn) {
  const SecondMoments<T>& P = link.inertia;
  SecondMoments<T> out = P;
  out.h = turn.out(P.h);
  const Vec3<T> side = turn.out({P.E(0, 2), P.E(1, 2), T(0.0)});
  for (int k = 0; k < 2; ++k) out.E(k, 2) = out.E(2, k) = side[k];
  out.E(0, 0) = out.E(1, 1) = link.mean;
  if (is_zero(link.spread) && is_zero(P.E(0, 1))) return out;
  const T cc = turn.c * turn.c, sc = turn.s * turn.c, c2 = cc + cc - T(1.0), s2 = sc + sc;  // of twice the angle
  const T x = link.spread * c2 - P.E(0, 1) * s2;
  out.E(0, 0) += x;
  out.E(1, 1) -= x;
  out.E(0, 1) = out.E(1, 0) = link.spread * s2 + P.E(0, 1) * c2;
  return out;
}

// Origin of a link on a revolute or prismatic joint, in its parent.
template <class T>
Vec3<T> origin_of(const typename CanonicalTree<T>::Link& link, const Body<T>& body, In<T> q) {
  if (link.kind != JointKind::prismatic) return link.p;
  return link.p + link.B.col(2) * (joint_coordinate<T>(body, q) + link.offset);
}
// Pose of a link on a spherical or floating joint, in its parent.
template <class T>
Transform<T> free_pose(const typename CanonicalTree<T>::Link& link, const Body<T>& body, In<T> q) {
  const bool floats = link.kind == JointKind::floating;
  const auto k = static_cast<std::size_t>(body.q), turn = floats ? k + 3 : k;
  return {link.B * rotation_from_quaternion(q[turn], q[turn + 1], q[turn + 2], q[turn + 3]),
          floats ? link.p + link.B * Vec3<T>(q[k], q[k + 1], q[k + 2]) : link.p};
}

// The same as turned_out for moments that are not constant, with the moment of inertia about z, which is invariant.
template <class T>
SecondMoments<T> turned_out(const SecondMoments<T>& P, const T& inertia_z, const Turn<T>& turn) {
  SecondMoments<T> out = P;
  out.h = turn.out(P.h);
  const Vec3<T> side = turn.out({P.E(0, 2), P.E(1, 2), T(0.0)});
  for (int k = 0; k < 2; ++k) out.E(k, 2) = out.E(2, k) = side[k];
  const T difference = P.E(0, 0) - P.E(1, 1), cc = turn.c * turn.c, sc = turn.s * turn.c;
  out.E(0, 0) = P.E(1, 1) + difference * cc - P.E(0, 1) * (sc + sc);
  out.E(1, 1) = inertia_z - out.E(0, 0);
  out.E(0, 1) = out.E(1, 0) = difference * sc + P.E(0, 1) * (cc + cc - T(1.0));
  return out;
}

}  // namespace lw
