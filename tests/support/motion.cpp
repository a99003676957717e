#include "motion.hpp"

namespace lw {

std::vector<ComplexStep> moving(const Model<double>& model, const std::vector<double>& q,
                                const std::vector<double>& qd) {
  std::vector<ComplexStep> out(q.begin(), q.end());
  const auto turn = [&](std::size_t at, std::size_t v) {
    const double x = q[at], y = q[at + 1], z = q[at + 2], w = q[at + 3];
    const double a = 0.5 * qd[v], b = 0.5 * qd[v + 1], c = 0.5 * qd[v + 2];
    out[at].im = kComplexStep * (w * a + y * c - z * b);
    out[at + 1].im = kComplexStep * (w * b + z * a - x * c);
    out[at + 2].im = kComplexStep * (w * c + x * b - y * a);
    out[at + 3].im = kComplexStep * (-x * a - y * b - z * c);
  };
  for (const JointInfo& joint : model.joints) {
    const auto at = static_cast<std::size_t>(joint.q), v = static_cast<std::size_t>(joint.v);
    if (joint.type == JointType::spherical) {
      turn(at, v);
    } else if (joint.type == JointType::floating) {
      turn(at + 3, v);
      const Mat3<double> R = rotation_from_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]);
      const Vec3<double> move = R * Vec3<double>(qd[v + 3], qd[v + 4], qd[v + 5]);
      for (int k = 0; k < 3; ++k) out[at + static_cast<std::size_t>(k)].im = kComplexStep * move[k];
    } else {
      for (int k = 0; k < coordinates(joint.type); ++k) {
        out[at + static_cast<std::size_t>(k)].im = kComplexStep * qd[v + static_cast<std::size_t>(k)];
      }
    }
  }
  return out;
}

}  // namespace lw
