#include "peak.hpp"

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lw::cli {
namespace {

constexpr int kChains = 12;  // enough to cover the latency of two units
constexpr int kSteps = 1000;

// x ← a x + b in every chain; what comes out keeps the compiler from leaving it out.
#define LW_PEAK_LOOP(Vector, all, fma)                                                 \
  const Vector a = all(0.999), b = all(1e-3);                                          \
  Vector x[kChains];                                                                   \
  for (int k = 0; k < kChains; ++k) x[k] = all(k);                                     \
  for (int step = 0; step < kSteps; ++step) {                                          \
    _Pragma("GCC unroll 12") for (int k = 0; k < kChains; ++k) x[k] = fma(x[k], a, b); \
  }                                                                                    \
  for (int k = 1; k < kChains; ++k) x[0] += x[k];                                      \
  return x[0][0]

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double run_512() { LW_PEAK_LOOP(__m512d, _mm512_set1_pd, _mm512_fmadd_pd); }
__attribute__((target("avx2,fma"))) double run_256() { LW_PEAK_LOOP(__m256d, _mm256_set1_pd, _mm256_fmadd_pd); }
#endif

typedef double Pair __attribute__((vector_size(16)));
Pair both(double x) { return Pair{x, x}; }
double run_128() {
#define LW_TWICE(x, a, b) (x) * (a) + (b)
  LW_PEAK_LOOP(Pair, both, LW_TWICE);
#undef LW_TWICE
}
#undef LW_PEAK_LOOP

struct Kernel {
  double (*run)();
  int lanes;
};

Kernel longest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {run_512, 8};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {run_256, 4};
#endif
  return {run_128, 2};
}

}  // namespace

double peak_rate() {
  const Kernel kernel = longest();
  double best = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const auto start = std::chrono::steady_clock::now();
    double kept = kernel.run();
    asm volatile("" : : "g"(&kept) : "memory");
    const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, 2.0 * kernel.lanes * kChains * kSteps / ns);
  }
  return best;
}

}  // namespace lw::cli
