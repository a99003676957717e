// Values processed in parallel: eight doubles in the widest registers available; for any other scalar one, which skips
// the most zeros. As with Vec3 the layout does not depend on compiler flags, and each kind of arithmetic has an inline
// namespace of its own.
#pragma once

#if defined(__AVX512F__)
#define LW_LANES_KIND avx512
#elif defined(__AVX__)
#define LW_LANES_KIND avx
#else
#define LW_LANES_KIND plain
#endif

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace lw {
namespace lanes {
inline namespace LW_LANES_KIND {

// y − s x in one instruction where the machine has it: half the arithmetic of solving, and one rounding less.
template <class X, class T>
X less_product(const X& y, const T& s, const X& x) {
  X difference = y;
  difference -= s * x;
  return difference;
}
#if defined(__FMA__)
inline double less_product(double y, double s, double x) { return __builtin_fma(-s, x, y); }
#endif

// gcc takes a vector that is wider than the machine's registers apart into single numbers.
#if defined(__AVX512F__)
typedef double Register __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef double Register __attribute__((vector_size(32)));
#else
typedef double Register __attribute__((vector_size(16)));
#endif

template <class T>
struct Lanes {
  static constexpr int kCount = 1;
  T v;

  static Lanes zero() { return {T(0.0)}; }
  const T* data() const { return &v; }
  T* data() { return &v; }

  Lanes& operator-=(const Lanes& o) {
    v -= o.v;
    return *this;
  }
  friend Lanes operator*(const T& s, const Lanes& x) { return {s * x.v}; }
};

template <>
struct alignas(64) Lanes<double> {
  static constexpr int kCount = 8;
  static constexpr int kRegisters = 64 / sizeof(Register);
  Register r[kRegisters];

  static Lanes zero() { return {}; }
  const double* data() const { return reinterpret_cast<const double*>(r); }
  double* data() { return reinterpret_cast<double*>(r); }

  Lanes& operator-=(const Lanes& o) {
    for (int k = 0; k < kRegisters; ++k) r[k] -= o.r[k];
    return *this;
  }
  friend Lanes operator*(double s, const Lanes& x) {
    Lanes y;
    for (int k = 0; k < kRegisters; ++k) y.r[k] = s * x.r[k];
    return y;
  }
};

#if defined(__FMA__)
inline Lanes<double> less_product(const Lanes<double>& y, double s, const Lanes<double>& x) {
  Lanes<double> difference;
  for (int k = 0; k < Lanes<double>::kRegisters; ++k) {
#if defined(__AVX512F__)
    difference.r[k] = _mm512_fnmadd_pd(_mm512_set1_pd(s), x.r[k], y.r[k]);
#else
    difference.r[k] = _mm256_fnmadd_pd(_mm256_set1_pd(s), x.r[k], y.r[k]);
#endif
  }
  return difference;
}
#endif

// Two of them, for two chains of operations side by side.
template <class T>
struct TwoLanes {
  Lanes<T> a, b;

  static TwoLanes zero() { return {Lanes<T>::zero(), Lanes<T>::zero()}; }
  TwoLanes& operator-=(const TwoLanes& o) {
    a -= o.a;
    b -= o.b;
    return *this;
  }
  friend TwoLanes operator*(const T& s, const TwoLanes& x) { return {s * x.a, s * x.b}; }
};

template <class T>
TwoLanes<T> less_product(const TwoLanes<T>& y, const T& s, const TwoLanes<T>& x) {
  return {less_product(y.a, s, x.a), less_product(y.b, s, x.b)};
}

// columns[lane · height + k] = row k, lane by lane, for `count` lanes; rows are `stride` numbers apart.
template <class T>
void write_columns(const T* rows, int stride, int count, int height, T* columns) {
  for (int lane = 0; lane < count; ++lane) {
    for (int k = 0; k < height; ++k) columns[lane * height + k] = rows[k * stride + lane];
  }
}

#if defined(__AVX__)
// Four by four in registers: single numbers would be stored one at a time.
template <>
inline void write_columns<double>(const double* rows, int stride, int count, int height, double* columns) {
  typedef double Four __attribute__((vector_size(32)));
  const auto load = [](const double* from) {
    Four x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  };
  const int whole = height / 4 * 4;
  for (int lane = 0; lane < count; lane += 4) {
    const int lanes = count - lane < 4 ? count - lane : 4;
    for (int k = 0; k < whole; k += 4) {
      const double* const from = rows + k * stride + lane;
      const Four a = load(from), b = load(from + stride), c = load(from + 2 * stride), d = load(from + 3 * stride);
      const Four ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
      const Four cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
      const Four column[4] = {
          __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5),
          __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7), __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7)};
      double* const to = columns + lane * height + k;
      if (lanes == 4) {
        for (int j = 0; j < 4; ++j) __builtin_memcpy(to + j * height, &column[j], sizeof column[j]);
      } else {
        for (int j = 0; j < lanes; ++j) __builtin_memcpy(to + j * height, &column[j], sizeof column[j]);
      }
    }
    for (int j = lane; j < lane + lanes; ++j) {
      for (int k = whole; k < height; ++k) columns[j * height + k] = rows[k * stride + j];
    }
  }
}
#endif

}  // namespace LW_LANES_KIND
}  // namespace lanes

using lanes::Lanes;
using lanes::less_product;
using lanes::TwoLanes;
using lanes::write_columns;

}  // namespace lw
