#include "planar_platform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "../../base/linear.hpp"
#include "../../spatial/vec3.hpp"

namespace lw {
namespace {

// a + b cos φ + c sin φ, as a polynomial of t = tan(φ/2) times (1 + t²).
struct Harmonic {
  double a = 0.0, b = 0.0, c = 0.0;
  double at(double angle) const { return a + b * std::cos(angle) + c * std::sin(angle); }
  Harmonic turned(double by) const {  // as a function of φ − by
    return {a, b * std::cos(by) + c * std::sin(by), c * std::cos(by) - b * std::sin(by)};
  }
};
using TangentPolynomial = std::vector<double>;  // ascending

TangentPolynomial by_tangent(const Harmonic& h) { return {h.a + h.b, 2.0 * h.c, h.a - h.b}; }
TangentPolynomial tangent_product(const TangentPolynomial& x, const TangentPolynomial& y) {
  TangentPolynomial z(x.size() + y.size() - 1, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) z[i + j] += x[i] * y[j];
  }
  return z;
}

// The factors of the elimination: h_i, |e_i|², Re and Im of ē₂ e₃.
struct Factors {
  PlanePoint d2, d3, B2, B3;
  Harmonic h2, h3, E2, E3, C, D;

  explicit Factors(const PlanarPlatform& p)
      : d2(p.moving[1] - p.moving[0]),
        d3(p.moving[2] - p.moving[0]),
        B2(p.fixed[1] - p.fixed[0]),
        B3(p.fixed[2] - p.fixed[0]) {
    const auto square = [](const PlanePoint& d, const PlanePoint& B) {
      const PlanePoint w = std::conj(B) * d;
      return Harmonic{std::norm(d) + std::norm(B), -2.0 * w.real(), 2.0 * w.imag()};
    };
    E2 = square(d2, B2);
    E3 = square(d3, B3);
    const double r1 = p.rod[0] * p.rod[0];
    h2 = {p.rod[1] * p.rod[1] - r1 - E2.a, -E2.b, -E2.c};
    h3 = {p.rod[2] * p.rod[2] - r1 - E3.a, -E3.b, -E3.c};
    const PlanePoint still = std::conj(d2) * d3 + std::conj(B2) * B3, m = std::conj(d2) * B3, k = std::conj(B2) * d3;
    C = {still.real(), -(m.real() + k.real()), -(m.imag() - k.imag())};
    D = {still.imag(), -(m.imag() + k.imag()), -(k.real() - m.real())};
  }
};

// Places of the first point, from the first fixed one, at that angle: one, or where the lines coincide up to two.
std::vector<PlanePoint> first_point(const Factors& f, double r1, double angle) {
  const PlanePoint z = std::polar(1.0, angle), e2 = f.d2 * z - f.B2, e3 = f.d3 * z - f.B3;
  const double D = f.D.at(angle), h2 = f.h2.at(angle), h3 = f.h3.at(angle);
  std::vector<PlanePoint> points;
  if (std::abs(D) > 1e-12 * (std::norm(e2) + std::norm(e3))) {
    points.push_back((h2 * e3 - h3 * e2) / (PlanePoint(0.0, 2.0) * D));
  }
  if (std::abs(D) > 1e-5 * (std::norm(e2) + std::norm(e3))) return points;
  // nearly one line: where it meets the circle, the one that also fits the other equation is kept by its polish
  const bool second = std::norm(e2) >= std::norm(e3);
  const PlanePoint e = second ? e2 : e3;
  const double h = second ? h2 : h3, length = std::abs(e);
  if (length == 0.0) return points;
  const double along = 0.5 * h / length, across = std::sqrt(std::max(0.0, r1 * r1 - along * along));
  for (const double sign : {-1.0, 1.0}) points.push_back(e / length * PlanePoint(along, sign * across));
  return points;
}

double wrapped(double angle) { return std::remainder(angle, 2.0 * std::numbers::pi); }

double platform_scale(const PlanarPlatform& platform) {
  double scale = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    scale = std::max({scale, platform.rod[k], std::abs(platform.fixed[k] - platform.fixed[0]),
                      std::abs(platform.moving[k] - platform.moving[0])});
  }
  return scale;
}

// The angle at which it hangs on three parallel rods of one length and moves along a circle: all e_i and h_i vanish.
std::optional<double> parallel_angle(const PlanarPlatform& platform, const Factors& f, double scale) {
  const double near = 1e-9 * scale;
  if (std::abs(platform.rod[1] - platform.rod[0]) > near || std::abs(platform.rod[2] - platform.rod[0]) > near)
    return {};
  const bool second = std::norm(f.d2) >= std::norm(f.d3);
  const double angle = second ? std::arg(f.B2 * std::conj(f.d2)) : std::arg(f.B3 * std::conj(f.d3));
  const PlanePoint z = std::polar(1.0, angle);
  if (std::abs(f.d2 * z - f.B2) > near || std::abs(f.d3 * z - f.B3) > near) return {};
  return angle;
}

}  // namespace

