// The residual of the energy balance: E(t) − E(0) − work + losses along a motion of a Driven.
//
// It is the energy error of the integrator or of any other part. It is compared with the largest energy so far: kinetic
// energy, change of potential energy, work and losses. If it does not exceed the round-off of the sums whose difference
// it is (an arm held at rest high above the ground), it is compared with these sums.
#pragma once

#include "driven.hpp"

namespace lw {

class EnergyBalance {
 public:
  // The system must integrate the work (DrivenOptions::work) and outlive the balance.
  EnergyBalance(Driven& system, const MotionState& start);

  struct Entry {
    double kinetic = 0.0, potential = 0.0, residual = 0.0;  // J
  };
  Entry look(const MotionState& state);
  // To be called when an event has changed the state: accounts for the energy that it added or removed.
  void jump(const MotionState& before, const MotionState& after);

  double largest() const { return largest_; }  // energy in play so far, J
  // Whether a residual does not exceed the rounding error of the sums whose difference it is.
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
