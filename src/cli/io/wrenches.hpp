// Forces on links: --wrench LINK:FX,FY,FZ[,NX,NY,NZ][@x,y,z], in world axes at the link's origin or at a point in its
// frame.
#pragma once

#include <vector>

#include "../../dynamics/tree/workspace.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

Option wrench_option();

class Wrenches {
 public:
  // In the configuration q; reads the options of a command that has wrench_option().
  Wrenches(const Arguments& arguments, const Model<double>& model, std::span<const double> q);

  // One per body, as used by rnea and aba; empty if there are none.
  const std::vector<Force<double>>& on_bodies() const { return on_bodies_; }
  // Σ Jᵀ f: their joint torques.
  const std::vector<double>& at_joints() const { return at_joints_; }

 private:
  std::vector<Force<double>> on_bodies_;
  std::vector<double> at_joints_;
};

}  // namespace lw::cli
