#include "cli/draw/faces.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace lw::cli {
namespace faces_test {

using Point = Vec3<double>;

// Where the line of sight through `eye` meets the face, as a distance towards the eye; NaN where it passes by.
double sight(const Face& face, const Point& eye, const Point& toward) {
  const Point n = cross(face.corners[1] - face.corners[0], face.corners[2] - face.corners[0]);
  const double t = dot(n, face.corners[0] - eye) / dot(n, toward);
  const Point hit = eye + toward * t;
  double side = 0.0;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Point &a = face.corners[k], &b = face.corners[(k + 1) % face.corners.size()];
    const double s = dot(cross(b - a, hit - a), n);
    if (s * side < 0.0) return std::nan("");
    if (s != 0.0) side = s;
  }
  return t;
}

// Along every line of sight, what is painted last is what is nearest: triangles that pass through each other at random.
TEST(Faces, WhatIsPaintedLastIsNearest) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto point = [&] {
    Point p;
    for (int k = 0; k < 3; ++k) p[k] = uniform(random);
    return p;
  };
  Point toward(0.4, -0.5, 0.6);
  toward = toward / std::sqrt(dot(toward, toward));
  std::vector<Face> faces;
  while (faces.size() < 30) {
    Face face{{point(), point(), point()}, {}, {}};
    Point n = cross(face.corners[1] - face.corners[0], face.corners[2] - face.corners[0]);
    n = n / std::sqrt(dot(n, n));
    face.normal = dot(n, toward) < 0.0 ? -n : n;
    face.color[0] = static_cast<double>(faces.size());
    if (std::abs(dot(n, toward)) > 0.05) faces.push_back(face);
  }
  const std::vector<Face> painted = far_to_near(faces, toward);
  EXPECT_GT(painted.size(), faces.size());
  int seen = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Point eye = point();
    double nearest = -HUGE_VAL, on_top = -1.0, wanted = -1.0;
    for (const Face& face : faces) {
      if (const double t = sight(face, eye, toward); t > nearest) {
        nearest = t;
        wanted = face.color[0];
      }
    }
    for (const Face& face : painted) {
      if (!std::isnan(sight(face, eye, toward))) on_top = face.color[0];
    }
    ASSERT_EQ(on_top, wanted);
    seen += wanted >= 0.0;
  }
  EXPECT_GT(seen, 1000);
}

TEST(Faces, WhatIsTurnedAwayIsLeftOut) {
  const Point up(0.0, 0.0, 1.0);
  const std::vector<Point> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  EXPECT_EQ(far_to_near({{square, up, {}}, {square, -up, {}}}, up).size(), 1u);
  EXPECT_TRUE(far_to_near({}, up).empty());
}

}  // namespace faces_test
}  // namespace lw::cli
