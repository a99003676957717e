// Proofs that a closed-loop mechanism cannot be assembled, without search.
//
// Joints that fix a point (revolute, spherical, universal) form rings; on each rigid group of a ring two of these
// points have a fixed distance. Such a polygon closes only if its longest side does not exceed the sum of the others.
// If the joints of a ring are parallel revolutes, distances normal to their axes are used, so that links may lie in
// layers.
#pragma once

#include <string>
#include <vector>

#include "loop_graph.hpp"

namespace lw {

struct OpenPolygon {
  std::vector<std::string> joints;  // around the ring; the longest side is between the last and the first
  std::vector<std::string> links;   // those that would have to bridge it
  double distance = 0.0;            // of the longest side
  double reach = 0.0;               // of the others together

  double missing() const { return distance - reach; }
};
// The name of a closure that is not a joint of the file but fixes a frame.
inline constexpr const char* kTarget = "the target";

// "from `rod1` to `rod2` are 0.5685 m, which `rod1`, `platform` and `rod2` cannot bridge: they reach 0.565 m"
std::string to_string(const OpenPolygon& polygon);
// A line each, of the first six: one ring through each leg says it, and of six legs there are rings by the dozen.
std::vector<std::string> to_lines(const std::vector<OpenPolygon>& polygons);

// Rings that cannot close where the coordinates of `held` velocities are as in q, that with the fewest joints first.
std::vector<OpenPolygon> open_polygons(const Model<double>& model, In<double> q, const std::vector<int>& held);

}  // namespace lw
