// The arithmetic of vectors against Eigen's; compiled twice, with and without AVX, since those are two implementations.
#include "spatial/spatial.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "base/random.hpp"

namespace lw {
namespace vec3_test {

struct Samples {
  Random random{11};
  Eigen::Vector3d vector() { return {random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)}; }
  Eigen::Matrix3d matrix() {
    Eigen::Matrix3d m;
    m << vector(), vector(), vector();
    return m;
  }
};

constexpr double kTolerance = 1e-14;  // a few roundings of numbers below 40

TEST(Vec3, EqualsEigen) {
  Samples s;
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector3d a = s.vector(), b = s.vector();
    const Vec3<double> x = Vec3<double>::from(a), y = Vec3<double>::from(b);
    EXPECT_EQ((x + y).eigen(), a + b);
    EXPECT_EQ((x - y).eigen(), a - b);
    EXPECT_EQ((-x).eigen(), -a);
    EXPECT_EQ((x * 0.7).eigen(), a * 0.7);
    EXPECT_EQ((x / 0.7).eigen(), a / 0.7);
    EXPECT_NEAR(dot(x, y), a.dot(b), kTolerance);
    EXPECT_LT((cross(x, y).eigen() - a.cross(b)).norm(), kTolerance);
    EXPECT_LT((outer(x, y).eigen() - a * b.transpose()).norm(), kTolerance);
    EXPECT_LT(((skew(x) * y).eigen() - a.cross(b)).norm(), kTolerance);
    EXPECT_EQ(x[0], a[0]);
    EXPECT_EQ(x[2], a[2]);
  }
}

TEST(Vec3, ElementsCanBeWritten) {
  Vec3<double> x;
  x[1] = 5.0;
  x += Vec3<double>::unit(2);
  EXPECT_EQ(x.eigen(), Eigen::Vector3d(0, 5, 1));
  Mat3<double> m = Mat3<double>::diagonal(2.0);
  m(0, 2) = 7.0;
  EXPECT_EQ((m * Vec3<double>(1, 1, 1)).eigen(), Eigen::Vector3d(9, 2, 2));
}

TEST(Mat3, EqualsEigen) {
  Samples s;
  for (int k = 0; k < 200; ++k) {
    const Eigen::Matrix3d a = s.matrix(), b = s.matrix();
    const Eigen::Vector3d v = s.vector();
    const Mat3<double> x = Mat3<double>::from(a), y = Mat3<double>::from(b);
    const Vec3<double> w = Vec3<double>::from(v);
    EXPECT_EQ(transpose(x).eigen(), Eigen::Matrix3d(a.transpose()));
    EXPECT_LT(((x * w).eigen() - a * v).norm(), kTolerance);
    EXPECT_LT(((x * y).eigen() - a * b).norm(), 4 * kTolerance);
    EXPECT_EQ((x + y).eigen(), a + b);
    EXPECT_LT((cross_columns(w, x).eigen() - skew(w).eigen() * a).norm(), 4 * kTolerance);
    EXPECT_LT((times_skew(x, w).eigen() - a * skew(w).eigen()).norm(), 4 * kTolerance);
  }
}

TEST(RigidInertia, MovesByTheParallelAxisTheorem) {
  Samples s;
  for (int k = 0; k < 100; ++k) {
    const Eigen::Matrix3d root = s.matrix(), I = root * root.transpose();
    const Eigen::Vector3d c = s.vector(), p = s.vector();
    const Eigen::Matrix3d R = Eigen::AngleAxisd(s.random.between(-3, 3), s.vector().normalized()).toRotationMatrix();
    const double m = s.random.between(0.1, 3.0);
    const auto about = [&](const Eigen::Matrix3d& I_com, const Eigen::Vector3d& r) -> Eigen::Matrix3d {
      return I_com + m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    };
    const RigidInertia<double> here = RigidInertia<double>::about_com(m, Vec3<double>::from(c), Mat3<double>::from(I));
    EXPECT_LT((here.I.eigen() - about(I, c)).norm(), 1e-12);
    const RigidInertia<double> there = to_parent(Transform<double>{Mat3<double>::from(R), Vec3<double>::from(p)}, here);
    EXPECT_LT((there.I.eigen() - about(R * I * R.transpose(), R * c + p)).norm(), 1e-12);
    EXPECT_LT((there.h.eigen() - m * (R * c + p)).norm(), 1e-13);
  }
}

}  // namespace vec3_test
}  // namespace lw
