// 3-vectors and 3×3 matrices in any scalar.
//
// Why not Eigen: the algorithms consist of a few dozen products of 3×3 matrices and 3-vectors, which for double fit
// into 4-wide registers. Padded to four, inverse dynamics by gcc 12 is twice as fast as with Eigen::Vector3d
// (docs/decisions.md). Names, layout and how they are passed to functions do not depend on compiler flags, so a library
// built with AVX and a caller without are compatible; the arithmetic does, with the same results.
#pragma once

#include <cmath>

#include "../base/eigen_names.hpp"
#include "../graph/scalar.hpp"

namespace lw {

// Not `detail`: clang would find the name ambiguous with lw::detail.
namespace storage {

// Three elements; for double four, of which the last is padding that stays finite and is never read.
template <class T>
struct Vec3Storage {
  T v[3];
};
// With AVX they are a register and have a copy constructor, below; without they have one, too, because the calling
// convention depends on it.
struct Copied {
  Copied() = default;
  Copied(const Copied&) {}
  Copied& operator=(const Copied&) { return *this; }
};
template <>
struct alignas(32) Vec3Storage<double> {
  double v[4];
  [[no_unique_address]] Copied copied = {};
};

#if defined(__AVX__)
typedef double Lanes __attribute__((vector_size(32)));
#endif

}  // namespace storage

template <class T>
class Vec3 {
 public:
  Vec3() : s_{} {}
  Vec3(const T& x, const T& y, const T& z) : s_{{x, y, z}} {}

  static Vec3 zero() { return {}; }
  static Vec3 unit(int k) {
    Vec3 e;
    e.s_.v[k] = T(1.0);
    return e;
  }
  template <class Vector>
  static Vec3 from(const Vector& v) {
    const auto& e = v.eval();
    return {e[0], e[1], e[2]};
  }
  template <class Vector = EigenMatrix<T, 3, 1>>
  Vector eigen() const {
    return {s_.v[0], s_.v[1], s_.v[2]};
  }

  const T& operator[](int k) const { return s_.v[k]; }
  T& operator[](int k) { return s_.v[k]; }

  Vec3& operator+=(const Vec3& o) { return *this = *this + o; }
  Vec3& operator-=(const Vec3& o) { return *this = *this - o; }

  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
  friend Vec3 operator-(const Vec3& a) { return {-a[0], -a[1], -a[2]}; }
  friend Vec3 operator*(const Vec3& a, const T& s) { return {a[0] * s, a[1] * s, a[2] * s}; }
  friend Vec3 operator*(const T& s, const Vec3& a) { return a * s; }
  friend Vec3 operator/(const Vec3& a, const T& s) { return {a[0] / s, a[1] / s, a[2] / s}; }

 private:
  storage::Vec3Storage<T> s_;
};

// a r + b s + c t and a r − b s, of numbers or vectors. One statement per product: in `a * r + b * s`, C++ leaves the
// order of the products open, and with it the numbering of a traced graph.
template <class A, class T>
A sum_of_products(const A& a, const T& r, const A& b, const T& s, const A& c, const T& t) {
  const A third = c * t;
  const A second = b * s;
  const A first = a * r;
  return first + second + third;
}
template <class A, class T>
A difference_of_products(const A& a, const T& r, const A& b, const T& s) {
  const A second = b * s;
  const A first = a * r;
  return first - second;
}

template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return sum_of_products<T, T>(a[0], b[0], a[1], b[1], a[2], b[2]);
}
template <class T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
// Element-wise product, and the sum of the elements: sum(times(a, b) + times(c, d)) needs only one horizontal addition.
template <class T>
Vec3<T> times(const Vec3<T>& a, const Vec3<T>& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}
template <class T>
T sum(const Vec3<T>& a) {
  return a[0] + a[1] + a[2];
}
template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {difference_of_products<T, T>(a[1], b[2], a[2], b[1]), difference_of_products<T, T>(a[2], b[0], a[0], b[2]),
          difference_of_products<T, T>(a[0], b[1], a[1], b[0])};
}

#if defined(__AVX__)
// The same for double, with one register per vector.
template <>
class Vec3<double> {
 public:
  Vec3() : x_{} {}
  Vec3(double x, double y, double z) : x_{x, y, z, 0.0} {}
  explicit Vec3(storage::Lanes x) : x_(x) {}
  // Explicit, so that structs of vectors are copied vector by vector: gcc would copy 64 bytes at a time, and such a
  // load must wait until two stores of 32 bytes have reached the cache.
  Vec3(const Vec3& o) : x_(o.x_) {}
  Vec3& operator=(const Vec3& o) {
    x_ = o.x_;
    return *this;
  }

  static Vec3 zero() { return {}; }
  static Vec3 unit(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
  template <class Vector>
  static Vec3 from(const Vector& v) {
    const auto& e = v.eval();
    return {e[0], e[1], e[2]};
  }
  template <class Vector = EigenVector3>
  Vector eigen() const {
    return {x_[0], x_[1], x_[2]};
  }
  storage::Lanes lanes() const { return x_; }

  double operator[](int k) const { return x_[k]; }
  double& operator[](int k) { return reinterpret_cast<double*>(&x_)[k]; }

  Vec3& operator+=(const Vec3& o) { return *this = *this + o; }
  Vec3& operator-=(const Vec3& o) { return *this = *this - o; }

  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return Vec3(a.x_ + b.x_); }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return Vec3(a.x_ - b.x_); }
  friend Vec3 operator-(const Vec3& a) { return Vec3(-a.x_); }
  friend Vec3 operator*(const Vec3& a, double s) { return Vec3(a.x_ * s); }
  friend Vec3 operator*(double s, const Vec3& a) { return Vec3(a.x_ * s); }
  friend Vec3 operator/(const Vec3& a, double s) { return Vec3(a.x_ / s); }

 private:
  storage::Lanes x_;
};
static_assert(sizeof(Vec3<double>) == sizeof(storage::Vec3Storage<double>) &&
              alignof(Vec3<double>) == alignof(storage::Vec3Storage<double>));

