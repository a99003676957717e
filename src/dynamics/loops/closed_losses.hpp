// Losses in the joints of a closed-loop mechanism (actuated, passive and cut ones), and the drive torques that overcome
// them.
//
//   dynamic  = Rᵀ(M q̈ + h)                                 without losses
//   bearing  = Rᵀ(friction of the tree's joints) + Σ (n R)ᵀ · friction of the cut joints, n q̇ the velocity in a cut
//            joint
//   at_joint = dynamic + bearing, and through the drives of the actuated joints as in trees (friction.hpp)
//
// Bearings are loaded by the actual reactions. In a tree friction does not change them. In a loop it does: passive
// joints transmit the friction of the others, λ = J_u⁻ᵀ(τ_t,u + friction of the dependent joints), so that friction and
// loads are a fixed point
//   F = size(reactions(F))                                                                        (fixed_point.hpp)
// where a pass reduces the error to (friction coefficient × radius / lever arm) of it. If friction grows faster than
// its load, the joint jams and is named. With redundant motors, λ includes their shared torques and internal forces.
// Redundant constraint forces are undetermined and are assigned to the tree's joints. Drives of passive joints
// contribute only the inertia of their rotors. At rest, dry friction of every joint, passive and cut joints included,
// has the direction of that joint's acceleration (friction.hpp); for a cut joint n q̈, which is its acceleration if the
// whole mechanism is at rest.
#pragma once

#include "../friction/friction.hpp"
#include "projection.hpp"

namespace lw {

// The velocity along a freedom of a cut joint is row · q̇. After forward_kinematics.
template <class T>
void cut_row(const Model<T>& model, const LoopView& view, const Workspace<T>& work, std::size_t loop, int freedom,
             Out<T> row);

// Friction along such a freedom as wrenches on the bodies, added to `external` of rnea: it acts against the motion of
// the second link as the first sees it.
template <class T>
void add_cut_friction(const Model<T>& model, const Workspace<T>& work, std::size_t loop, int freedom, const T& friction,
                      std::span<Force<std::type_identity_t<T>>> on_bodies);

template <class T>
class ClosedLosses {
 public:
  // Both must outlive it. Throws Error(model) if a coupling moves an actuated joint together with a passive one.
  ClosedLosses(const Model<T>& model, const LoopPlan& plan);

  // Generalised forces of the independent velocities, friction with them: into `needed`. Leaves in `work` velocities
  // and accelerations of the tree, and λ, which has friction in it where bearings feel loads. `given`: torques of the
  // actuated joints, of which that part counts which moves nothing. Throws Error(data) that names a joint which jams.
  void forces(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights = {},
              std::span<const Force<std::type_identity_t<T>>> external = {}, In<T> given = {},
              AtRest at_rest = AtRest::no_direction);
  // Its halves.
  void set_motion(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
                  std::span<const Force<std::type_identity_t<T>>> external = {});
  void set_friction(PlantWorkspace<T>& work, In<T> q, In<T> weights = {},
                    std::span<const Force<std::type_identity_t<T>>> external = {}, In<T> given = {},
                    AtRest at_rest = AtRest::no_direction);
  std::vector<T> needed;
  // The part of them that friction and dampers need.
  const std::vector<T>& friction() const { return friction_; }
  // Inverse dynamics with losses at a closed q: `losses` holds an entry an actuated joint. Leaves what `forces` does.
  // Throws Error(model) if the actuated joints do not determine the motion.
  void inverse(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights = {},
               std::span<const Force<std::type_identity_t<T>>> external = {},
               AtRest at_rest = AtRest::direction_of_acceleration);
  Losses<T> losses;

  // A freedom of a cut joint that has friction: its velocity is row · q̇.
  struct Cut {
    std::size_t loop;
    JointLoss<T> loss;
    Body<T> joint;       // axis in the second frame, and whether it slides
    std::vector<T> row;  // at the pose of the last call
  };
  const std::vector<Cut>& cuts() const { return cuts_; }
  void set_cut_rows(const PlantWorkspace<T>& work);

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
  void find_multipliers(PlantWorkspace<T>& work, In<T> of_tree, In<T> force, In<T> weights, In<T> given);
  void find_reactions(PlantWorkspace<T>& work, In<T> q, std::span<const Force<std::type_identity_t<T>>> external);
  void find_friction(const PlantWorkspace<T>& work, AtRest at_rest, std::vector<T>& rubs) const;
  void spread_friction(const std::vector<T>& rubs);
  void load_again(PlantWorkspace<T>& work, In<T> q, In<T> weights,
                  std::span<const Force<std::type_identity_t<T>>> external, In<T> given, const std::vector<T>& rubs);
  void sum_friction(PlantWorkspace<T>& work);
  template <class Pass>
  void settle_friction(const Pass& pass);
  [[noreturn]] void refuse_jam(std::size_t worst) const;
  std::vector<T> damping_, tree_, force_, friction_, shared_, qd_, qdd_;
  std::vector<T> rubs_;                                       // friction of each joint with losses, then of each cut
  std::vector<T> of_tree_, of_cuts_, total_, with_friction_;  // the same as torques of the tree, and of cuts alone
  std::vector<Force<T>> external_, in_cuts_;
};

}  // namespace lw
