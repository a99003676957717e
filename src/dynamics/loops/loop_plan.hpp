// Decisions about the loops of a mechanism that hold in all its poses: made once from numbers, used by every scalar.
//
//   independent   velocities that are given: those of the actuated joints. If these are more than the freedoms, the
//                 first independent ones; if they are fewer, further joints, which no motor moves
//   dependent     the others: J_u q̇_u = −J_a q̇_a
//   equations     of all closures, as many as there are dependent velocities, independent where the mechanism is not
//                 singular (of the five equations of a planar loop, two)
//   velocity      how J_u is eliminated
//
// A tree has the plan in which nothing is dependent: all its velocities are independent, and torques are those of all
// of them.
//
// Position. A dependent joint at the end of a loop, behind which only given joints stand, is found in closed form once
// all else is:
//   turns   the point A of its link is where B is:  R(q) r = v, so that |v|² = |r|² is an equation without q, and then
//           q is the angle from r to v about the axis
//   slides  q = s·(v − r), and the equation across the slide does not have q
// Newton's method is left with `unknown` and `position_rows`: one unknown of a four-bar, two of a planar 3-RRR.
#pragma once

#include "../kinematics/closure_rows.hpp"
#include "../linear/loop_factors.hpp"

namespace lw {

struct LoopEnd {
  std::size_t loop = 0;
  int body = 0;  // of the joint
  bool slides = false;
  double length = 1.0;  // |r| across the axis, at home
};

struct LoopPlan {
  std::vector<int> independent, dependent, actuated;  // velocities, in the order of the model
  std::vector<int> independent_q, dependent_q;        // coordinates; of a spherical joint one more than velocities
  ClosureEquations equations;
  EliminationPlan velocity;
  std::vector<double> general_pose;  // closed, and not singular
  // Velocities whose torques make a motion where loads are asked for: of the motors, and of independent joints that
  // nobody drives. The same for every choice of coordinates, so that bearings are loaded alike.
  std::vector<int> pushed;

  std::vector<LoopEnd> ends;
  std::vector<int> unknown;  // velocities
  struct PositionRow {
    int end = -1;         // distance of that end,
    std::size_t row = 0;  // or that equation
  };
  std::vector<PositionRow> position_rows;
  EliminationPlan position;

  std::size_t freedoms() const { return independent.size(); }
  bool is_tree() const { return dependent.empty(); }
  // Independent velocities that no motor moves: of an elastic drive, of a floating base, of what hangs on the
  // mechanism.
  std::vector<int> undriven() const;
};

// Throws Error(model) if nothing can move, and Error(data) if the loops cannot be closed at all.
LoopPlan plan_loops(const Model<double>& model);
// For numbers alone (loop_coordinates.hpp): independent and dependent velocities, equations and the blocks in which
// they are solved. Of a ball joint some velocities may be independent and others not: of a link between two of them its
// spin is.
LoopPlan plan_coordinates(const Model<double>& model);

// Where torques are asked for: throws Error(model) where the actuated joints do not determine the motion, with what
// they leave free.
void refuse_undriven(const LoopPlan& plan, const std::string& mechanism,
                     const std::vector<std::string>& velocity_names);

// If the file calls no joint actuated: the joints that elimination leaves independent are (of a tree: all). Other
// models are returned unchanged.
Model<double> with_drivers(Model<double> model);

}  // namespace lw
