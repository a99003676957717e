#include "experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/random.hpp"
#include "dynamics/assembly/planar_platform.hpp"
#include "dynamics/planar_3rrr/direct_kinematics.hpp"
#include "evaluate.hpp"

// Helmy 1994, section 4.2: in how many ways the manipulator can be assembled. He quotes a bound of 64; it is six.
namespace lw::reproduce {
namespace {

std::array<double, 3> random_cranks(Random& random) {
  const double turn = 2 * std::numbers::pi;
  return {random.between(0, turn), random.between(0, turn), random.between(0, turn)};
}

// By Newton on the pose from many places: no polynomial.
std::size_t modes_by_search(const ThreeLegs& legs, const std::array<double, 3>& q, Random& random) {
  const Triangle<double> P = knees<double>(legs, q);
  std::vector<Triangle<double>> found;
  for (int start = 0; start < 400; ++start) {
    const double angle = random.between(-std::numbers::pi, std::numbers::pi), x = random.between(-0.6, 1.6),
                 y = random.between(-0.7, 1.5);
    Triangle<double> c;
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = PlaneVector<double>{x, y} + turned(legs.platform[k], std::cos(angle), std::sin(angle));
    }
    if (!direct_kinematics<double>(DirectMethod::pose, legs, q, P, c, 1e-13).converged) continue;
    const bool known = std::any_of(found.begin(), found.end(), [&](const Triangle<double>& f) {
      return std::hypot(f[0].x - c[0].x, f[0].y - c[0].y) + std::hypot(f[1].x - c[1].x, f[1].y - c[1].y) < 1e-5;
    });
    if (!known) found.push_back(c);
  }
  return found.size();
}

}  // namespace

Experiment helmy_modes() {
  Experiment e("helmy", "helmy.modes", "Assembly modes of the planar manipulator (section 4.2)",
               "With the cranks given, the platform's angle is a root of a polynomial of degree six: eigenvalues of "
               "its companion "
               "matrix, each real one a way to assemble the manipulator.");
  const ThreeLegs legs = three_legs(embedded("planar-3rrr")).value();
  const Source source = recomputed("helmy.py", "elimination, with the lengths that reproduce appendix D");
  // at q = (90, 60, 120)°: the polynomial itself
  const Triangle<double> start = knees<double>(legs, {90 * kDegree, 60 * kDegree, 120 * kDegree});
  PlanarPlatform platform;
  for (std::size_t k = 0; k < 3; ++k) {
    platform.fixed[k] = {start[k].x, start[k].y};
    platform.moving[k] = {legs.platform[k].x, legs.platform[k].y};
    platform.rod[k] = legs.rod[k];
  }
  const std::array<double, 7> c = platform_polynomial(platform);
  Vector monic;
  for (const double x : c) monic.push_back(x / c[6]);
  e.compare("sextic", "coefficients of tan(φ/2) at q = (90, 60, 120)°, ascending, monic", source,
            {-0.084650, -0.306968, -0.592838, 0.184707, 1.729306, 3.095334, 1.0}, monic, absolute(6e-7));
  Vector angles;
  for (const PlanarPose& p : platform_poses(platform).poses) angles.push_back(p.angle / kDegree);
  e.compare("start", "φ of the modes at q = (90, 60, 120)° (deg)", source, {-135.6567, 59.8748}, angles, absolute(6e-5),
            "The first is that of the tables.");
  Vector six;
  for (const Triangle<double>& t : all_platforms(legs, knees<double>(legs, {0.0, 0.0, 90 * kDegree}))) {
    six.insert(six.end(), {t[0].x, t[0].y, std::atan2(t[1].y - t[0].y, t[1].x - t[0].x) / kDegree});
  }
  e.compare("six", "first corner x, y (m) and φ (deg) of the modes at q = (0, 0, 90)°", source,
            {{0.597582, 0.566534, -164.92806, 0.957469, 0.221875, -44.45867, -0.092874, 0.342162, -32.99539, 0.900924,
              -0.330265, 37.80963, 0.515245, 0.588828, 61.18974, 0.691929, 0.524192, 140.98087},
             3},
            {six, 3}, absolute(6e-6), "All six are real.");
  // how often there are none, two, four, six
  Random random(20000);
  const int samples = 20000;
  double tally[4] = {};
  double odd = 0.0, worst = 0.0;
  for (int k = 0; k < samples; ++k) {
    const Triangle<double> P = knees<double>(legs, random_cranks(random));
    const std::vector<Triangle<double>> all = all_platforms(legs, P);
    if (all.size() % 2 == 1) ++odd;
    ++tally[std::min<std::size_t>(all.size() / 2, 3)];
    for (const Triangle<double>& t : all) {
      for (std::size_t i = 0; i < 3; ++i)
        worst = std::max(worst, std::abs(std::hypot(t[i].x - P[i].x, t[i].y - P[i].y) - legs.rod[i]));
    }
  }
  const double published[] = {7645, 9748, 2122, 485};
  for (std::size_t k = 0; k < 4; ++k) {
    const double part = published[k] / samples, error = std::sqrt(2.0 * samples * part * (1.0 - part));
    e.compare(
        fmt::format("count-{}", 2 * k),
        fmt::format("of 20 000 random crank angles, those with {} modes", k == 0 ? "no" : fmt::format("{}", 2 * k)),
        recomputed("helmy.py", "another sample of 20 000"), published[k], tally[k], absolute(std::round(3.0 * error)),
        fmt::format("Both are samples: their difference has a standard deviation of {:.0f}, allowed are three.",
                    error));
  }
  e.compare("odd", "of these, with an odd number of modes", property("complex roots come in pairs"), 0.0, odd,
            absolute(0.0));
  e.compare("residual", "largest error of a rod's length over all of them (m)", property("every root is a mode"), 0.0,
            worst, absolute(1e-12));
  // the same without a polynomial
  Random other(7);
  double by_search = 0.0, by_sextic = 0.0;
  for (int k = 0; k < 150; ++k) {
    const std::array<double, 3> q = random_cranks(other);
    by_sextic += static_cast<double>(all_platforms(legs, knees<double>(legs, q)).size());
    by_search += static_cast<double>(modes_by_search(legs, q, other));
  }
  e.compare("search", "modes at 150 random crank angles by Newton's method from 400 places each",
            property("as many as the sextic has"), by_sextic, by_search, absolute(0.0));
  e.misprint(
      "bound", "largest number of modes", "section 4.2", 64.0, 6.0, static_cast<double>(six.size() / 3), absolute(0.0),
      "Six quadratics in six unknowns give 2⁶; elimination leaves a sextic. The other method is q = (0, 0, 90)°, "
      "which has six.");
  return e;
}

}  // namespace lw::reproduce
