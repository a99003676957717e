// Dynamics of a mechanism over its independent joints, by the natural orthogonal complement of its loops, over any
// scalar. A tree has none: its plan is empty, and every function here returns what the tree's own algorithm gives.
//
// Closures J q̇ = 0, J = [J_a J_u], leave the independent velocities q̇_a:
//   q̇ = R q̇_a,          R = [1; −J_u⁻¹ J_a]
//   q̈ = R q̈_a + b,      b = [0; −J_u⁻¹ J̇ q̇]
// Torques τ_t = M q̈ + h that the spanning tree would need at all its joints become those of the independent joints by
// d'Alembert:
//   τ_a = Rᵀ τ_t = τ_t,a − J_aᵀ λ,    λ = J_u⁻ᵀ τ_t,u
// and λ are the forces in the cut joints. So inverse dynamics takes three solutions with one factorisation of J_u and
// never forms R.
//   H = Rᵀ M R,   forward: H q̈_a = τ_a − Rᵀ(M b + h)
// (Angeles, Lee 1988; Angeles, Ma 1989; for loops as Wong 1991, section 6, q̇ = G q̇_a.) More actuated joints than
// freedoms: the generalised forces f = R_actᵀ τ are given by the torques with the least Σ w τ², and where motors turn
// dependent joints, λ = J_u⁻ᵀ (τ_t,u − τ_u). Fewer: forward dynamics has no torque at the independent joints that
// nobody drives; inverse is refused.
//
// M and τ_t come from any algorithm for trees (TreeMassMatrix, TreeTorques): numbers take crba and rnea, code
// generation brings its own. Springs, force elements, rotors and external wrenches act through them.
#pragma once

#include <functional>

#include "loop_plan.hpp"

namespace lw {

template <class T>
struct PlantWorkspace {
  PlantWorkspace(const Model<T>& model, const LoopPlan& plan);

  Workspace<T> tree;
  LoopFactors<T> factors;                      // of J_u
  std::vector<T> J;                            // by columns: an equation a row, nv columns
  std::vector<T> qd, qdd, tau;                 // of the tree, all velocities
  std::vector<T> multipliers;                  // λ, one an equation
  std::vector<T> R, M, H;                      // nv × n and nv × nv and n × n by columns
  std::vector<T> rows, square, column, force;  // scratch
};

// Whether q is to be taken, or is that of the last set_pose.
enum class PoseIs { given, set };

// After any of the functions with q below has been called for it, the rest may be asked for at the same pose. False
// where J_u is singular to the last bit (of numbers).
template <class T>
bool set_pose(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q);
// What the functions below need to be set at q: the pose, or of a tree nothing.
template <class T>
bool prepare_projection(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q);
// work.qd = R q̇_a; then work.qdd = R q̈_a + b.
template <class T>
void tree_velocities(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> qd);
template <class T>
void tree_accelerations(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qdd);
// Rᵀ of torques of the tree: the generalised forces of the independent velocities. Leaves λ, as if no motor turned a
// dependent joint.
template <class T>
void project_torques(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> of_tree, Out<T> force);

// R by columns, column k the motion at unit velocity of the k-th independent joint; and as the projection [1; −J_u⁻¹
// J_a]: the same numbers by another way, rows of J_u⁻ᵀ instead of columns. Either into work.R.
template <class T>
void complement_by_unit_velocities(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work);
template <class T>
void complement_by_projection(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work);

// λ where the motors give these torques, which make the motion for which the tree needs `of_tree`.
template <class T>
void multipliers_under(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> of_tree, In<T> actuated);

// Generalised forces from the torques of the actuated joints, and the other way; weights empty: all 1. Both need work.R
// where more joints are actuated than independent.
template <class T>
void gather_torques(const LoopPlan& plan, const PlantWorkspace<T>& work, In<T> actuated, Out<T> force);
template <class T>
void distribute_torques(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> force, In<T> weights, Out<T> actuated);

// The projection, whatever algorithm the tree's torques and mass matrix come from. At the pose of the last
// set_pose, which is q.
template <class T>
using TreeTorques = std::function<void(In<T> q, In<T> qd, In<T> qdd, Out<T> tau)>;
template <class T>
using TreeMassMatrix = std::function<void(In<T> q, Out<T> M)>;
// Rᵀ(M q̈ + h). Leaves the motion of all joints, and λ.
template <class T>
void projected_torques(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                       In<T> qdd, Out<T> force, const TreeTorques<T>& torques);
// H = Rᵀ M R by columns, of the independent velocities; leaves R.
template <class T>
void projected_mass_matrix(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, Out<T> H,
                           const TreeMassMatrix<T>& mass);
// b becomes H⁻¹ b; factorises H, of a tree along its branches.
template <class T>
void solve_inertia(const Model<T>& model, const LoopPlan& plan, Out<T> H, Out<T> b);
// H⁻¹(τ_a − Rᵀ(M b + h)); factorises H.
template <class T>
void projected_accelerations(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                             In<T> tau, Out<T> qdd, Out<T> H, const TreeTorques<T>& torques);

// Generalised forces, inverse and forward dynamics by these, at the pose q.
template <class T>
void generalised_forces(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                        In<T> qdd, Out<T> force, const TreeTorques<T>& torques);
template <class T>
void inverse_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> qdd, Out<T> tau, const TreeTorques<T>& torques, In<T> weights = {});
template <class T>
void forward_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> tau, Out<T> qdd, const TreeTorques<T>& torques, const TreeMassMatrix<T>& mass);

// q: all coordinates of the tree, closed (loop_position.hpp). q̇, q̈: of plan.independent; tau: of plan.actuated.
// `external`: as rnea's. Generalised forces Rᵀ(M q̈ + h), whoever gives them:
template <class T>
void generalised_forces(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                        In<T> qdd, Out<T> force, std::span<const Force<std::type_identity_t<T>>> external = {});
// and the torques that do. Throws Error(model) where there are none: the actuated joints do not determine the motion.
template <class T>
void inverse_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> qdd, Out<T> tau, In<T> weights = {},
                      std::span<const Force<std::type_identity_t<T>>> external = {});
// H(q) by columns, of the independent velocities; leaves work.R.
template <class T>
void mass_matrix(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, Out<T> H,
                 PoseIs pose = PoseIs::given);
// q̈ of the independent velocities under the torques of the actuated joints.
template <class T>
void forward_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> tau, Out<T> qdd, std::span<const Force<std::type_identity_t<T>>> external = {},
                      PoseIs pose = PoseIs::given);
// J_f R: of a frame of the model, 6 × n by columns as frame_jacobian.
template <class T>
void frame_jacobian(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, int frame, Out<T> jacobian);

// What the cut joints pass to the second link of each loop, by λ: at its frame there and in that frame's axes. Where
// loops hold more than they must (a planar loop of five equations), what λ does not know is taken as zero and is borne
// by the other joints.
template <class T>
std::vector<Force<T>> loop_reactions(const Model<T>& model, const LoopPlan& plan, const PlantWorkspace<T>& work);
// The same as wrenches on the bodies, one each, added to `external` of rnea: with these the tree's passive joints need
// no torques and its reactions are those of the mechanism.
template <class T>
void add_loop_wrenches(const Model<T>& model, const LoopPlan& plan, const PlantWorkspace<T>& work,
                       std::span<Force<std::type_identity_t<T>>> on_bodies);

}  // namespace lw
