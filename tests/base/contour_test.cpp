#include "base/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace lw {
namespace contour_test {

// Of a closed polygon, positive where it runs counterclockwise.
double area(const Contour& line) {
  double sum = 0.0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const auto &a = line[k], &b = line[(k + 1) % line.size()];
    sum += 0.5 * (a.first * b.second - b.first * a.second);
  }
  return sum;
}

TEST(Contours, OfARingAreTwoCircles) {
  const auto ring = [](int i, int j) { return 12.0 - std::abs(std::hypot(i - 40.0, j - 40.0) - 20.0); };
  const std::vector<Contour> lines = contours(81, 81, ring, 2.0);  // between the radii 10 and 30
  ASSERT_EQ(lines.size(), 2u);
  double sum = 0.0;
  for (const Contour& line : lines) {
    sum += area(line);  // the hole runs the other way round
    for (const auto& [x, y] : line) {
      const double r = std::hypot(x - 40, y - 40);
      EXPECT_LT(std::min(std::abs(r - 10), std::abs(r - 30)), 0.02);
    }
  }
  EXPECT_NEAR(sum / (std::numbers::pi * (900 - 100)), 1.0, 2e-3);
}

TEST(Contours, CloseAtTheGridsBorder) {
  const std::vector<Contour> lines = contours(
      4, 3, [](int, int) { return 1.0; }, 0.5);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_GT(area(lines[0]), 6.0);  // three by two cells, and part of the step to what is below
  EXPECT_TRUE(contours(
                  4, 3, [](int, int) { return 0.0; }, 0.5)
                  .empty());
}

TEST(Contours, UseAMoreAccurateCrossing) {
  const auto step = [](int i, int) { return i < 2 ? 1.0 : 0.0; };
  const std::vector<Contour> lines =
      contours(4, 4, step, 0.5, [](int i, int, bool upward) { return !upward && i == 1 ? 0.9 : std::nan(""); });
  ASSERT_EQ(lines.size(), 1u);
  double right = 0.0;
  for (const auto& [x, y] : lines[0]) right = std::max(right, x);
  EXPECT_NEAR(right, 1.9, 1e-15);
}

TEST(Contours, OfASaddleFollowTheMiddle) {
  const auto corners = [](double middle) {
    return contours(
               2, 2, [&](int i, int j) { return i == j ? 1.0 : middle; }, 0.5)
        .size();
  };
  EXPECT_EQ(corners(0.2), 1u);   // the mean is above the level: joined
  EXPECT_EQ(corners(-0.9), 2u);  // below: apart
}

}  // namespace contour_test
}  // namespace lw
