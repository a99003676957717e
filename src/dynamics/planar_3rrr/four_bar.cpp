#include <algorithm>
#include <cmath>
#include <numbers>

#include "direct_kinematics.hpp"

namespace lw {
namespace {

constexpr double kShrink = 1e-6;

double angle_between(double a, double b) { return std::abs(std::remainder(a - b, 2.0 * std::numbers::pi)); }

}  // namespace

FourBar::FourBar(double base_length, double input_length, double coupler_length, double output_length)
    : base(base_length),
      input(input_length),
      coupler(coupler_length),
      output(output_length),
      k1((base * base + input * input + coupler * coupler - output * output) / (2.0 * input * coupler)),
      k2(base / coupler),
      k3(base / input) {}

std::optional<PlaneVector<double>> FourBar::coupler_angle(double psi, int branch) const {
  const double c = std::cos(psi), s = std::sin(psi);
  const double A = (k2 + 1.0) * c - k1 - k3, C = (k2 - 1.0) * c - k1 + k3, inside = s * s - A * C;
  if (!(inside >= 0.0)) return {};
  const double t = std::abs(A) < 1e-12 ? C / (2.0 * s) : (s + branch * std::sqrt(inside)) / A;
  return PlaneVector<double>{(1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)};
}

int FourBar::branch_of(double psi, double theta) const {
  int best = 0;
  double nearest = 10.0;
  for (const int K : {1, -1}) {
    const auto found = coupler_angle(psi, K);
    if (!found) continue;
    const double off = angle_between(std::atan2(found->y, found->x), theta);
    if (off < nearest) nearest = off, best = K;
  }
  return best;
}

FourBar::Range FourBar::range() const {
  const bool outer = base + input < coupler + output;  // nothing stretches coupler and output
  const bool inner = (base - input) * (base - input) > (coupler - output) * (coupler - output);  // nothing folds them
  const auto limit = [&](double length) {
    return (base * base + input * input - length * length) / (2.0 * base * input);
  };
  const double stretched = limit(coupler + output), folded = limit(coupler - output);
  constexpr double pi = std::numbers::pi;
  if ((!outer && std::abs(stretched) > 1.0) || (!inner && std::abs(folded) > 1.0)) return {};
  if (outer && inner) return {Range::Kind::crank, -pi + kShrink, pi - kShrink};
  if (!outer && inner)
    return {Range::Kind::around_zero, -std::acos(stretched) + kShrink, std::acos(stretched) - kShrink};
  if (outer) return {Range::Kind::around_pi, std::acos(folded) + kShrink, 2.0 * pi - std::acos(folded) - kShrink};
  return {Range::Kind::two_sided, std::acos(folded) + kShrink, std::acos(stretched) - kShrink};
}

CutAngles cut_angles(const Triangle<double>& P, const Triangle<double>& corners) {
  const PlaneVector<double> e = P[1] - P[0], arm = corners[0] - P[0], first = corners[1] - corners[0];
  return {std::atan2(cross(e, arm), dot(e, arm)), std::atan2(cross(e, first), dot(e, first))};
}

ColdStart virtual_cut_search(const ThreeLegs& legs, const Triangle<double>& P, int branch, double step,
                             double tolerance) {
  ColdStart result;
  const PlaneVector<double> way = P[1] - P[0], d2 = legs.platform[1] - legs.platform[0],
                            d3 = legs.platform[2] - legs.platform[0];
  const double b = std::hypot(way.x, way.y), coupler = std::hypot(d2.x, d2.y);
  const PlaneVector<double> third{dot(d2, d3) / coupler, cross(d2, d3) / coupler};
  const PlaneVector<double> e{way.x / b, way.y / b}, to3 = P[2] - P[0], six{dot(e, to3), cross(e, to3)};
  const FourBar four(b, legs.rod[0], coupler, legs.rod[1]);
  const FourBar::Range range = four.range();
  if (range.kind == FourBar::Range::Kind::none) return result;
  // the equation of the cut; NaN if the four-bar cannot be assembled
  const auto equation = [&](double psi, int K) {
    const auto theta = four.coupler_angle(psi, K);
    if (!theta) return std::nan("");
    const double x = legs.rod[0] * std::cos(psi) + third.x * theta->x - third.y * theta->y - six.x;
    const double y = legs.rod[0] * std::sin(psi) + third.x * theta->y + third.y * theta->x - six.y;
    return x * x + y * y - legs.rod[2] * legs.rod[2];
  };
  const auto finish = [&](double psi, int K) {
    const auto theta = four.coupler_angle(psi, K);
    result.found = true;
    result.branch = K;
    result.psi = psi;
    result.theta = std::atan2(theta->y, theta->x);
    const PlaneVector<double> x{legs.rod[0] * std::cos(psi), legs.rod[0] * std::sin(psi)};
    const PlaneVector<double> two = x + coupler * *theta;
    const PlaneVector<double> nine{x.x + third.x * theta->x - third.y * theta->y,
                                   x.y + third.x * theta->y + third.y * theta->x};
    result.corners = {P[0] + turned(x, e.x, e.y), P[0] + turned(two, e.x, e.y), P[0] + turned(nine, e.x, e.y)};
  };
  // the thesis omits the mirror image of a two-sided range; here it comes last
  std::vector<std::pair<double, double>> pieces{{range.low, range.high}};
  if (range.kind == FourBar::Range::Kind::two_sided) pieces.emplace_back(-range.high, -range.low);
  for (const auto& [low, high] : pieces) {
    for (const int K : {branch, -branch}) {
      double before = equation(low, K);
      for (double psi = low; psi < high;) {
        const double next = std::min(psi + step, high);
        const double now = equation(next, K);
        ++result.scanned;
        if (before * now <= 0.0) {
          double p1 = psi, g1 = before, p2 = next, g2 = now;
          for (result.secants = 0; result.secants < 99 && std::abs(g2) >= tolerance; ++result.secants) {
            const double p = (p1 * g2 - p2 * g1) / (g2 - g1);
            p1 = p2, g1 = g2;
            p2 = p, g2 = equation(p, K);
          }
          if (std::abs(g2) < tolerance) {
            finish(p2, K);
            return result;
          }
        }
        before = now;
        psi = next;
      }
    }
  }
  return result;
}

}  // namespace lw
