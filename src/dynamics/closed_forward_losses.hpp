// Forward dynamics of a closed mechanism with losses: the accelerations for which ClosedLosses::inverse needs the torques given.
//
//   H q̈ = f − h − (smooth friction) − Σ a_j F_j,     a_j q̇ the velocity in a joint with dry friction, the cut ones among them
//
// What moves has F_j = σ_j × its size. Of what is at rest F_j is whatever between −size and size lets least happen (Gauss 1829),
//   minimise ½ q̈ᵀ H q̈ over |F_j| ≤ size_j:   a_j q̈ = 0 where F_j is inside, F_j at its bound against a_j q̈ where it is not
// by projected Gauss-Seidel, then exactly for those that hold. The accelerations are unique though the forces of several joints that hold one
// freedom are not. Sizes and drives depend on q̈ by reactions and efficiencies: iterated until nothing changes.
#pragma once

#include <Eigen/Core>

#include "closed_losses.hpp"

namespace lw {

// For one model and plan, which must outlive it.
class ClosedForwardLosses {
 public:
  ClosedForwardLosses(const Model<double>& model, const LoopPlan& plan);

  // Throws Error(data) where no accelerations are found: friction grows faster with them than inertia resists.
  // `same_directions`: of the last call that was made without it, for integrators: what moved keeps its direction and what was held is held,
  // whatever the velocities are now.
  void operator()(ClosedWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                  std::span<const Force<double>> external = {}, bool same_directions = false);

  // Other outer wrenches: one an outer force of the model.
  void set_wrenches(const std::vector<ForceElement<double>>& forces);

  bool is_dry() const { return !dry_.empty(); }
  // Of the last decision, an entry for each dry friction: 0 held, else which way it moves.
  std::vector<int> directions() const;
  // Whether the decision still fits at this state: what moves has not turned round, and what is held can be held. Leaves it as it was.
  bool still_fits(ClosedWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau);
  // Velocities that have turned against their direction become zero, by the least change of the independent ones, those held stay so. Names.
  std::vector<std::string> stop_turned(ClosedWorkspace<double>& work, In<double> q, Out<double> qd);

  // Of the last call: what dry friction holds, by the names of joints and loops.
  const std::vector<std::string>& sticking() const { return sticking_; }

 private:
  // Dry friction that has a direction: of a joint of the tree, of a cut one, or of an actuated joint's drive.
  struct Dry {
    std::string name;
    const JointLoss<double>* loss = nullptr;
    int body = -1;     // of the tree, or
    int cut = -1;      // in ClosedLosses::cuts(), or
    int drive = -1;    // a place among the actuated joints, and
    double breakaway = 0.0;
    std::size_t v = 0;  // of the tree's joint
    Eigen::VectorXd a;  // along the independent velocities
    double velocity = 0.0, size = 0.0, force = 0.0;
    bool at_rest = false;
    int direction = 0;  // decided: 0 held
  };
  void collect();
  void find_directions(const ClosedWorkspace<double>& work);
  Eigen::VectorXd drive_outputs(In<double> tau, const Eigen::VectorXd& qdd, In<double> qd) const;
  Eigen::VectorXd held(const Eigen::MatrixXd& H, const Eigen::VectorXd& pushed);
  Eigen::VectorXd as_decided(const Eigen::MatrixXd& H, const Eigen::VectorXd& pushed) const;
  // Accelerations that keep these rows where they are.
  static Eigen::VectorXd keeping(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& H, const Eigen::VectorXd& force);
  void look(ClosedWorkspace<double>& work, In<double> q, In<double> qd);
  void decide(const Eigen::VectorXd& qdd);

  const Model<double>& model_;
  const LoopPlan& plan_;
  ClosedLosses<double> losses_;
  Model<double> smooth_;  // without what is dry and jumps
  ClosedLosses<double> smooth_losses_;
  std::vector<Dry> dry_;
  const std::vector<int>* resting_ = nullptr;  // of what is at rest, where velocities do not say so
  std::vector<std::string> sticking_;
};

}  // namespace lw
