#include "direct_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../assembly/planar_platform.hpp"

namespace lw {
namespace {

constexpr int kMostSteps = 50;

// x = A⁻¹ b by elimination with pivots, A by rows; false if A is singular.
template <int n, class T>
bool eliminate(std::array<std::array<T, n>, n>& A, std::array<T, n>& b) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(value_of(A[i][k])) > std::abs(value_of(A[best][k]))) best = i;
    }
    if (value_of(A[best][k]) == 0.0) return false;
    std::swap(A[k], A[best]);
    std::swap(b[k], b[best]);
    const T inverse = T(1.0) / A[k][k];
    for (std::size_t i = k + 1; i < n; ++i) {
      if (value_of(A[i][k]) == 0.0) continue;
      const T factor = A[i][k] * inverse;
      for (std::size_t j = k + 1; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
    b[k] = b[k] * inverse;
    for (std::size_t j = k + 1; j < n; ++j) A[k][j] = A[k][j] * inverse;
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
  }
  return true;
}

// Newton: `equations(x, f, J)` fills both; steps until every |f| is within the tolerance.
template <int n, class T, class Equations>
DirectEffort newton(std::array<T, n>& x, double tolerance, const Equations& equations) {
  DirectEffort effort;
  for (; effort.iterations < kMostSteps; ++effort.iterations) {
    std::array<T, n> f;
    std::array<std::array<T, n>, n> J;
    for (auto& row : J) row.fill(T(0.0));
    equations(x, f, J);
    ++effort.evaluations;
    effort.converged = std::all_of(f.begin(), f.end(), [&](const T& y) { return std::abs(value_of(y)) <= tolerance; });
    if (effort.converged || !eliminate<n, T>(J, f)) return effort;
    for (std::size_t k = 0; k < n; ++k) x[k] -= f[k];
  }
  return effort;
}

double side(const ThreeLegs& legs, std::size_t i, std::size_t j) {
  return std::hypot(legs.platform[j].x - legs.platform[i].x, legs.platform[j].y - legs.platform[i].y);
}

// The third corner as the first side sees it: along and across.
PlaneVector<double> third_corner(const ThreeLegs& legs) {
  const PlaneVector<double> d2 = legs.platform[1] - legs.platform[0], d3 = legs.platform[2] - legs.platform[0];
  const double length = std::hypot(d2.x, d2.y);
  return {dot(d2, d3) / length, cross(d2, d3) / length};
}

