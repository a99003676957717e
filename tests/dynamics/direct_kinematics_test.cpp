// Six methods to the platform of a planar 3-RRR, against each other, against the mechanism's own closures and against
// numbers of Helmy 1994.
#include "dynamics/planar_3rrr/direct_kinematics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "dynamics/assembly/assembly.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace direct_kinematics_test {

constexpr double kDeg = std::numbers::pi / 180.0;

std::array<double, 3> manoeuvre(double t) {
  const double s = t / 3.0, part = s - std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi);
  return {(90 + 30 * part) * kDeg, (60 + 60 * part) * kDeg, (120 - 120 * part) * kDeg};
}

ThreeLegs helmy() {
  const auto legs = three_legs(instantiate<double>(load("planar-3rrr")));
  EXPECT_TRUE(legs);
  return *legs;
}

void expect_same(const Triangle<double>& a, const Triangle<double>& b, double tolerance, const std::string& what) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(a[k].x, b[k].x, tolerance) << what << " corner " << k;
    EXPECT_NEAR(a[k].y, b[k].y, tolerance) << what << " corner " << k;
  }
}

// Helmy 1994, t = 0; oracle: helmy.py helmy.positions.corners
const Triangle<double> kStart{
    PlaneVector<double>{0.49691465, 0.73626751}, {0.21084875, 0.45668513}, {0.59600714, 0.34873599}};

TEST(ThreeLegs, AreReadOffTheMechanism) {
  const ThreeLegs legs = helmy();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(legs.crank[k], 0.4, 1e-15);
    EXPECT_NEAR(legs.rod[k], 0.6, 1e-15);
    EXPECT_NEAR(std::remainder(legs.heading[k] - 120 * kDeg * static_cast<double>(k), 2 * std::numbers::pi), 0.0,
                1e-14);
  }
  const Triangle<double> P = knees<double>(legs, manoeuvre(0));
  expect_same(P, {PlaneVector<double>{0, 0.4}, {0.6, 0}, {0.9, 0.8660254037844386}}, 1e-14, "knees");
  EXPECT_FALSE(three_legs(instantiate<double>(load("stewart"))));
  EXPECT_FALSE(three_legs(instantiate<double>(load("five-bar"))));
}

TEST(DirectKinematics, AllMethodsFollowTheManoeuvre) {
  const ThreeLegs legs = helmy();
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Workspace<double> work(model);
  Assembled here = assemble_home(model);
  std::array<Triangle<double>, 6> at;
  at.fill(kStart);
  for (int k = 0; k <= 300; ++k) {
    const std::array<double, 3> q = manoeuvre(0.01 * k);
    here = continue_to(model, work, here, q);
    forward_kinematics<double>(model, work, here.q);
    const Transform<double> X = frame_pose(model, work, model.frame_index("platform"));
    Triangle<double> expected;
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3<double> p = X.p + X.R * Vec3<double>(legs.platform[c].x, legs.platform[c].y, 0.0);
      expected[c] = {p[0], p[1]};
    }
    const Triangle<double> P = knees<double>(legs, q);
    for (const DirectMethod method : kDirectMethods) {
      Triangle<double>& corners = at[static_cast<std::size_t>(method)];
      const DirectEffort effort = direct_kinematics<double>(method, legs, q, P, corners, 1e-14);
      ASSERT_TRUE(effort.converged) << to_string(method) << " at " << k;
      expect_same(corners, expected, 1e-9, std::string(to_string(method)) + " at " + std::to_string(k));
    }
  }
  expect_same(at[0], at[3], 1e-12, "ends");
}

TEST(DirectKinematics, FindsTheTabulatedStart) {
  const ThreeLegs legs = helmy();
  const std::array<double, 3> q = manoeuvre(0);
  for (const DirectMethod method : kDirectMethods) {
    Triangle<double> corners = kStart;
    for (PlaneVector<double>& c : corners) c.x += 0.01, c.y -= 0.02;
    EXPECT_TRUE(direct_kinematics<double>(method, legs, q, knees<double>(legs, q), corners).converged)
        << to_string(method);
    expect_same(corners, kStart, 1e-8, to_string(method));
  }
}

