// Positions of all joints along the run of a design, numerically by Newton's method (loop_position.hpp). In a tree all
// joints are independent.
//
//   q(t) from q_a(t), in the mode in which the run began
//
// A run revisits its instants in any order: forward step by step with trials, then for each parameter, then backward.
// Two modes may have the same q_a, so the mode is identified by time: the guess is the pose at the nearest instant of
// the run. If that is too far for Newton's method alone, the straight line is followed.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/loops/dynamics.hpp"
#include "design_parameters.hpp"
#include "design_tree.hpp"

namespace lw {

// What of a scenario can be differentiated: of trees everything; with loops what follows the closures without further
// equations.
struct DesignAbilities {
  bool any_losses = false, computed_torque = false, events = false, redundant = false;
};
DesignAbilities design_abilities(const LoopPlan& plan);

class LoopPath {
 public:
  // Throws Error where the mechanism cannot be assembled at the design's own values, or its actuated joints do not
  // determine it.
  explicit LoopPath(const DesignParameters& design);

  const LoopPlan& plan() const { return mechanism_.plan(); }
  // The independent ones alone: what the state consists of.
  const Model<double>& joints() const { return mechanism_.plant().joints; }
  // How losses are put into the equations. Throws Error(usage) where they have no derivatives.
  DesignLosses losses(bool friction) const;

  // Where runs begin at the design's own values: all coordinates, closed; home unless something is said.
  void stand(std::vector<double> q) { mechanism_.stand(std::move(q)); }
  void lead(std::span<const double> independent) { mechanism_.follow(independent); }  // there, in the same mode
  // A run begins at t with these parameters and independent coordinates. The pose there follows from where it stands,
  // parameters and coordinates changing together along a straight line. Throws Error(data) where it cannot be assembled
  // on the way.
  void begin(std::span<const double> b, double t, std::span<const double> independent);
  // All coordinates; not numbers where the loops cannot be closed, of which `trouble` then tells.
  const std::vector<double>& at(double t, std::span<const double> independent);
  // The run has passed here: a pose to come back to.
  void passed(double t, std::span<const double> independent);
  const std::string& trouble() const { return trouble_; }

 private:
  struct Pose {
    double t = 0.0;
    std::vector<double> independent, q;
  };
  // Newton's method from there; false where it leads nowhere, or too far to be sure of the mode.
  bool near(const std::vector<double>& from, std::span<const double> independent, std::vector<double>& to) const;

  const DesignParameters design_;
  Dynamics mechanism_;
  Model<double> here_;       // the tree at the parameters of the run
  std::vector<Pose> poses_;  // that were passed, in their order
  Pose last_;
  std::vector<double> nowhere_, found_;
  std::string trouble_;
};

}  // namespace lw
