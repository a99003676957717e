// What may stick in a tree: dry friction of joints with their own drives, and drives of couplings, each with one
// direction.
#pragma once

#include <string>
#include <vector>

#include "friction.hpp"

namespace lw {

// What has one direction: the dry friction of a joint and of its own drive, or a drive of a coupling.
struct DryElement {
  std::string name;
  std::size_t v = 0;                               // of the joint; of a drive in a coupling its place in Losses
  bool joint = false, drive = false;               // what jumps
  const Transmission<double>* coupling = nullptr;  // that moves the joint, or that the drive is of
  std::size_t k = 0;                               // the drive in it, and
  std::size_t unknown = 0;  // where its force stands among the unknowns, behind those of the joints
  bool at_rest = false;
  int direction = 0;  // 0 and at rest: sticks
  double force = 0.0, low = 0.0, high = 0.0;

  // aᵀx: of a joint its entry, of a drive its row of C.
  double along(In<double> x) const;
  // Of a drive that moves several joints: how far from zero the sum of their parts may be where it is at rest.
  double rounding(In<double> qd) const;
  bool has_turned(In<double> qd) const { return direction * along(qd) < -rounding(qd); }
  // That of its motion, or none if it is no quicker than `rest`.
  void find_direction(In<double> qd, double rest);
  // At which the laws are taken: its own, or, where its direction is another, that direction without a size.
  double law_velocity(double velocity) const { return velocity * direction > 0.0 ? velocity : direction * kImpending; }
  // The least change of the joints after which it is at rest.
  void stop(Out<double> qd) const;
  bool is_joint() const { return unknown == 0; }
  bool sticks() const { return at_rest && direction == 0; }
};

// Joints first, then drives of couplings, which have unknowns of their own from nv on.
std::vector<DryElement> dry_elements(const Model<double>& model);

}  // namespace lw