template <class T>
DirectEffort by_virtual_cut(const ThreeLegs& legs, const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  const double input = legs.rod[0], coupler = side(legs, 0, 1), output = legs.rod[1];
  const PlaneVector<double> third = third_corner(legs);
  // local frame: ξ from knee 1 to knee 2
  const PlaneVector<T> way = P[1] - P[0];
  const T square = dot(way, way), b = sqrt(square), over = T(1.0) / b;
  const PlaneVector<T> e = over * way, to3 = P[2] - P[0];
  const PlaneVector<T> six{dot(e, to3), cross(e, to3)};
  const T k1 = (square + T(input * input + coupler * coupler - output * output)) * T(0.5 / (input * coupler));
  const T k2 = b * T(1.0 / coupler), k3 = b * T(1.0 / input);
  const T more = k2 + T(1.0), less = k2 - T(1.0), sum = k1 + k3, difference = k1 - k3;
  const PlaneVector<T> arm = corners[0] - P[0], first = corners[1] - corners[0];
  const T psi = atan2(cross(e, arm), dot(e, arm));
  // the branch of the guess: the sign of A t − B, t = tan(θ/2), both from the corners as they stand
  const T cosine = dot(e, arm) * T(1.0 / input), sine = cross(e, arm) * T(1.0 / input);
  const T half = cross(e, first) / (T(coupler) + dot(e, first));
  const int branch = value_of((more * cosine - sum) * half - sine) >= 0.0 ? 1 : -1;
  DirectEffort effort;
  T c, s, ct, st;
  PlaneVector<T> one, three;  // corners 1 and 3 in the local frame
  const auto coupled = [&] {
    const T A = more * c - sum, C = less * c - difference, inside = s * s - A * C;
    if (value_of(inside) < 0.0) return false;
    const T t = std::abs(value_of(A)) < 1e-12 ? C / (T(2.0) * s) : (s + T(branch) * sqrt(inside)) / A;
    const T u = t * t, w = T(1.0) / (T(1.0) + u);
    st = (t + t) * w;
    ct = (T(1.0) - u) * w;
    return true;
  };
  const auto equation = [&](const T& angle, T& g) {
    ++effort.evaluations;
    c = cos(angle);
    s = sin(angle);
    if (!coupled()) return false;
    one = {T(input) * c, T(input) * s};
    three = one + turned<T>({T(third.x), T(third.y)}, ct, st);
    const PlaneVector<T> rod = three - six;
    g = dot(rod, rod) - T(legs.rod[2] * legs.rod[2]);
    return true;
  };
  // from ψ and a point beside it, the nearer of the two kept longest; the thesis goes 0.02 rad aside, further than a
  // cycle moves it
  constexpr double kAside = 0.005;
  T p1 = psi + T(kAside), p2 = psi, g1, g2;
  if (!equation(p2, g2)) return effort;
  if (std::abs(value_of(g2)) > tolerance) {
    if (!equation(p1, g1)) {
      p1 = psi - T(kAside);
      if (!equation(p1, g1)) return effort;
    }
    while (std::abs(value_of(g2)) > tolerance && effort.iterations < kMostSteps) {
      const T next = (p1 * g2 - p2 * g1) / (g2 - g1);
      p1 = p2;
      g1 = g2;
      p2 = next;
      ++effort.iterations;
      if (!equation(p2, g2)) return effort;
    }
  }
  effort.converged = std::abs(value_of(g2)) <= tolerance;
  const PlaneVector<T> two = one + PlaneVector<T>{T(coupler) * ct, T(coupler) * st};
  corners = {P[0] + turned(one, e.x, e.y), P[0] + turned(two, e.x, e.y), P[0] + turned(three, e.x, e.y)};
  return effort;
}

template <class T>
DirectEffort by_angles(const ThreeLegs& legs, const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  std::array<T, 3> k1, k2, k3, alpha, psi, heading;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    const PlaneVector<T> next = P[j] - P[i], before = P[h] - P[i], rod = corners[i] - P[i];
    const T square = dot(next, next), b = sqrt(square);
    const double ri = legs.rod[i], rj = legs.rod[j], s = side(legs, i, j);
    k1[i] = (square + T(ri * ri + rj * rj - s * s)) * T(0.5 / (ri * rj));
    k2[i] = b * T(1.0 / rj);
    k3[i] = b * T(1.0 / ri);
    alpha[i] = atan2(cross(next, before), dot(next, before));
    psi[i] = atan2(cross(next, rod), dot(next, rod));
    heading[i] = atan2(next.y, next.x);
  }
  const DirectEffort effort = newton<3, T>(psi, tolerance, [&](const auto& x, auto& f, auto& J) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const T back = alpha[j] - x[j], sum = x[i] + back;
      const T sine = sin(sum);
      f[i] = k1[i] - k2[i] * cos(x[i]) - k3[i] * cos(back) + cos(sum);
      J[i][i] = k2[i] * sin(x[i]) - sine;
      J[i][j] = sine - k3[i] * sin(back);
    }
  });
  for (std::size_t i = 0; i < 3; ++i) {
    const T angle = heading[i] + psi[i];
    corners[i] = P[i] + PlaneVector<T>{T(legs.rod[i]) * cos(angle), T(legs.rod[i]) * sin(angle)};
  }
  return effort;
}

// ½(|a − b|² − length²) and its derivatives by a and b; columns -1 are known points.
template <class T, class F, class J>
void length_equation(const PlaneVector<T>& a, const PlaneVector<T>& b, double length, int column_a, int column_b, F& f,
                     J& row) {
  const PlaneVector<T> d = a - b;
  f = T(0.5) * (dot(d, d) - T(length * length));
  const auto put = [&](int column, const T& x, const T& y) {
    if (column < 0) return;
    row[static_cast<std::size_t>(column)] = x;
    row[static_cast<std::size_t>(column) + 1] = y;
  };
  put(column_a, d.x, d.y);
  put(column_b, -d.x, -d.y);
}

