#include "joint_way.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "../../base/index.hpp"

namespace lw {

JointWay joint_way(const JointInfo& joint, In<double> a, In<double> b) {
  const auto i = at(joint.q);
  const auto apart = [&](std::size_t k) { return std::abs(b[i + k] - a[i + k]); };
  const auto turned = [&](std::size_t k) {
    return Eigen::Quaterniond(&a[i + k]).angularDistance(Eigen::Quaterniond(&b[i + k]));
  };
  switch (joint.type) {
    case JointType::revolute: return {apart(0), 0.0};
    case JointType::prismatic: return {0.0, apart(0)};
    case JointType::cylindrical: return {apart(0), apart(1)};
    case JointType::universal: return {std::max(apart(0), apart(1)), 0.0};
    case JointType::planar: return {apart(2), std::max(apart(0), apart(1))};
    case JointType::spherical: return {turned(0), 0.0};
    case JointType::floating: return {turned(3), std::max({apart(0), apart(1), apart(2)})};
    case JointType::fixed: break;
  }
  return {};
}

}  // namespace lw
