// Forward dynamics with losses: the accelerations for which total(q, q̇, q̈) = τ, the inverse of inverse_with_losses.
//
// Frictionless torques and reactions are affine in q̈, so that nv + 1 runs of rnea hold all that is to be known of
// them:
//   dynamic = M q̈ + h,   w = W q̈ + w₀
// Losses are functions of these. Newton's method solves total(q̈) = τ with slopes by dual numbers and no further rnea.
// Where no loss depends on the loads, M and h are enough, and one Cholesky factorisation of M without the joints that
// stick.
//
// What is dry (a joint with its own drive, or one drive of a coupling) and at rest either slips or sticks. Slipping, it
// has the friction of σ = ±1 at velocity zero; sticking, its force λ is unknown instead of its acceleration aᵀq̈, which
// is 0.
//   sticks   low ≤ λ ≤ high, the holding range under the loads that go with q̈
//   slips    σ aᵀq̈ ≥ 0
// Those of which this is not true change over, all at once while that makes them fewer, else the first alone (principal
// pivoting: Murty 1974; Júdice, Pires 1994; finite where loads do not depend on q̈, given up after some trials
// elsewhere). Joints that stick have accelerations of exactly 0. Where the laws are gradual (`width`) none of this is
// needed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "friction.hpp"

namespace lw {

struct ForwardLossesOptions {
  double rest = 0.0;  // what is no quicker than this counts as at rest
  // Directions and sticking as in the call before, even where a velocity changed its sign or came to life since: for
  // the inner stages of an integrator's step, which must not see the jump that the integrator looks for at its end.
  bool same_directions = false;
};

// For one model, which must outlive it. Nothing allocates after construction, couplings and errors apart.
class ForwardWithLosses {
 public:
  explicit ForwardWithLosses(const Model<double>& model);
  ~ForwardWithLosses();

  // Throws Error(data) that names a joint: where it jams (friction grows faster with the acceleration than inertia
  // resists, so that no acceleration belongs to the torques, or more than one), and where nothing is found.
  void operator()(In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                  const ForwardLossesOptions& options = {}, std::span<const Force<double>> external = {});

  // Of the last call, per velocity: the direction in which dry friction of the joint and its own drive takes it to
  // move, 1 or -1; 0 where it sticks or has none. And whether it sticks, be it by its own friction or by the drives of
  // its coupling.
  const std::vector<int>& directions() const;
  const std::vector<bool>& sticks() const;
  // Of the last call: torques and losses by the laws, taken in the directions that were decided. What sticks loses
  // nothing: what holds it is in `dynamic`.
  const Losses<double>& losses() const;

  // M (by columns) and h from generated code, say, where the losses need nothing else of the equations of motion: no
  // bearing feels reactions, and no force elements act. False, and not taken, where they do.
  using Equations = std::function<void(In<double> q, In<double> qd, Out<double> M, Out<double> h)>;
  bool take_equations_from(Equations equations);

  // Of everything dry, joints and then drives of couplings: the direction of the last call, 0 where it sticks. Empty
  // where no friction jumps.
  void get_modes(std::vector<int>& modes) const;
  // Where nothing dry is at rest: decides for the directions of these velocities without solving anything. False, and
  // nothing decided, where something is.
  bool decide_by_motion(In<double> qd);
  // Whether everything dry moves, in the direction that was decided: then its laws are those of its velocities.
  bool all_move(In<double> qd) const;
  // At a state a little later: whether the directions and the sticking of the last call still fit, so that nothing that
  // slips has turned round and nothing that sticks is pushed harder than it holds.
  bool still_fits(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external = {});
  // At the first state at which they do not: stops what has turned round, a velocity or what a drive of a coupling
  // turns with. The joints that stop.
  std::vector<int> stop_turned(Out<double> qd) const;

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace lw