TEST(DirectKinematics, ColdStartOfTheThesis) {
  const ThreeLegs legs = helmy();
  const Triangle<double> P = knees<double>(legs, manoeuvre(0));
  const FourBar four(std::hypot(P[1].x - P[0].x, P[1].y - P[0].y), 0.6, 0.4, 0.6);
  const FourBar::Range range = four.range();
  EXPECT_EQ(range.kind, FourBar::Range::Kind::two_sided);
  EXPECT_NEAR(range.low / kDeg, /* oracle: helmy_direct.py helmy.direct.range[0] */ 13.898, 1e-3);
  EXPECT_NEAR(range.high / kDeg, /* oracle: helmy_direct.py helmy.direct.range[1] */ 97.971, 1e-3);
  const ColdStart start = virtual_cut_search(legs, P, 1);
  ASSERT_TRUE(start.found);
  EXPECT_EQ(start.branch, 1);
  EXPECT_NEAR(start.psi / kDeg, /* oracle: helmy_direct.py helmy.direct.cold[0] */ 67.776704, 1e-6);
  EXPECT_NEAR(start.theta / kDeg, /* oracle: helmy_direct.py helmy.direct.cold[1] */ -101.966634, 1e-6);
  EXPECT_LE(start.secants, 4);
  EXPECT_NEAR(start.scanned, 56, 1);
  expect_same(start.corners, kStart, 1e-8, "cold start");
  EXPECT_EQ(four.branch_of(start.psi, start.theta), 1);
}

TEST(DirectKinematics, TheBranchDoesNotNameTheMode) {
  // at the end of the manoeuvre a cold start on the same branch lands in another mode
  const ThreeLegs legs = helmy();
  const Triangle<double> P = knees<double>(legs, manoeuvre(3));
  const ColdStart cold = virtual_cut_search(legs, P, 1);
  ASSERT_TRUE(cold.found);
  EXPECT_EQ(cold.branch, 1);
  EXPECT_NEAR(cold.psi / kDeg, /* oracle: helmy_direct.py helmy.direct.hazard[0] */ -46.982, 1e-3);
  EXPECT_NEAR(cold.theta / kDeg, -0.281, 1e-3);
  Triangle<double> tracked = kStart;
  for (int k = 0; k <= 300; ++k) {
    const std::array<double, 3> q = manoeuvre(0.01 * k);
    direct_kinematics<double>(DirectMethod::virtual_cut, legs, q, knees<double>(legs, q), tracked);
  }
  const CutAngles angles = cut_angles(P, tracked);
  EXPECT_NEAR(angles.psi / kDeg, /* oracle: helmy_direct.py helmy.direct.hazard[1] */ 34.288703, 2e-6);
  EXPECT_NEAR(angles.theta / kDeg, /* oracle: helmy.py helmy.positions.platform[34] */ -72.18829, 1e-5);
}

TEST(DirectKinematics, AllModesAreModesByEveryMethod) {
  const ThreeLegs legs = helmy();
  Random random(4);
  int modes = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::array<double, 3> q{random.between(0, 6.28), random.between(0, 6.28), random.between(0, 6.28)};
    const Triangle<double> P = knees<double>(legs, q);
    for (const Triangle<double>& mode : all_platforms(legs, P)) {
      ++modes;
      for (const DirectMethod method : kDirectMethods) {
        Triangle<double> corners = mode;
        const DirectEffort effort = direct_kinematics<double>(method, legs, q, P, corners, 1e-12);
        EXPECT_TRUE(effort.converged) << to_string(method);
        expect_same(corners, mode, 1e-6,
                    to_string(method));  // some are nearly singular: a residual of 1e-12 leaves that much
      }
    }
  }
  EXPECT_GT(modes, 60);
}

TEST(DirectKinematics, CountsWhatItDoes) {
  // one evaluation of the pose's equations, by hand: converged at once
  const ThreeLegs legs = helmy();
  OperationCount count;
  std::array<Count, 3> q;
  for (std::size_t k = 0; k < 3; ++k) q[k] = Count(manoeuvre(0)[k], &count);
  Triangle<Count> P = knees<Count>(legs, q);
  EXPECT_EQ(count.trigonometric, 6);
  Triangle<double> exact = kStart;
  direct_kinematics<double>(DirectMethod::pose, legs, manoeuvre(0), knees<double>(legs, manoeuvre(0)), exact, 1e-15);
  Triangle<Count> corners;
  for (std::size_t k = 0; k < 3; ++k) corners[k] = {Count(exact[k].x, &count), Count(exact[k].y, &count)};
  count = {};
  EXPECT_EQ(direct_kinematics<Count>(DirectMethod::pose, legs, q, P, corners, 1e-12).iterations, 0);
  EXPECT_EQ(count.trigonometric, 3);  // the angle of the guess, its cosine and sine
  EXPECT_EQ(count.divisions, 0);
  EXPECT_GT(count.multiplications, 15);
  EXPECT_LT(count.multiplications, 30);
}

}  // namespace direct_kinematics_test
}  // namespace lw
