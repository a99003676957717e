// The scales of errors of a function's outputs at a state (Measure, functions/function_row.hpp).
//
//   torques        f = Rᵀτ: |R|ᵀ times the terms of the tree's torques (dynamics/tree/torque_terms.hpp)
//   accelerations  the forces that they need, because no factorisation knows rows of H better than √(H_ii H_jj):
//                  Rᵀ(M q̈ + h) − f, relative to the terms of h and √(H_ii H_jj)|q̈_j|
//   their slopes   H Δ, which adds to −∂f/∂x, relative to the terms of that and √(H_ii H_jj)|∂q̈_j|
//   derivatives    entry by entry the terms of each (dynamics/derivatives/derivative_terms.hpp)
//   mass matrices  √(M_ii M_jj), which bounds an entry
//
// The outputs themselves are no scale: all of them may be sums that cancel (a balanced arm).
#pragma once

#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/tree/torque_terms.hpp"
#include "../../model/random_state.hpp"
#include "traced.hpp"

namespace lw {

class ErrorScale {
 public:
  // `model`, `moving`: snapped like the function. All arguments except `state` must outlive it.
  ErrorScale(const Traced& traced, const Model<double>& model, std::span<const Model<Dual>> moving, const State& state);

  // The largest error of all groups. If `from_torques`, accelerations are compared by the torques of the state, not
  // with expected ones.
  double error(std::span<const double> got, std::span<const double> expected, bool from_torques);
  // The largest scale of an entry, in its own unit.
  double size(std::span<const double> expected);
  // For accelerations: whether factorisation without pivots may fail, because arbitrary values of parameters need not
  // describe bodies.
  bool is_indefinite() const;

 private:
  using Values = std::vector<double>;
  using Part = std::span<const double>;

  bool measures(std::initializer_list<Measure> any) const;
  void find_terms();
  bool by_inertia(const GroupRow& row) const;
  // The scale of entry k of a group whose largest expected entry is `largest`.
  double scale(const GroupRow& row, const Group& g, std::size_t k, Part expected, double largest) const;
  double of_derivative(const GroupRow& row, const Group& g, std::size_t k, Part expected, double largest) const;
  double of_torque(const GroupRow& row, std::size_t k) const;
  double of_motor(std::size_t k) const;
  double through_inertia(std::size_t row, Part accelerations) const;
  double group_error(const GroupRow& row, const Group& g, Part got, Part expected) const;
  double acceleration_error(Part got, Part expected, bool from_torques);
  Values needed(Part accelerations);
  const Values& given();

  const Traced& traced_;
  const Model<double>& model_;
  const LoopPlan& plan_;
  const std::size_t n_;
  PlantWorkspace<double> work_;
  std::unique_ptr<ClosedLosses<double>> losses_;
  State state_;  // its accelerations are those of the terms
  Values q_, H_, R_, terms_, lever_, derivatives_, given_;
  EnergyTerms energies_;
  std::vector<MomentumTerms> momenta_;  // of unit velocities
  MomentumTerms momentum_rate_;
  double reach_ = 0.0;
};

}  // namespace lw
