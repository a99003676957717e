#include "low_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "../../base/error.hpp"

namespace lw {

// Bilinear transform of the pairs of poles 1/(s² + s/Q + 1), with the cut-off where it belongs (prewarped).
LowPass::LowPass(double cutoff, double rate) : cutoff_(cutoff), rate_(rate) {
  if (!(cutoff > 0.0) || !(cutoff < 0.5 * rate)) {
    throw Error(
        ErrorCode::data,
        fmt::format("a low-pass filter at {:.6g} Hz: samples at {:.6g} Hz can be filtered between 0 and {:.6g} Hz",
                    cutoff, rate, 0.5 * rate));
  }
  const double k = std::tan(std::numbers::pi * cutoff / rate);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const double inverse_q = 2.0 * std::cos(std::numbers::pi * (2.0 * static_cast<double>(i) + 1.0) / (2.0 * kOrder));
    const double norm = 1.0 / (1.0 + k * inverse_q + k * k);
    sections_[i] = {k * k * norm, 2.0 * (k * k - 1.0) * norm, (1.0 - k * inverse_q + k * k) * norm};
  }
}

// Begins as if the first value had stood there for ever.
void LowPass::pass(std::vector<double>& x) const {
  for (const Section& s : sections_) {
    double x1 = x.front(), x2 = x1, y1 = x1, y2 = x1;
    for (double& value : x) {
      const double y = s.b0 * (value + 2.0 * x1 + x2) - s.a1 * y1 - s.a2 * y2;
      x2 = x1, x1 = value, y2 = y1, y1 = y;
      value = y;
    }
  }
}

std::vector<double> LowPass::operator()(std::span<const double> signal) const {
  const std::size_t n = signal.size();
  if (n < 2) return {signal.begin(), signal.end()};
  const std::size_t pad = std::min(n - 1, static_cast<std::size_t>(std::ceil(4.0 * settling_time() * rate_)));
  std::vector<double> x(n + 2 * pad);
  for (std::size_t k = 0; k < pad; ++k) {
    x[pad - 1 - k] = 2.0 * signal.front() - signal[k + 1];
    x[pad + n + k] = 2.0 * signal.back() - signal[n - 2 - k];
  }
  std::copy(signal.begin(), signal.end(), x.begin() + static_cast<std::ptrdiff_t>(pad));
  pass(x);
  std::reverse(x.begin(), x.end());
  pass(x);
  std::reverse(x.begin(), x.end());
  return {x.begin() + static_cast<std::ptrdiff_t>(pad), x.end() - static_cast<std::ptrdiff_t>(pad)};
}

std::vector<double> central_difference(std::span<const double> x, double step) {
  std::vector<double> out(x.size(), 0.0);
  for (std::size_t k = 2; k + 2 < x.size(); ++k) {
    out[k] = (8.0 * (x[k + 1] - x[k - 1]) - (x[k + 2] - x[k - 2])) / (12.0 * step);
  }
  return out;
}

std::vector<double> second_difference(std::span<const double> x, double step) {
  std::vector<double> out(x.size(), 0.0);
  for (std::size_t k = 2; k + 2 < x.size(); ++k) {
    const double near = (x[k + 1] - x[k]) - (x[k] - x[k - 1]), far = (x[k + 2] - x[k]) - (x[k] - x[k - 2]);
    out[k] = (16.0 * near - far) / (12.0 * step * step);
  }
  return out;
}

}  // namespace lw