template <>
inline double dot<double>(const Vec3<double>& a, const Vec3<double>& b) {
  const storage::Lanes p = a.lanes() * b.lanes();
  return p[0] + p[1] + p[2];
}
template <>
inline Vec3<double> times<double>(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(a.lanes() * b.lanes());
}
template <>
inline double sum<double>(const Vec3<double>& a) {
  const storage::Lanes p = a.lanes();
  return p[0] + p[1] + p[2];
}
template <>
inline Vec3<double> cross<double>(const Vec3<double>& a, const Vec3<double>& b) {
  // (a × b), cyclically shifted, is a·turn(b) − turn(a)·b
  const storage::Lanes x = a.lanes(), y = b.lanes();
  const storage::Lanes turned =
      x * __builtin_shufflevector(y, y, 1, 2, 0, 3) - __builtin_shufflevector(x, x, 1, 2, 0, 3) * y;
  return Vec3<double>(__builtin_shufflevector(turned, turned, 1, 2, 0, 3));
}
#endif

// Stored by columns.
template <class T>
class Mat3 {
 public:
  Mat3() = default;
  Mat3(const Vec3<T>& c0, const Vec3<T>& c1, const Vec3<T>& c2) : c_{c0, c1, c2} {}

  static Mat3 zero() { return {}; }
  static Mat3 identity() { return {Vec3<T>::unit(0), Vec3<T>::unit(1), Vec3<T>::unit(2)}; }
  static Mat3 diagonal(const T& s) {
    const T zero(0.0);
    return {{s, zero, zero}, {zero, s, zero}, {zero, zero, s}};
  }
  template <class Matrix>
  static Mat3 from(const Matrix& m) {
    const auto& e = m.eval();
    return {Vec3<T>::from(e.col(0)), Vec3<T>::from(e.col(1)), Vec3<T>::from(e.col(2))};
  }
  template <class Matrix = EigenMatrix<T, 3, 3>>
  Matrix eigen() const {
    Matrix e;
    for (int k = 0; k < 3; ++k) e.col(k) = c_[k].eigen();
    return e;
  }

  T operator()(int row, int column) const { return c_[column][row]; }
  T& operator()(int row, int column) { return c_[column][row]; }
  const Vec3<T>& col(int k) const { return c_[k]; }
  Vec3<T>& col(int k) { return c_[k]; }

  Mat3& operator+=(const Mat3& o) { return *this = *this + o; }
  Mat3& operator-=(const Mat3& o) { return *this = *this - o; }

  friend Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.c_[0] + b.c_[0], a.c_[1] + b.c_[1], a.c_[2] + b.c_[2]};
  }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {a.c_[0] - b.c_[0], a.c_[1] - b.c_[1], a.c_[2] - b.c_[2]};
  }
  friend Mat3 operator*(const Mat3& a, const T& s) { return {a.c_[0] * s, a.c_[1] * s, a.c_[2] * s}; }
  friend Vec3<T> operator*(const Mat3& a, const Vec3<T>& b) {
    return sum_of_products<Vec3<T>, T>(a.c_[0], b[0], a.c_[1], b[1], a.c_[2], b[2]);
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.c_[0], a * b.c_[1], a * b.c_[2]}; }

 private:
  Vec3<T> c_[3];
};

template <class T>
Mat3<T> transpose(const Mat3<T>& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}
#if defined(__AVX__)
template <>
inline Mat3<double> transpose<double>(const Mat3<double>& m) {
  const storage::Lanes a = m.col(0).lanes(), b = m.col(1).lanes(), c = m.col(2).lanes();
  const storage::Lanes ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                       ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  return {Vec3<double>(__builtin_shufflevector(ab02, c, 0, 1, 4, 3)),
          Vec3<double>(__builtin_shufflevector(ab13, c, 0, 1, 5, 3)),
          Vec3<double>(__builtin_shufflevector(ab02, c, 2, 3, 6, 3))};
}
#endif

// a bᵀ
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a * b[0], a * b[1], a * b[2]};
}
// [a]: [a] b = a × b
template <class T>
Mat3<T> skew(const Vec3<T>& a) {
  const T zero(0.0);
  return {{zero, a[2], -a[1]}, {-a[2], zero, a[0]}, {a[1], -a[0], zero}};
}
// [r] A, column by column, and A [r]
template <class T>
Mat3<T> cross_columns(const Vec3<T>& r, const Mat3<T>& A) {
  return {cross(r, A.col(0)), cross(r, A.col(1)), cross(r, A.col(2))};
}
template <class T>
Mat3<T> times_skew(const Mat3<T>& A, const Vec3<T>& r) {
  return {difference_of_products<Vec3<T>, T>(A.col(1), r[2], A.col(2), r[1]),
          difference_of_products<Vec3<T>, T>(A.col(2), r[0], A.col(0), r[2]),
          difference_of_products<Vec3<T>, T>(A.col(0), r[1], A.col(1), r[0])};
}

}  // namespace lw
