// What a motion's energy should be, and by how much it is not: E(t) − E(0) − work + losses along a motion of a Driven.
//
// That residual is what the integrator, or anything else, has made of nothing. It is held against the largest energy in
// play: kinetic energy, change of potential energy, work and losses, each at its largest so far. Where it is no more
// than the round-off of the sums that it is the difference of (an arm that is held at rest high above the ground), it
// is held against these.
#pragma once

#include "driven.hpp"

namespace lw {

class EnergyBalance {
 public:
  // The system has the work along its motion (DrivenOptions::work) and outlives the balance.
  EnergyBalance(Driven& system, const MotionState& start);

  struct Entry {
    double kinetic = 0.0, potential = 0.0, residual = 0.0;  // J
  };
  Entry look(const MotionState& state);
  // An event has changed the state: the energy that it brought or took is accounted for.
  void jump(const MotionState& before, const MotionState& after);

  double largest() const { return largest_; }  // energy in play so far, J
  // Whether a residual is no more than what rounding makes of the sums that it is the difference of.
  bool is_rounding(double residual) const;
  // The largest residual of all looks so far, of that; or of this look, with its sign.
  double residual() const { return relative(worst_); }
  double residual(const MotionState& state) { return relative(look(state).residual); }

 private:
  double relative(double residual) const;

  Driven& system_;
  double balance_ = 0.0, potential_ = 0.0;  // E(0), and the potential energy in it
  double worst_ = 0.0, largest_ = 0.0, sums_ = 0.0;
};

}  // namespace lw
