// Eight numbers that are treated alike: for double one register of AVX-512, two of AVX, four of plain x86-64.
#pragma once

#include <cstddef>

namespace lw {

template <class T>
struct Lanes {
  static constexpr int kCount = 8;
  T v[kCount];

  static Lanes zero() {
    const T z(0.0);
    return {{z, z, z, z, z, z, z, z}};
  }
  // from[0], from[stride], …
  static Lanes gathered(const T* from, std::size_t stride) {
    return {{from[0], from[stride], from[2 * stride], from[3 * stride], from[4 * stride], from[5 * stride],
             from[6 * stride], from[7 * stride]}};
  }
  const T* data() const { return v; }
  T* data() { return v; }

  Lanes& operator-=(const Lanes& o) {
    for (int k = 0; k < kCount; ++k) v[k] -= o.v[k];
    return *this;
  }
  friend Lanes operator*(const T& s, const Lanes& x) {
    Lanes y = x;
    for (T& value : y.v) value = s * value;
    return y;
  }
};

template <>
struct Lanes<double> {
  static constexpr int kCount = 8;
  typedef double Register __attribute__((vector_size(64)));
  Register v;

  static Lanes zero() { return {Register{}}; }
  static Lanes gathered(const double* from, std::size_t stride) {
    return {Register{from[0], from[stride], from[2 * stride], from[3 * stride], from[4 * stride], from[5 * stride],
                     from[6 * stride], from[7 * stride]}};
  }
  const double* data() const { return reinterpret_cast<const double*>(&v); }
  double* data() { return reinterpret_cast<double*>(&v); }

  Lanes& operator-=(const Lanes& o) {
    v -= o.v;
    return *this;
  }
  friend Lanes operator*(double s, const Lanes& x) { return {s * x.v}; }
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

}  // namespace lw
