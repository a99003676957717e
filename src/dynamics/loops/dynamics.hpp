// The dynamics of one mechanism in numbers, with the same functions for trees and for mechanisms with loops.
//
//   Dynamics robot(load("planar-3rrr"));
//   robot.inverse(q, qd, qdd, tau);  // torques of a motion
//   robot.forward(q, qd, tau, qdd);  // accelerations under torques
//
// q, qd and qdd list the independent joints (of a tree: all), tau the actuated joints (of a tree: all). Loops follow q
// from pose to pose and stay in their assembly mode, which is that of home at first.
#pragma once

#include <memory>

#include "plant.hpp"
#include "projection.hpp"

namespace lw {

class ForwardLosses;
template <class T>
class ClosedLosses;
template <class T>
struct DerivativeWorkspace;

class Dynamics {
 public:
  // At home.
  explicit Dynamics(Plant plant);
  explicit Dynamics(const Mechanism& mechanism) : Dynamics(Plant(mechanism)) {}
  explicit Dynamics(Model<double> model) : Dynamics(Plant(std::move(model))) {}
  ~Dynamics();
  Dynamics(const Dynamics&) = delete;  // parts point to each other
  Dynamics& operator=(const Dynamics&) = delete;

  const Plant& plant() const { return plant_; }
  const Model<double>& model() const { return plant_.model; }
  const LoopPlan& plan() const { return plant_.plan; }
  PlantWorkspace<double>& work() { return work_; }

  // Each moves to q first: see `follow`. `friction`: with the losses of joints and drives; tau is then the total.
  void inverse(In<double> q, In<double> qd, In<double> qdd, Out<double> tau, bool friction = false);
  void forward(In<double> q, In<double> qd, In<double> tau, Out<double> qdd, bool friction = false);
  // H(q) by columns, of the independent joints.
  void mass_matrix(In<double> q, Out<double> M);
  // Generalised forces of the independent joints at zero acceleration, and those that hold it at rest.
  void bias(In<double> q, In<double> qd, Out<double> force);
  void gravity(In<double> q, Out<double> force);
  // For a frame (Model::frame_index): its pose in the world, and its Jacobian, 6 × n by columns, [angular; linear].
  Transform<double> pose(In<double> q, int frame);
  void jacobian(In<double> q, int frame, Out<double> jacobian);
  // Derivatives along the independent velocities, matrices by columns.
  void inverse_derivatives(In<double> q, In<double> qd, In<double> qdd, Out<double> d_q, Out<double> d_qd,
                           Out<double> d_qdd);
  void forward_derivatives(In<double> q, In<double> qd, In<double> tau, Out<double> d_q, Out<double> d_qd,
                           Out<double> d_tau);

  // The pose: all coordinates of the spanning tree, and the independent ones.
  const std::vector<double>& q() const { return q_; }
  std::vector<double> independent() const { return plant_.independent(q_); }
  void stand(std::vector<double> q) { q_ = std::move(q); }  // at a closed configuration of the tree
  // Moves the independent coordinates there, by Newton's method from here or from a guess of the dependent ones. If
  // that is too far, along the straight line. Throws Error with the position at which the path ends.
  void follow(In<double> independent, In<double> guess = {});

  // At the pose, without moving:
  void inverse(In<double> qd, In<double> qdd, Out<double> tau, bool friction = false);
  void forward(In<double> qd, In<double> tau, Out<double> qdd, bool friction = false, bool same_directions = false);
  // Generalised forces of the independent joints, without friction.
  void forces(In<double> qd, In<double> qdd, Out<double> force) {
    generalised_forces<double>(plant_.model, plant_.plan, work_, q_, qd, qdd, force);
  }
  // All velocities, from the independent ones: into work().qd.
  void move(In<double> qd);
  // Of J_u, for each block of loops that share no dependent joint: one is zero where modes meet, so that no mode is
  // left while their signs are the same.
  std::vector<double> determinants();
  // Throws Error(data) if some motion of the independent joints meets no inertia: torques do not determine its
  // accelerations.
  void require_inertia();

  // Other external wrenches: one per external force of the model.
  void set_wrenches(const std::vector<ForceElement<double>>& forces);
  // Dry friction and its decisions.
  ForwardLosses& forward_losses();

 private:
  struct Block {
    std::vector<int> rows, columns;  // of J_u
  };
  void find_blocks();
  DerivativeWorkspace<double>* tree_derivatives();  // analytic derivatives are for trees: with loops null

  Plant plant_;
  PlantWorkspace<double> work_;
  std::vector<Block> blocks_;
  std::vector<double> q_;
  std::vector<double> zero_;
  std::unique_ptr<ClosedLosses<double>> losses_;
  std::unique_ptr<ForwardLosses> forward_losses_;
  std::unique_ptr<DerivativeWorkspace<double>> derivatives_;
  std::unique_ptr<class Slopes> inverse_slopes_, forward_slopes_;
};

}  // namespace lw
