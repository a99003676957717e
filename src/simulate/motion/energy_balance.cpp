#include "energy_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../base/worse.hpp"
#include "../../dynamics/tree/torque_terms.hpp"

namespace lw {

EnergyBalance::EnergyBalance(Driven& system, const MotionState& start) : system_(system) {
  require(system.nz() >= 2, "an energy balance requires the work along the motion");
  const Energy<double> e = system.energy(start);
  balance_ = e.kinetic + e.potential - start.z[0] + start.z[1];
  potential_ = e.potential;
  // springs against weights: the sum may be far less than its terms
  Workspace<double> work(system.model());
  const EnergyTerms terms = energy_terms(system.model(), work, start.q, start.v);
  sums_ = terms.kinetic + terms.potential;
}

EnergyBalance::Entry EnergyBalance::look(const MotionState& state) {
  const Energy<double> e = system_.energy(state);
  const double work = state.z[0], losses = state.z[1];
  const Entry entry{e.kinetic, e.potential, e.kinetic + e.potential - work + losses - balance_};
  worst_ = worse(worst_, std::abs(entry.residual));
  largest_ = std::max({largest_, e.kinetic, std::abs(e.potential - potential_), std::abs(work), std::abs(losses)});
  sums_ = std::max(sums_, e.kinetic + std::abs(e.potential) + std::abs(work) + std::abs(losses) + std::abs(balance_));
  return entry;
}

void EnergyBalance::jump(const MotionState& before, const MotionState& after) {
  const Energy<double> a = system_.energy(before), b = system_.energy(after);
  balance_ += b.kinetic + b.potential - a.kinetic - a.potential;
}

bool EnergyBalance::is_rounding(double residual) const {
  constexpr double kRoundOff = 32 * std::numeric_limits<double>::epsilon();
  return std::abs(residual) <= kRoundOff * sums_;
}

double EnergyBalance::relative(double residual) const {
  if (residual == 0.0) return 0.0;
  return residual / (is_rounding(residual) ? sums_ : largest_);
}

}  // namespace lw
