#include "sincos.hpp"

#include <cmath>

#include "../../base/error.hpp"

namespace lw {
namespace {

#define LW_FMA(a, b, c) std::fma(a, b, c)
#define LW_FMAF(a, b, c) std::fma(a, b, c)
namespace plain {
#define LW_SINCOS_FUSED 0
#include "arcs_kernel.h"
#include "sincos_kernel.h"
#include "sincosf_kernel.h"
#undef LW_SINCOS_FUSED
}  // namespace plain
namespace contracted {
#define LW_SINCOS_FUSED 1
#include "arcs_kernel.h"
#include "sincos_kernel.h"
#include "sincosf_kernel.h"
#undef LW_SINCOS_FUSED
}  // namespace contracted

int common_size(std::size_t angles, std::size_t sines, std::size_t cosines) {
  require(sines == angles && cosines == angles, "the numbers of sines, cosines and angles must be equal");
  return static_cast<int>(angles);
}

}  // namespace

void sincos(std::span<const double> angles, std::span<double> sines, std::span<double> cosines, bool fused) {
  const int n = common_size(angles.size(), sines.size(), cosines.size());
  (fused ? contracted::lw_sincos : plain::lw_sincos)(n, angles.data(), sines.data(), cosines.data());
}

void sincos(std::span<const float> angles, std::span<float> sines, std::span<float> cosines, bool fused) {
  const int n = common_size(angles.size(), sines.size(), cosines.size());
  (fused ? contracted::lw_sincosf : plain::lw_sincosf)(n, angles.data(), sines.data(), cosines.data());
}

void arcs(std::span<const double> y, std::span<const double> x, std::span<double> angles, bool fused) {
  require(y.size() == x.size() && angles.size() == x.size(), "the numbers of angles and points must be equal");
  (fused ? contracted::lw_arcs : plain::lw_arcs)(static_cast<int>(x.size()), y.data(), x.data(), angles.data());
}

}  // namespace lw
