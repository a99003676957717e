// Limits of the coordinates: those of the file, as numbers, one pair for each entry of q.
//
// ±∞ if not given. The limits of a mimic joint also restrict the coordinate of the joint that it follows.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "../base/view.hpp"
#include "model.hpp"

namespace lw {

struct CoordinateLimits {
  std::vector<double> lower, upper;  // nq each

  bool contain(In<double> q, double tolerance = 0.0) const;
};

// The range of a joint's coordinate allowed by its limits; for a mimic joint, the range of the coordinate that it
// follows.
struct Interval {
  double lower = -HUGE_VAL, upper = HUGE_VAL;
};
template <class Values>
Interval limits_of_coordinate(const Joint& joint, const Values& at) {
  const double ratio = joint.mimic ? at(joint.mimic->ratio) : 1.0, offset = joint.mimic ? at(joint.mimic->offset) : 0.0;
  if (ratio == 0.0) return {};  // it does not move
  double lower = joint.limits.lower ? (at(*joint.limits.lower) - offset) / ratio : std::copysign(HUGE_VAL, -ratio);
  double upper = joint.limits.upper ? (at(*joint.limits.upper) - offset) / ratio : std::copysign(HUGE_VAL, ratio);
  if (ratio < 0.0) std::swap(lower, upper);
  return {lower, upper};
}

// Throws Error(model) if no value of a coordinate satisfies the limits of all joints that it moves.
CoordinateLimits coordinate_limits(const Mechanism& mechanism, const Model<double>& model,
                                   const ParameterValues<double>& values = {});
// A coordinate beyond a limit of its own joint, or of a joint that follows it.
struct PassedLimit {
  const Joint* joint;
  double value;
  const char* side;  // "below its lower", "above its upper"
  double limit;
  Location where;  // of the limit
};
std::vector<PassedLimit> passed_limits(const Mechanism& mechanism, const Model<double>& model, In<double> q);

// No limits.
CoordinateLimits no_limits(const Model<double>& model);

}  // namespace lw