template <class T>
DirectEffort by_corners(const ThreeLegs& legs, const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  std::array<T, 6> x{corners[0].x, corners[0].y, corners[1].x, corners[1].y, corners[2].x, corners[2].y};
  const DirectEffort effort = newton<6, T>(x, tolerance, [&](const auto& y, auto& f, auto& J) {
    const auto corner = [&](std::size_t k) { return PlaneVector<T>{y[2 * k], y[2 * k + 1]}; };
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const auto column = [](std::size_t k) { return static_cast<int>(2 * k); };
      length_equation<T>(corner(i), P[i], legs.rod[i], column(i), -1, f[i], J[i]);
      length_equation<T>(corner(i), corner(j), side(legs, i, j), column(i), column(j), f[i + 3], J[i + 3]);
    }
  });
  for (std::size_t k = 0; k < 3; ++k) corners[k] = {x[2 * k], x[2 * k + 1]};
  return effort;
}

template <class T>
DirectEffort by_pose(const ThreeLegs& legs, const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  using std::atan2, std::cos, std::sin;
  // from the first corner; the angle of the first side
  const PlaneVector<double> d2{side(legs, 0, 1), 0.0}, d3 = third_corner(legs);
  const PlaneVector<T> first = corners[1] - corners[0];
  std::array<T, 3> x{corners[0].x, corners[0].y, atan2(first.y, first.x)};
  Triangle<T> at;
  const auto place = [&](const auto& y) {
    const T c = cos(y[2]), s = sin(y[2]);
    const PlaneVector<T> p{y[0], y[1]};
    at = {p, p + PlaneVector<T>{T(d2.x) * c, T(d2.x) * s}, p + turned<T>({T(d3.x), T(d3.y)}, c, s)};
  };
  const DirectEffort effort = newton<3, T>(x, tolerance, [&](const auto& y, auto& f, auto& J) {
    place(y);
    for (std::size_t i = 0; i < 3; ++i) {
      const PlaneVector<T> d = at[i] - P[i];
      f[i] = T(0.5) * (dot(d, d) - T(legs.rod[i] * legs.rod[i]));
      J[i] = {d.x, d.y, i == 0 ? T(0.0) : cross(at[i] - at[0], d)};
    }
  });
  // the last evaluation was at x, or a step before it
  if (!effort.converged) place(x);
  corners = at;
  return effort;
}

template <class T>
DirectEffort by_natural_coordinates(const ThreeLegs& legs, const std::array<T, 3>& q, const Triangle<T>& P,
                                    Triangle<T>& corners, double tolerance) {
  using std::cos, std::sin;
  std::array<T, 12> x;
  for (std::size_t k = 0; k < 3; ++k) {
    x[2 * k] = P[k].x;
    x[2 * k + 1] = P[k].y;
    x[6 + 2 * k] = corners[k].x;
    x[7 + 2 * k] = corners[k].y;
  }
  std::array<T, 3> c, s;
  for (std::size_t k = 0; k < 3; ++k) {
    const T angle = T(legs.heading[k]) + T(legs.sense[k]) * q[k];
    c[k] = cos(angle);
    s[k] = sin(angle);
  }
  const DirectEffort effort = newton<12, T>(x, tolerance, [&](const auto& y, auto& f, auto& J) {
    const auto point = [&](std::size_t k) { return PlaneVector<T>{y[2 * k], y[2 * k + 1]}; };
    const auto column = [](std::size_t k) { return static_cast<int>(2 * k); };
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const PlaneVector<T> O{T(legs.base[i].x), T(legs.base[i].y)};
      length_equation<T>(point(i), O, legs.crank[i], column(i), -1, f[i], J[i]);
      length_equation<T>(point(i + 3), point(i), legs.rod[i], column(i + 3), column(i), f[i + 3], J[i + 3]);
      length_equation<T>(point(i + 3), point(j + 3), side(legs, i, j), column(i + 3), column(j + 3), f[i + 6],
                         J[i + 6]);
      // the driven angle: the crank is along (c, s)
      f[i + 9] = cross(PlaneVector<T>{c[i], s[i]}, point(i) - O);
      J[i + 9][2 * i] = -s[i];
      J[i + 9][2 * i + 1] = c[i];
    }
  });
  for (std::size_t k = 0; k < 3; ++k) corners[k] = {x[6 + 2 * k], x[7 + 2 * k]};
  return effort;
}

