#include "limits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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
  std::vector<std::string> lowest(limits.lower.size()), highest(limits.upper.size());  // whose limits they are
  for (const Link& link : mechanism.links) {
    const Joint& joint = link.joint;
    if (coordinates(joint.type) != 1) continue;  // no other has limits
    const std::string& master = joint.mimic ? joint.mimic->joint : joint.name;
    const auto info =
        std::find_if(model.joints.begin(), model.joints.end(), [&](const JointInfo& j) { return j.name == master; });
    if (info == model.joints.end()) continue;
    const Interval own = limits_of_coordinate(joint, at);
    const auto k = static_cast<std::size_t>(info->q);
    if (own.lower > limits.lower[k]) {
      limits.lower[k] = own.lower;
      lowest[k] = joint.name;
    }
    if (own.upper < limits.upper[k]) {
      limits.upper[k] = own.upper;
      highest[k] = joint.name;
    }
    if (limits.lower[k] > limits.upper[k]) {
      throw Error(
          ErrorCode::model,
          fmt::format("the limits of `{}` and `{}` contradict each other: `{}`, which moves both, would have to be "
                      "at least {:.6g} for the one and at most {:.6g} for the other",
                      lowest[k], highest[k], master, limits.lower[k], limits.upper[k]));
    }
  }
  return limits;
}

}  // namespace lw
