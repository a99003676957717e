#include "linkage.hpp"

#include "../../graph/typical.hpp"

namespace lw {
// A rotation whose third column is the unit vector a. Coordinate axes give permutations, which keep zeros; any other
// axis the basis of Duff et al. (2017), which needs no branch.
template <class T>
Mat3<T> frame_with_z(const Vec3<T>& a) {
  for (int k = 0; k < 3; ++k) {
    if (!is_exactly(a[(k + 1) % 3], 0.0) || !is_exactly(a[(k + 2) % 3], 0.0)) continue;
    const Vec3<T> x = Vec3<T>::unit((k + 1) % 3), y = Vec3<T>::unit((k + 2) % 3);
    if (is_exactly(a[k], 1.0)) return {x, y, a};
    if (is_exactly(a[k], -1.0)) return {y, x, a};
  }
  const T one(1.0), sign = select(less(a[2], T(0.0)), T(-1.0), one);
  const T f = -(one / (sign + a[2])), g = a[0] * a[1] * f;
  return {Vec3<T>(one + sign * a[0] * a[0] * f, sign * g, -(sign * a[0])), Vec3<T>(g, sign + a[1] * a[1] * f, -a[1]),
          a};
}

template <class T>
Linkage<T> linkage(const Model<T>& model) {
  Linkage<T> out;
  out.gravity = model.gravity;
  std::vector<Mat3<T>> turn;  // of the link's new frame relative to the body's
  for (const Body<T>& b : model.bodies) {
    typename Linkage<T>::Link link;
    link.parent = b.parent;
    link.kind = b.kind;
    link.q = out.nq;
    link.v = out.nv;
    const bool one = b.kind == JointKind::revolute || b.kind == JointKind::prismatic;
    turn.push_back(one ? frame_with_z(b.axis) : Mat3<T>::identity());
    const Mat3<T> to = transpose(turn.back());
    link.rest = {b.X_PJ.R * turn.back(), b.X_PJ.p};
    if (b.parent >= 0) {
      const Mat3<T> from_parent = transpose(turn[static_cast<std::size_t>(b.parent)]);
      link.rest = {from_parent * link.rest.R, from_parent * link.rest.p};
    }
    link.mass = b.inertia.mass;
    if (!is_zero(link.mass)) link.com = to * (b.inertia.h / link.mass);
    // I − m (c·c 1 − c cᵀ)
    link.I = to * (b.inertia.I * turn.back()) + outer(link.com, link.mass * link.com);
    const T square = link.mass * dot(link.com, link.com);
    for (int k = 0; k < 3; ++k) link.I(k, k) -= square;
    out.nq += one ? 1 : b.kind == JointKind::spherical ? 4 : 7;
    out.nv += b.velocities();
    out.links.push_back(link);
  }
  return out;
}

template <class T>
std::vector<Transform<T>> joint_poses(const Linkage<T>& linkage, In<T> q) {
  using std::cos, std::sin;
  std::vector<Transform<T>> poses;
  for (const auto& link : linkage.links) {
    const Mat3<T>& R = link.rest.R;
    const auto k = static_cast<std::size_t>(link.q);
    switch (link.kind) {
      case JointKind::revolute: {
        const T c = cos(q[k]), s = sin(q[k]);
        poses.push_back({{R.col(0) * c + R.col(1) * s, R.col(1) * c - R.col(0) * s, R.col(2)}, link.rest.p});
        break;
      }
      case JointKind::prismatic: poses.push_back({R, link.rest.p + R.col(2) * q[k]}); break;
      case JointKind::spherical:
        poses.push_back({R * rotation_from_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3]), link.rest.p});
        break;
      case JointKind::floating:
        poses.push_back({R * rotation_from_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]),
                         link.rest.p + R * Vec3<T>(q[k], q[k + 1], q[k + 2])});
        break;
    }
  }
  return poses;
}

template <class T>
std::vector<std::vector<std::size_t>> joints_to(const Linkage<T>& linkage) {
  std::vector<std::vector<std::size_t>> ways;
  for (const auto& link : linkage.links) {
    std::vector<std::size_t> way;
    if (link.parent >= 0) way = ways[static_cast<std::size_t>(link.parent)];
    way.push_back(ways.size());
    ways.push_back(std::move(way));
  }
  return ways;
}

#define LW_INSTANTIATE(T)                                                      \
  template Mat3<T> frame_with_z<T>(const Vec3<T>&);                            \
  template Linkage<T> linkage<T>(const Model<T>&);                             \
  template std::vector<Transform<T>> joint_poses<T>(const Linkage<T>&, In<T>); \
  template std::vector<std::vector<std::size_t>> joints_to<T>(const Linkage<T>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
