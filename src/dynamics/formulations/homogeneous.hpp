// Homogeneous<T>: the upper three rows [R p] of the 4×4 matrices of the Lagrangian formulations. The last row is not
// stored: it is (0 0 0 1) for a pose and zero for its derivatives, also in sums of products.
//
//   ∂A/∂q = A Q:  Q turns about z (rows: −y, x, 0, 0) for a revolute joint, and has a single 1 at (z, 4) for a slide
//   J = ∫ [y; 1][y; 1]ᵀ dm = [K h; hᵀ m] about the link's origin:  K = ½ tr(I) 1 − I + m c cᵀ,  h = m c
//
// with I about the centre of mass c. The products K_xy = ∫ x y dm are minus the tensor's entries I_xy.
#pragma once

#include "linkage.hpp"

namespace lw {

template <class T>
struct PseudoInertia {
  Mat3<T> K;
  Vec3<T> h;
  T mass;
};

template <class T>
PseudoInertia<T> pseudo_inertia(const typename Linkage<T>::Link& link) {
  PseudoInertia<T> J{outer(link.mass * link.com, link.com) - link.I, link.mass * link.com, link.mass};
  const T half = T(0.5) * (link.I(0, 0) + link.I(1, 1) + link.I(2, 2));
  for (int k = 0; k < 3; ++k) J.K(k, k) += half;
  return J;
}

template <class T>
struct Homogeneous {
  Mat3<T> R;
  Vec3<T> p;

  static Homogeneous pose(const Transform<T>& A) { return {A.R, A.p}; }

  Homogeneous& operator+=(const Homogeneous& o) { return *this = *this + o; }
  friend Homogeneous operator+(const Homogeneous& a, const Homogeneous& b) { return {a.R + b.R, a.p + b.p}; }
  friend Homogeneous operator*(const Homogeneous& a, const T& s) { return {a.R * s, a.p * s}; }
  friend Homogeneous operator*(const Homogeneous& a, const Transform<T>& A) { return {a.R * A.R, a.R * A.p + a.p}; }
  // of a derivative (that of a pose has a last row)
  friend Homogeneous operator*(const Homogeneous& a, const PseudoInertia<T>& J) {
    return {a.R * J.K + outer(a.p, J.h), a.R * J.h + a.p * J.mass};
  }
  // times Q: the derivative by the coordinate of the joint at the right end
  Homogeneous derivative(bool slides) const {
    if (slides) return {Mat3<T>::zero(), R.col(2)};
    return {{R.col(1), -R.col(0), Vec3<T>::zero()}, Vec3<T>::zero()};
  }
};

// tr(M Nᵀ), one of the two a derivative.
template <class T>
T trace_of_product(const Homogeneous<T>& M, const Homogeneous<T>& N) {
  return dot(M.R.col(0), N.R.col(0)) + dot(M.R.col(1), N.R.col(1)) + dot(M.R.col(2), N.R.col(2)) + dot(M.p, N.p);
}

}  // namespace lw