// Products of polynomials of tan(φ/2), ascending.
template <class T, std::size_t n, std::size_t m>
std::array<T, n + m - 1> polynomial_product(const std::array<T, n>& a, const std::array<T, m>& b) {
  std::array<T, n + m - 1> c;
  c.fill(T(0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) c[i + j] += a[i] * b[j];
  }
  return c;
}

template <class T>
DirectEffort by_sextic(const ThreeLegs& legs, const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  using Quadratic = std::array<T, 3>;
  // the factors of planar_platform.hpp, with d₂ along the first side: a + b cos φ + c sin φ as (a + b, 2c, a − b)
  const double length = side(legs, 0, 1), r1 = legs.rod[0] * legs.rod[0];
  const PlaneVector<double> d3 = third_corner(legs);
  const PlaneVector<T> B2 = P[1] - P[0], B3 = P[2] - P[0];
  const auto quadratic = [](const T& a, const T& b, const T& c) { return Quadratic{a + b, c + c, a - b}; };
  const double moving2 = length * length, moving3 = d3.x * d3.x + d3.y * d3.y;
  const T square2 = dot(B2, B2), square3 = dot(B3, B3);
  const T w2x = T(length) * B2.x, w2y = T(length) * B2.y;  // −2 w·(cos, sin) of |e₂|²
  const T w3x = T(d3.x) * B3.x + T(d3.y) * B3.y, w3y = T(d3.x) * B3.y - T(d3.y) * B3.x;
  const T E2a = square2 + T(moving2), E3a = square3 + T(moving3);
  const T h2a = T(legs.rod[1] * legs.rod[1] - r1) - E2a, h3a = T(legs.rod[2] * legs.rod[2] - r1) - E3a;
  const Quadratic E2 = quadratic(E2a, -(w2x + w2x), -(w2y + w2y)), E3 = quadratic(E3a, -(w3x + w3x), -(w3y + w3y));
  const Quadratic h2 = quadratic(h2a, w2x + w2x, w2y + w2y), h3 = quadratic(h3a, w3x + w3x, w3y + w3y);
  // ē₂ e₃ = d̄₂ d₃ + B̄₂ B₃ − d̄₂ B₃ z̄ − B̄₂ d₃ z
  const T mx = T(length) * B3.x, my = T(length) * B3.y;
  const T kx = T(d3.x) * B2.x + T(d3.y) * B2.y, ky = T(d3.y) * B2.x - T(d3.x) * B2.y;
  const Quadratic C = quadratic(dot(B2, B3) + T(length * d3.x), -(mx + kx), ky - my);
  const Quadratic D = quadratic(cross(B2, B3) + T(length * d3.y), -(my + ky), mx - kx);
  const std::array<T, 7> one = polynomial_product(polynomial_product(h2, h2), E3);
  const std::array<T, 7> two = polynomial_product(polynomial_product(h3, h3), E2);
  const std::array<T, 7> both = polynomial_product(polynomial_product(h2, h3), C);
  const std::array<T, 5> DD = polynomial_product(D, D);
  std::array<T, 7> p;
  for (std::size_t k = 0; k < 7; ++k) {
    p[k] = one[k] + two[k] - T(2.0) * both[k];
    const T four = T(4.0 * r1);
    if (k < 5) p[k] -= four * DD[k];
    if (k >= 2) p[k] -= four * DD[k - 2];
  }
  // tan(φ/2) of the guess, from the first side
  const PlaneVector<T> first = corners[1] - corners[0];
  using std::sqrt;
  T t = first.y / (sqrt(dot(first, first)) + first.x);
  DirectEffort effort;
  for (; effort.iterations < kMostSteps; ++effort.iterations) {
    T f = p[6], slope = T(0.0);
    for (std::size_t k = 6; k-- > 0;) {
      slope = slope * t + f;
      f = f * t + p[k];
    }
    ++effort.evaluations;
    // as the others: on the scale of squared lengths, which here is the sixth power
    const double scale = 4.0 * r1 * std::pow(std::abs(value_of(E2a)) + std::abs(value_of(E3a)), 2) *
                         std::pow(1.0 + value_of(t) * value_of(t), 3);
    effort.converged = std::abs(value_of(f)) <= tolerance * scale;
    if (effort.converged || value_of(slope) == 0.0) break;
    t -= f / slope;
  }
  const T u = t * t, w = T(1.0) / (T(1.0) + u), c = (T(1.0) - u) * w, s = (t + t) * w;
  const auto at = [&](const Quadratic& a) { return (a[0] + t * (a[1] + t * a[2])) * w; };
  const PlaneVector<T> e2{T(length) * c - B2.x, T(length) * s - B2.y};
  const PlaneVector<T> e3 = turned<T>({T(d3.x), T(d3.y)}, c, s) - B3;
  const T H2 = at(h2), H3 = at(h3), over = T(0.5) / at(D);
  // (h₂ e₃ − h₃ e₂)/(2i D)
  const PlaneVector<T> v = H2 * e3 - H3 * e2;
  const PlaneVector<T> p0{v.y * over, -v.x * over};
  corners = {P[0] + p0, P[1] + p0 + e2, P[2] + p0 + e3};
  return effort;
}

}  // namespace