std::array<double, 7> platform_polynomial(const PlanarPlatform& platform, double turn) {
  const Factors f(platform);
  const auto poly = [&](const Harmonic& h) { return by_tangent(h.turned(turn)); };
  const TangentPolynomial h2 = poly(f.h2), h3 = poly(f.h3), D = poly(f.D);
  const TangentPolynomial one = tangent_product(tangent_product(h2, h2), poly(f.E3)),
                          two = tangent_product(tangent_product(h3, h3), poly(f.E2));
  const TangentPolynomial both = tangent_product(tangent_product(h2, h3), poly(f.C)),
                          last = tangent_product(tangent_product(D, D), {1.0, 0.0, 1.0});
  const double r1 = platform.rod[0];
  std::array<double, 7> sum{};
  for (std::size_t k = 0; k < 7; ++k) sum[k] = one[k] + two[k] - 2.0 * both[k] - 4.0 * r1 * r1 * last[k];
  return sum;
}

double polish(const PlanarPlatform& platform, PlanarPose& pose) {
  const auto error = [&](const PlanarPose& at, double* f) {
    double worst = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double length = std::abs(at.p + platform.moving[k] * std::polar(1.0, at.angle) - platform.fixed[k]);
      f[k] = 0.5 * (length * length - platform.rod[k] * platform.rod[k]);
      if (!(std::abs(length - platform.rod[k]) <= worst)) worst = std::abs(length - platform.rod[k]);
    }
    return worst;
  };
  double f[3], worst = error(pose, f);
  for (int iteration = 0; iteration < 60; ++iteration) {
    // rows (s, s × …): ∂f/∂x, ∂f/∂y, ∂f/∂φ; solved by the cross products of its rows
    Vec3<double> row[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const PlanePoint arm = platform.moving[k] * std::polar(1.0, pose.angle), s = pose.p + arm - platform.fixed[k];
      row[k] = {s.real(), s.imag(), (std::conj(arm) * s).imag()};
    }
    const double determinant = dot(row[0], cross(row[1], row[2]));
    if (determinant == 0.0) break;
    const Vec3<double> step =
        (cross(row[1], row[2]) * f[0] + cross(row[2], row[0]) * f[1] + cross(row[0], row[1]) * f[2]) / determinant;
    const PlanarPose next{pose.p - PlanePoint(step[0], step[1]), wrapped(pose.angle - step[2])};
    double g[3];
    const double after = error(next, g);
    if (!(after < worst)) break;
    pose = next;
    worst = after;
    std::copy(g, g + 3, f);
  }
  return worst;
}

PlatformPoses platform_poses(const PlanarPlatform& platform) {
  PlatformPoses result;
  const double scale = platform_scale(platform);
  // φ − turn = π is a root at infinity: turned away from there
  double turn = 0.0;
  std::array<double, 7> c = platform_polynomial(platform);
  const auto largest_of = [](const std::array<double, 7>& x) {
    return std::abs(
        *std::max_element(x.begin(), x.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  };
  // each term has six lengths; what rounding leaves of a polynomial that vanishes is its sixth power
  if (largest_of(c) <= 1e-13 * std::pow(scale, 6)) {
    result.infinite = true;
    return result;
  }
  for (int attempt = 1; attempt < 7 && std::abs(c[6]) < 1e-3 * largest_of(c); ++attempt) {
    turn = 0.9 * attempt;
    c = platform_polynomial(platform, turn);
  }
  const Factors factors(platform);
  // there the sextic has a root of multiplicity four, which rounding scatters by its fourth root: none of these is a
  // place of its own
  const std::optional<double> parallel = parallel_angle(platform, factors, scale);
  result.infinite = parallel.has_value();
  const double tolerance = 1e-12 * scale;
  std::vector<PlanarPose>& poses = result.poses;
  for (const std::complex<double>& root : polynomial_roots(c)) {
    // a double root comes out as a pair beside the real line, by the square root of rounding
    if (std::abs(root.imag()) > 1e-4 * (1.0 + std::norm(root))) continue;
    for (const double t : {root.real(), root.real() + std::abs(root.imag())}) {
      const double angle = 2.0 * std::atan(t) + turn;
      for (const PlanePoint& p : first_point(factors, platform.rod[0], angle)) {
        PlanarPose pose{platform.fixed[0] + p - platform.moving[0] * std::polar(1.0, angle), wrapped(angle)};
        if (!(polish(platform, pose) <= tolerance)) continue;
        if (parallel && std::abs(wrapped(pose.angle - *parallel)) < 1e-3) continue;
        const bool known = std::any_of(poses.begin(), poses.end(), [&](const PlanarPose& other) {
          return std::abs(other.p - pose.p) < 1e-6 * scale && std::abs(wrapped(other.angle - pose.angle)) < 1e-6;
        });
        if (!known) poses.push_back(pose);
      }
    }
  }
  std::sort(poses.begin(), poses.end(), [](const PlanarPose& a, const PlanarPose& b) { return a.angle < b.angle; });
  return result;
}

}  // namespace lw
