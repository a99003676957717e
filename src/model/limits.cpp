#include "limits.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate.hpp"

namespace lw {

bool CoordinateLimits::contain(std::span<const double> q, double tolerance) const {
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (q[k] < lower[k] - tolerance || q[k] > upper[k] + tolerance) return false;
  }
  return true;
}

CoordinateLimits no_limits(const Model<double>& model) {
  const auto n = static_cast<std::size_t>(model.nq);
  return {std::vector<double>(n, -HUGE_VAL), std::vector<double>(n, HUGE_VAL)};
}

CoordinateLimits coordinate_limits(const Mechanism& mechanism, const Model<double>& model,
                                   const ParameterValues<double>& values) {
  const FormulaValues<double> at(mechanism, values);
  CoordinateLimits limits = no_limits(model);
  for (const Link& link : mechanism.links) {
    const Joint& joint = link.joint;
    if (coordinates(joint.type) != 1) continue;  // no other has limits
    const std::string& master = joint.mimic ? joint.mimic->joint : joint.name;
    const auto info =
        std::find_if(model.joints.begin(), model.joints.end(), [&](const JointInfo& j) { return j.name == master; });
    if (info == model.joints.end()) continue;
    const double ratio = joint.mimic ? at(joint.mimic->ratio) : 1.0,
                 offset = joint.mimic ? at(joint.mimic->offset) : 0.0;
    if (ratio == 0.0) continue;  // it stands still
    double lower = joint.limits.lower ? (at(*joint.limits.lower) - offset) / ratio : std::copysign(HUGE_VAL, -ratio);
    double upper = joint.limits.upper ? (at(*joint.limits.upper) - offset) / ratio : std::copysign(HUGE_VAL, ratio);
    if (ratio < 0.0) std::swap(lower, upper);
    const auto k = static_cast<std::size_t>(info->q);
    limits.lower[k] = std::max(limits.lower[k], lower);
    limits.upper[k] = std::min(limits.upper[k], upper);
  }
  return limits;
}

}  // namespace lw
