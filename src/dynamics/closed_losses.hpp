// What the joints of a closed mechanism lose, the actuated, the passive and the cut ones, and what its drives must give for it.
//
//   dynamic  = Rᵀ(M q̈ + h)                                 without losses
//   bearing  = Rᵀ(friction of the tree's joints) + Σ (n R)ᵀ · friction of the cut joints, n q̇ the velocity in a cut joint
//   at_joint = dynamic + bearing, and through the drives of the actuated joints as in trees (friction.hpp)
//
// Reactions that load bearings are those of the frictionless mechanism, with the forces λ in the cut joints; of more motors than freedoms
// with the torques that they share for it, and what they push against each other. Where loops hold more than they must, λ does not know
// how the rest is shared: it is borne by the tree's joints. Drives of passive joints have their rotors' inertia and no more.
// At rest dry friction of every joint, passive and cut ones too, has the direction of that joint's acceleration (friction.hpp); of a
// cut joint n q̈, which is its acceleration where the whole mechanism is at rest.
#pragma once

#include "closed.hpp"
#include "friction.hpp"

namespace lw {

// The velocity along a freedom of a cut joint is row · q̇. After forward_kinematics.
template <class T>
void cut_row(const Model<T>& model, const LoopView& view, const Workspace<T>& work, std::size_t loop, int freedom, Out<T> row);

template <class T>
class ClosedLosses {
 public:
  // Both must outlive it. Throws Error(model) where a coupling moves an actuated joint together with a passive one.
  ClosedLosses(const Model<T>& model, const LoopPlan& plan);

  // Generalised forces of the independent velocities, friction with them: into `needed`. Leaves in `work` velocities and accelerations of the tree,
  // and λ without friction. `given`: torques of the actuated joints, of which that part counts which moves nothing.
  void forces(ClosedWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights = {},
              std::span<const Force<std::type_identity_t<T>>> external = {}, In<T> given = {}, AtRest at_rest = AtRest::no_direction);
  std::vector<T> needed;
  // The part of them that friction and dampers need.
  const std::vector<T>& friction() const { return friction_; }
  // Inverse dynamics with losses at a closed q: `losses` holds an entry an actuated joint. Leaves what `forces` does. Throws Error(model) where
  // the actuated joints do not determine the motion.
  void inverse(ClosedWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights = {},
               std::span<const Force<std::type_identity_t<T>>> external = {}, AtRest at_rest = AtRest::direction_of_acceleration);
  Losses<T> losses;

  // Friction in the joints alone, generalised forces of the independent velocities, at velocities and reactions of the tree; cut reactions
  // as loop_reactions gives them. `beginning`: accelerations of the tree, which give dry friction its direction at rest; empty: it has none.
  void joint_friction_force(ClosedWorkspace<T>& work, In<T> velocity, In<T> beginning, std::span<const Force<std::type_identity_t<T>>> reactions,
                            std::span<const Force<std::type_identity_t<T>>> in_cuts, Out<T> force);

  // A freedom of a cut joint that has friction: its velocity is row · q̇.
  struct Cut {
    std::size_t loop;
    JointLoss<T> loss;
    Body<T> joint;       // axis in the second frame, and whether it slides
    std::vector<T> row;  // at the pose of the last call
  };
  const std::vector<Cut>& cuts() const { return cuts_; }
  void set_cut_rows(const ClosedWorkspace<T>& work);

  bool feels_reactions() const { return feels_; }
  // The model of the actuated joints alone, with their drives: v are places among plan.actuated.
  const Model<T>& motors() const { return motors_; }

 private:
  const Model<T>& model_;
  const LoopPlan& plan_;
  LoopPlan sharing_;  // with motors at the independent joints that nobody drives
  Model<T> motors_;
  std::vector<Cut> cuts_;
  bool feels_ = false;
  void find_multipliers(ClosedWorkspace<T>& work, In<T> weights, In<T> given);
  std::vector<T> damping_, tree_, force_, friction_, shared_, qd_, qdd_;
  std::vector<Force<T>> external_;
};

}  // namespace lw