const char* to_string(DirectMethod method) {
  switch (method) {
    case DirectMethod::virtual_cut: return "virtual cut";
    case DirectMethod::angles: return "angles 3x3";
    case DirectMethod::corners: return "corners 6x6";
    case DirectMethod::pose: return "pose 3x3";
    case DirectMethod::natural: return "natural 12x12";
    case DirectMethod::sextic: return "sextic";
  }
  return "";
}

template <class T>
DirectEffort direct_kinematics(DirectMethod method, const ThreeLegs& legs, const std::array<T, 3>& q,
                               const Triangle<T>& P, Triangle<T>& corners, double tolerance) {
  switch (method) {
    case DirectMethod::virtual_cut: return by_virtual_cut<T>(legs, P, corners, tolerance);
    case DirectMethod::angles: return by_angles<T>(legs, P, corners, tolerance);
    case DirectMethod::corners: return by_corners<T>(legs, P, corners, tolerance);
    case DirectMethod::pose: return by_pose<T>(legs, P, corners, tolerance);
    case DirectMethod::natural: return by_natural_coordinates<T>(legs, q, P, corners, tolerance);
    case DirectMethod::sextic: return by_sextic<T>(legs, P, corners, tolerance);
  }
  return {};
}
template DirectEffort direct_kinematics<double>(DirectMethod, const ThreeLegs&, const std::array<double, 3>&,
                                                const Triangle<double>&, Triangle<double>&, double);
template DirectEffort direct_kinematics<Count>(DirectMethod, const ThreeLegs&, const std::array<Count, 3>&,
                                               const Triangle<Count>&, Triangle<Count>&, double);

std::vector<Triangle<double>> all_platforms(const ThreeLegs& legs, const Triangle<double>& P) {
  PlanarPlatform platform;
  for (std::size_t k = 0; k < 3; ++k) {
    platform.fixed[k] = {P[k].x, P[k].y};
    platform.moving[k] = {legs.platform[k].x, legs.platform[k].y};
    platform.rod[k] = legs.rod[k];
  }
  std::vector<Triangle<double>> all;
  for (const PlanarPose& pose : platform_poses(platform).poses) {
    Triangle<double> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      const PlanePoint p = pose.p + platform.moving[k] * std::polar(1.0, pose.angle);
      corners[k] = {p.real(), p.imag()};
    }
    all.push_back(corners);
  }
  return all;
}

}  // namespace lw
