// Groups of links with closed-form solutions, in any plane: with its actuated joints fixed, a mechanism is decomposed
// into these, one after the other, each of which becomes one rigid group (Assur 1914).
//
//   dyad      three groups A, X, Y with a joint between each two. Three revolute joints: a triangle of known sides, two
//             ways. Two and a prismatic one: a circle and a line, two ways. One and two prismatic ones: two lines, one
//             way.
//   platform  two groups and three rods with a revolute joint at either end: the sextic of planar_platform.hpp, up to
//             six ways
//
// All axes of revolute joints are parallel, prismatic joints move across them. A joint that holds a point only
// (spherical) serves as a revolute one where another gives the direction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loop_graph.hpp"

namespace lw {

struct PlanarGroup {
  enum class Kind { dyad, platform } kind = Kind::dyad;
  std::vector<int> joints;  // dyad: A–X, X–Y, Y–A; platform: of each rod that at A and that at B
  std::vector<int> groups;  // dyad: A, X, Y; platform: A, B, and the three rods. A keeps its frame.
};

// One after the other as long as there is one; `complete` where everything is in the base's group then. By connections
// alone: whether the axes are parallel shows when it is solved.
struct PlanarPlan {
  std::vector<PlanarGroup> steps;
  bool complete = false;
};
PlanarPlan planar_plan(const LoopGraph& graph);

// All assemblies of the step, as graphs in which its groups are one; none if the lengths allow none, no value if it is
// not planar. `infinite`: it can move.
struct PlanarSolutions {
  std::vector<LoopGraph> graphs;
  bool infinite = false;
};
std::optional<PlanarSolutions> put_together(const LoopGraph& graph, const PlanarGroup& step);

}  // namespace lw
