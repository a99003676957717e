// The columns of Jacobians.
#pragma once

#include "workspace.hpp"

namespace lw {

// The effect of each velocity of a joint on a point of its body, visit(v, angular, linear), in the axes given by R;
// `lever`: from the joint's origin to the point.
template <class T, class Visit>
void visit_columns(const Body<T>& b, const Mat3<T>& R, const Vec3<T>& lever, const Visit& visit) {
  const Vec3<T> zero = Vec3<T>::zero();
  switch (b.kind) {
    case JointKind::revolute: {
      const Vec3<T> axis = R * (b.mimics ? b.axis * b.ratio : b.axis);
      visit(b.v, axis, cross(axis, lever));
      break;
    }
    case JointKind::prismatic: visit(b.v, zero, R * (b.mimics ? b.axis * b.ratio : b.axis)); break;
    case JointKind::floating:
      for (int k = 0; k < 3; ++k) visit(b.v + 3 + k, zero, R.col(k));
      [[fallthrough]];
    case JointKind::spherical:
      for (int k = 0; k < 3; ++k) visit(b.v + k, R.col(k), cross(R.col(k), lever));
      break;
  }
}

}  // namespace lw
