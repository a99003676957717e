#include "placement.hpp"

#include <cmath>
#include <numbers>

namespace lw {

void sin_cos_exact(double angle, double& s, double& c) {
  const double quarter_turns = std::round(angle / (std::numbers::pi / 2));
  // four units in the last place: the possible rounding of a division by 180 and one or two sums
  if (std::abs(angle - quarter_turns * (std::numbers::pi / 2)) <= 4 * 2.2204460492503131e-16 * std::abs(angle)) {
    const int quadrant = static_cast<int>(std::fmod(std::fmod(quarter_turns, 4.0) + 4.0, 4.0));
    constexpr double kSine[] = {0.0, 1.0, 0.0, -1.0};
    s = kSine[quadrant];
    c = kSine[(quadrant + 1) % 4];
    return;
  }
  s = std::sin(angle);
  c = std::cos(angle);
}

Vec3<double> rpy_from_rotation(const Mat3<double>& R) {
  const double level = std::hypot(R(0, 0), R(1, 0));
  const bool upright = level < 1e-12;
  return {upright ? std::atan2(-R(1, 2), R(1, 1)) : std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), level),
          upright ? 0.0 : std::atan2(R(1, 0), R(0, 0))};
}

}  // namespace lw
