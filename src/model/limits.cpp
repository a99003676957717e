#include "limits.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "evaluate.hpp"

namespace lw {
namespace {

// Calls visit(joint, index in q of the coordinate that moves it) for all joints with one coordinate; others have no
// limits.
template <class Visit>
void each_limited(const Mechanism& mechanism, const Model<double>& model, Visit&& visit) {
  for (const Link& link : mechanism.links) {
    const Joint& joint = link.joint;
    if (coordinates(joint.type) != 1) continue;
    const std::string& master = joint.mimic ? joint.mimic->joint : joint.name;
    const auto info =
        std::find_if(model.joints.begin(), model.joints.end(), [&](const JointInfo& j) { return j.name == master; });
    if (info != model.joints.end()) visit(joint, static_cast<std::size_t>(info->q));
  }
}

}  // namespace

bool CoordinateLimits::contain(In<double> q, double tolerance) const {
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
  std::vector<std::string> lowest(limits.lower.size()), highest(limits.upper.size());  // the joints they come from
  each_limited(mechanism, model, [&](const Joint& joint, std::size_t k) {
    const Interval own = limits_of_coordinate(joint, at);
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
                      lowest[k], highest[k], model.coordinate_names[k], limits.lower[k], limits.upper[k]));
    }
  });
  return limits;
}

std::vector<PassedLimit> passed_limits(const Mechanism& mechanism, const Model<double>& model, In<double> q) {
  const DefaultValues at(mechanism);
  std::vector<PassedLimit> passed;
  each_limited(mechanism, model, [&](const Joint& joint, std::size_t k) {
    const double x = joint.mimic ? at(joint.mimic->ratio) * q[k] + at(joint.mimic->offset) : q[k];
    const auto add = [&](const Formula& limit, const char* side) {
      passed.push_back({&joint, x, side, at(limit), limit.where.line > 0 ? limit.where : joint.where});
    };
    if (joint.limits.lower && x < at(*joint.limits.lower)) add(*joint.limits.lower, "below its lower");
    if (joint.limits.upper && x > at(*joint.limits.upper)) add(*joint.limits.upper, "above its upper");
  });
  return passed;
}

}  // namespace lw
