// Signals sampled at equal steps: a zero-phase low-pass filter, and derivatives.
//
// Butterworth, |H(f)|² = 1/(1 + (tan πf/s / tan πc/s)^2n) at the sampling rate s and the cut-off c, applied forward and
// backward: the phases cancel and a frequency f passes with the factor |H(f)|², a half at c. Beyond its ends the signal
// is extended by point reflection, 2 x(0) − x(−t); this distorts about `settling_time` at the ends.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace lw {

class LowPass {
 public:
  static constexpr int kOrder = 4;  // of each of the two passes

  // Hz. Throws Error(data) if the cut-off is not between 0 and half the rate.
  LowPass(double cutoff, double rate);

  std::vector<double> operator()(std::span<const double> signal) const;
  double settling_time() const { return 2.0 / cutoff_; }

 private:
  struct Section {  // y = b₀ (x + 2 x₁ + x₂) − a₁ y₁ − a₂ y₂
    double b0, a1, a2;
  };
  void pass(std::vector<double>& x) const;

  double cutoff_, rate_;
  std::array<Section, kOrder / 2> sections_;
};

// First and second derivative by five-point central differences (error of the fourth order in the step); the two
// samples at either end have none and are left at zero.
std::vector<double> central_difference(std::span<const double> signal, double step);
std::vector<double> second_difference(std::span<const double> signal, double step);

}  // namespace lw
