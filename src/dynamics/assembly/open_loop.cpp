#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"
#include "assembly.hpp"

namespace lw {
namespace {

// How far the two frames of a closure are from where its joint allows them to be.
struct Gap {
  double distance = 0.0, angle = 0.0;
};
Gap gap_of(const LoopClosure<double>& loop, const Transform<double>& A, const Transform<double>& B) {
  const Eigen::Vector3d axis = A.R.eigen() * loop.axis.eigen(), apart = (B.p - A.p).eigen();
  const Eigen::Vector3d other = B.R.eigen() * loop.axis.eigen();
  const double tilt = std::atan2(axis.cross(other).norm(), axis.dot(other));
  const double turn = rotation_vector(transpose(A.R) * B.R).eigen().norm();
  switch (loop.type) {
    case JointType::fixed: return {apart.norm(), turn};
    case JointType::revolute: return {apart.norm(), tilt};
    case JointType::prismatic: return {axis.cross(apart).norm(), turn};
    case JointType::cylindrical: return {axis.cross(apart).norm(), tilt};
    case JointType::spherical: return {apart.norm(), 0.0};
    case JointType::planar: return {std::abs(axis.dot(apart)), tilt};
    case JointType::floating: return {};
    case JointType::universal: {
      const Eigen::Vector3d second = B.R.eigen() * loop.axis2.eigen();
      const double angle = std::acos(std::clamp(axis.dot(second), -1.0, 1.0));
      return {apart.norm(), std::abs(angle - std::acos(std::clamp(dot(loop.axis, loop.axis2), -1.0, 1.0)))};
    }
  }
  return {};
}

}  // namespace

std::string open_loop(const Model<double>& model, Workspace<double>& work, In<double> q) {
  double widest = 0.0;
  std::string text;
  forward_kinematics<double>(model, work, q);
  for (const LoopClosure<double>& loop : model.loops) {
    const Gap gap = gap_of(loop, frame_pose(work, loop.a), frame_pose(work, loop.b));
    const double size = std::max(gap.distance, gap.angle);
    if (!(size > std::max(widest, kClosedResidual))) continue;
    widest = size;
    text = fmt::format("loop `{}` ({} to {}) is open by ", loop.name, loop.a.name, loop.b.name);
    if (gap.distance > kClosedResidual) text += fmt::format("{:.4g} m", gap.distance);
    if (gap.distance > kClosedResidual && gap.angle > kClosedResidual) text += " and ";
    if (gap.angle > kClosedResidual) text += fmt::format("{:.4g} rad", gap.angle);
  }
  return text;
}

}  // namespace lw
