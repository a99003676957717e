// Eight numbers that are treated alike: for double one register of AVX-512, two of AVX, four of plain x86-64.
#pragma once

namespace lw {

template <class T>
struct Lanes {
  static constexpr int kCount = 8;
  T v[kCount];

  static Lanes zero() {
    Lanes x;
    for (T& value : x.v) value = T(0.0);
    return x;
  }
  T get(int k) const { return v[k]; }
  void set(int k, const T& value) { v[k] = value; }
  // x -= s y
  void subtract(const T& s, const Lanes& y) {
    for (int k = 0; k < kCount; ++k) v[k] -= s * y.v[k];
  }
  void scale(const T& s) {
    for (int k = 0; k < kCount; ++k) v[k] *= s;
  }
};

template <>
struct Lanes<double> {
  static constexpr int kCount = 8;
  typedef double Register __attribute__((vector_size(64)));
  Register v;

  static Lanes zero() { return {Register{}}; }
  double get(int k) const { return v[k]; }
  void set(int k, double value) { v[k] = value; }
  void subtract(double s, const Lanes& y) { v -= s * y.v; }
  void scale(double s) { v *= s; }
};

}  // namespace lw
