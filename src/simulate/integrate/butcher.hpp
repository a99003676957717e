// The coefficients of explicit Runge-Kutta methods.
//
//   k_i = f(t + c_i h, y + h Σ_{j<i} A_ij k_j),   y' = y + h Σ b_i k_i,   error h Σ e_i k_i
#pragma once

#include <cstddef>
#include <string_view>

namespace lw {

struct ButcherTableau {
  static constexpr std::size_t kMostStages = 8;
  std::size_t stages;
  double c[kMostStages];
  double A[kMostStages][kMostStages];
  double b[kMostStages];
  double e[kMostStages];  // b minus the weights of the other method of the pair
  int error_order;        // of the lower of the pair, plus one; 0: no pair
  bool first_is_last;     // k of the last stage is the first of the next step
};

// rk4, gill, verner or dormand-prince.
const ButcherTableau& butcher_tableau(std::string_view name);

// Between the ends of a step of dormand-prince (Hairer, Nørsett, Wanner 1993, §II.6), with y' − y = h r₁:
//   y(θ) = y + h θ (r₁ + (1 − θ)(r₂ + θ (r₃ + (1 − θ) r₄))),  r₂ = k₁ − r₁,  r₃ = r₁ − k₇ − r₂,  r₄ = Σ d_i k_i
inline constexpr double kDormandPrinceDense[7] = {-12715105075.0 / 11282082432,  0,
                                                  87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                                  701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                                  69997945.0 / 29380423};

}  // namespace lw
