// The legs of a parallel manipulator: disjoint paths from the base to a frame's link, in the spanning tree or through a
// closure. As a separate arm, a leg has a Jacobian whose determinant vanishes where the leg is stretched or folded.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "../tree/workspace.hpp"

namespace lw {

struct Leg {
  std::vector<std::string> joints;  // from the base on; a closing joint has the name of its loop
  std::vector<int> bodies;          // of the joints in the tree, -1 - k for loop k
  bool planar = false;              // it moves in a plane, wherever it stands
};
// Empty if there is only one path, or if the paths intersect.
std::vector<Leg> legs_to(const Model<double>& model, int frame);

// A leg's determinant, with its sign: of the frame's pose by six freedoms, or three in a plane; of the frame's place by
// three, or two in a plane. A leg of another number has no square Jacobian: its volume √det(JᵀJ) (√det(JJᵀ) of more),
// which vanishes where the leg loses a freedom. Its sign is that of a configuration nearby, `from`, unless J has turned
// over since: det(J_fromᵀ J) < 0; without one, +.
struct LegMeasure {
  double value = 0.0;
  Eigen::MatrixXd J;
};
LegMeasure leg_measure(const Model<double>& model, Workspace<double>& work, In<double> q, int frame, const Leg& leg,
                       const LegMeasure* from = nullptr);

}  // namespace lw
