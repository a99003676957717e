// A closed mechanism that knows where it stands: its loops follow the independent coordinates from pose to pose. What
// simulations and controllers step: state (q, q̇) of the independent joints, everything else in here.
#pragma once

#include <memory>

#include "closed_forward_losses.hpp"

namespace lw {

class ClosedMechanism {
 public:
  // At home. Throws Error where it cannot be assembled.
  explicit ClosedMechanism(Model<double> model);
  ClosedMechanism(const ClosedMechanism&) = delete;  // parts point to each other
  ClosedMechanism& operator=(const ClosedMechanism&) = delete;

  const Model<double>& model() const { return model_; }  // the spanning tree; with drivers, where the file names none
  // The same with the independent joints alone actuated: what functions of assembly.hpp lead.
  const Model<double>& led() const { return led_; }
  const LoopPlan& plan() const { return plan_; }
  ClosedWorkspace<double>& work() { return work_; }

  const std::vector<double>& q() const { return q_; }       // of the tree
  std::vector<double> independent() const;                  // of the pose, plan().independent_q
  void stand(std::vector<double> q) { q_ = std::move(q); }  // at a closed configuration of the tree

  // Leads the independent coordinates there: by Newton's method, from where it stands or a guess of the dependent ones,
  // where that is near, else from where it stands along the straight line, in the same mode. Throws Error that says
  // where the way ends.
  void follow(In<double> independent, In<double> guess = {});
  // All velocities at the pose, from the independent ones: into work().qd.
  void move(In<double> qd);
  // Of J_u at the pose, of each block of loops that share no dependent joint: one is zero where modes meet, so that no
  // mode is left while their signs are the same.
  std::vector<double> determinants();
  // Throws Error(data) where nothing resists some motion of the independent joints: torques do not determine its
  // accelerations.
  void require_inertia();

  // Other external wrenches: one an external force of the model.
  void set_wrenches(const std::vector<ForceElement<double>>& forces);

  // At the pose, with q̇ of the independent joints. With friction: of all joints, cut ones among them, and drives.
  void inverse(In<double> qd, In<double> qdd, Out<double> tau, bool friction = false);
  // Generalised forces of the independent joints, without friction.
  void forces(In<double> qd, In<double> qdd, Out<double> force) {
    closed_forces<double>(model_, plan_, work_, q_, qd, qdd, force);
  }
  void forward(In<double> qd, In<double> tau, Out<double> qdd, bool friction = false, bool same_directions = false);
  // Dry friction and its decisions.
  ClosedForwardLosses& forward_losses();

 private:
  struct Block {
    std::vector<int> rows, columns;  // of J_u
  };
  void find_blocks();

  Model<double> model_, led_;
  LoopPlan plan_;
  ClosedWorkspace<double> work_;
  std::vector<Block> blocks_;
  std::vector<double> q_;
  std::unique_ptr<ClosedLosses<double>> losses_;
  std::unique_ptr<ClosedForwardLosses> forward_losses_;
};

}  // namespace lw
