// The legs of a parallel manipulator: ways from the base to a frame's link that meet no other, whether they belong to the spanning
// tree or close a loop. As an arm of its own a leg has a Jacobian whose determinant vanishes where it is stretched or folded.
#pragma once

#include <string>
#include <vector>

#include "../workspace.hpp"

namespace lw {

struct Leg {
  std::vector<std::string> joints;  // from the base on; a closing joint has the name of its loop
  std::vector<int> bodies;          // of the joints in the tree, -1 - k for loop k
};
// Empty where there is but one way, or where the ways run into each other.
std::vector<Leg> legs_to(const Model<double>& model, int frame);

// Signed: of a leg with three freedoms in a plane, in that plane; of one with six in space; 0 for other numbers.
double leg_determinant(const Model<double>& model, Workspace<double>& work, In<double> q, int frame, const Leg& leg);

}  // namespace lw
