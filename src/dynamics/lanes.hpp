// Numbers that are treated alike: eight of double in the widest registers there are; of any other scalar one, which skips
// the most zeros.
// As with Vec3 the layout does not depend on compiler flags, and each kind of arithmetic has an inline namespace of its own.
#pragma once

#if defined(__AVX512F__)
#define LW_LANES_KIND avx512
#elif defined(__AVX__)
#define LW_LANES_KIND avx
#else
#define LW_LANES_KIND plain
#endif

namespace lw {
namespace lanes {
inline namespace LW_LANES_KIND {

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
  friend Lanes operator-(const Lanes& x) { return {-x.v}; }
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
  friend Lanes operator-(const Lanes& x) {
    Lanes y;
    for (int k = 0; k < kRegisters; ++k) y.r[k] = -x.r[k];
    return y;
  }
};

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

}  // namespace LW_LANES_KIND
}  // namespace lanes

using lanes::Lanes;
using lanes::TwoLanes;

}  // namespace lw
