// How far coordinates may go: the limits of the file, as numbers, one pair for each entry of q.
//
// ±∞ where nothing is written. A joint that mimics another passes its own limits on to that one's coordinate.
#pragma once

#include <vector>

#include "model.hpp"

namespace lw {

struct CoordinateLimits {
  std::vector<double> lower, upper;  // nq each

  bool contain(std::span<const double> q, double tolerance = 0.0) const;
};

CoordinateLimits coordinate_limits(const Mechanism& mechanism, const Model<double>& model,
                                   const ParameterValues<double>& values = {});
// None at all.
CoordinateLimits no_limits(const Model<double>& model);

}  // namespace lw
