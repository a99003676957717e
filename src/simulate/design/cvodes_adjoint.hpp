// The adjoint equations of a run by CVODES of SUNDIALS: an independent method for the results of RecordedRun.
//
//   λ̇ = −f_yᵀ λ,   b̄ = ∫ f_bᵀ λ dt,   backward from the weights of y at each instant
//
// Continuous equations with their own steps (Adams's formulas, checkpoints and interpolation of y between them), so
// that results agree to the tolerances, not to round-off.
#pragma once

#include <memory>

#include "parametric.hpp"

namespace lw {

struct CvodesAdjointOptions {
  double rtol = 1e-10, atol = 1e-12;
  long checkpoint_steps = 200;  // between checkpoints
};

class CvodesAdjoint {
 public:
  // Integrates forward, as RecordedRun does. Throws Error(data) if CVODES fails.
  CvodesAdjoint(Parametric& system, std::vector<double> y0, double t0, std::vector<double> times,
                const CvodesAdjointOptions& options = {});
  ~CvodesAdjoint();

  std::span<const double> at(std::size_t k) const;
  // See RecordedRun::back.
  void back(std::span<const double> weights, std::span<double> y0_bar, std::span<double> b_bar);

 private:
  struct Interval;
  std::vector<std::unique_ptr<Interval>> intervals_;  // null where two instants are one
  std::vector<double> marks_;
  std::size_t n_;
};

}  // namespace lw
