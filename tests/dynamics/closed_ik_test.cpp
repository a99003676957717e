// Inverse kinematics of closed mechanisms: closed forms written here, there and back, and what cannot be reached.
#include "dynamics/assembly/closed_ik.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/placement.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace closed_ik_test {

constexpr double kDeg = std::numbers::pi / 180.0;

Transform<double> pose(const Model<double>& model, const std::vector<double>& q, const char* frame) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  return frame_pose(model, work, model.frame_index(frame));
}

TEST(ClosedIk, HasTheEightWorkingModesOfThe3Rrr) {
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  const Assembled home = assemble_home(model);
  const IkTarget target{{rotation_about_z(20 * kDeg), {0.4, 0.25, 0.0}}, false};
  const ClosedIk result =
      closed_inverse_kinematics(model, model.frame_index("platform"), target, home, no_limits(model));
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.solutions.size(), 8u);
  // q_i = atan2(v) ± acos((l1² + r² − l2²)/(2 l1 r)) − γ_i, v from the crank's axis to the platform's corner
  const double base[3][2] = {{0, 0}, {1, 0}, {0.5, std::sqrt(3.0) / 2}};
  double expected[3][2];
  for (int i = 0; i < 3; ++i) {
    const double corner[3][2] = {{0, 0}, {0.4, 0}, {0.2, 0.2 * std::sqrt(3.0)}};
    const double c = std::cos(20 * kDeg), s = std::sin(20 * kDeg);
    const double x = 0.4 + c * corner[i][0] - s * corner[i][1] - base[i][0],
                 y = 0.25 + s * corner[i][0] + c * corner[i][1] - base[i][1];
    const double r = std::hypot(x, y), turn = std::acos((0.16 + r * r - 0.36) / (0.8 * r));
    expected[i][0] = std::atan2(y, x) - turn - 120 * kDeg * i;
    expected[i][1] = std::atan2(y, x) + turn - 120 * kDeg * i;
  }
  int seen = 0;
  for (const ClosedIkSolution& s : result.solutions) {
    int which = 0;
    for (int i = 0; i < 3; ++i) {
      const double a = std::remainder(s.actuated[static_cast<std::size_t>(i)] - expected[i][0], 2 * std::numbers::pi);
      const double b = std::remainder(s.actuated[static_cast<std::size_t>(i)] - expected[i][1], 2 * std::numbers::pi);
      EXPECT_LT(std::min(std::abs(a), std::abs(b)), 1e-12);
      which += std::abs(b) < std::abs(a) ? 1 << i : 0;
    }
    EXPECT_EQ(seen & (1 << which), 0) << "twice";
    seen |= 1 << which;
    EXPECT_EQ(s.working_mode.size(), 3u);
    EXPECT_LE(s.position_error + s.rotation_error, 1e-12);
    EXPECT_LE(s.at.residual, 1e-12);
  }
  EXPECT_EQ(seen, 255);
  // working modes are told apart by their signs
  for (const ClosedIkSolution& a : result.solutions) {
    for (const ClosedIkSolution& b : result.solutions) EXPECT_EQ(&a == &b, a.working_mode == b.working_mode);
  }
}

TEST(ClosedIk, OfTheFiveBarByPositionAlone) {
  const Model<double> model = instantiate<double>(load("five-bar"));
  const Assembled home = assemble_home(model);
  const IkTarget target{{Mat3<double>::identity(), {0.05, 0.22, 0.0}}, true};
  const ClosedIk result = closed_inverse_kinematics(model, model.frame_index("tool"), target, home, no_limits(model));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.freedom, 0);
  ASSERT_EQ(result.solutions.size(), 4u);
  for (const ClosedIkSolution& s : result.solutions) {
    for (int i = 0; i < 2; ++i) {
      const double foot = i == 0 ? 0.06 : -0.06, q = s.actuated[static_cast<std::size_t>(i)];
      EXPECT_NEAR(std::hypot(0.05 - foot - 0.16 * std::cos(q), 0.22 - 0.16 * std::sin(q)), 0.24, 1e-12);
      // to which side the elbow is bent: of crank and rod, the rod's angle against the crank
      const double rod = std::atan2(0.22 - 0.16 * std::sin(q), 0.05 - foot - 0.16 * std::cos(q)) - q;
      EXPECT_EQ(s.working_mode[static_cast<std::size_t>(i)], std::sin(rod) > 0.0 ? '+' : '-');
    }
  }
}

TEST(ClosedIk, OfAStewartPlatformGivesTheLengths) {
  const Model<double> model = instantiate<double>(load("stewart"));
  const Assembled home = assemble_home(model);
  const Mat3<double> R = rotation_from_rpy(0.1, -0.15, 0.2);
  const IkTarget target{{R, {0.05, -0.04, 0.62}}, false};
  const ClosedIk result = closed_inverse_kinematics(model, model.frame_index("center"), target, home, no_limits(model));
  ASSERT_GE(result.solutions.size(), 1u);
  const ClosedIkSolution& s = result.solutions[0];
  EXPECT_LE(s.position_error + s.rotation_error, 1e-9);
  for (int leg = 0; leg < 6; ++leg) {
    const double base = (120.0 * ((leg + 1) / 2) + (leg % 2 == 0 ? 15.0 : -15.0)) * kDeg;
    const double top = (120.0 * (leg / 2) + 60.0 + (leg % 2 == 0 ? -15.0 : 15.0)) * kDeg;
    const Vec3<double> foot(0.5 * std::cos(base), 0.5 * std::sin(base), 0.0),
        head(0.3 * std::cos(top), 0.3 * std::sin(top), 0.0);
    EXPECT_NEAR(s.actuated[static_cast<std::size_t>(leg)], norm(target.pose.p + R * head - foot), 1e-10) << leg;
  }
}

TEST(ClosedIk, OfTheDeltaBringsItBack) {
  const Model<double> model = instantiate<double>(load("delta"));
  const std::vector<double> cranks{10 * kDeg, 35 * kDeg, 25 * kDeg};
  const Assembled there = assemble_at(model, cranks);
  const IkTarget target{pose(model, there.q, "center"), false};
  const ClosedIk result =
      closed_inverse_kinematics(model, model.frame_index("center"), target, assemble_home(model), no_limits(model));
  ASSERT_GE(result.solutions.size(), 1u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(result.solutions[0].actuated[k], cranks[k], 1e-9);
  EXPECT_EQ(result.solutions.size(), 8u);  // each crank in or out
}

TEST(ClosedIk, SaysWhichLegIsTooShort) {
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  const IkTarget target{{rotation_about_z(0.0), {1.5, 0.0, 0.0}}, false};
  const ClosedIk result =
      closed_inverse_kinematics(model, model.frame_index("platform"), target, assemble_home(model), no_limits(model));
  EXPECT_TRUE(result.solutions.empty());
  ASSERT_FALSE(result.too_far.empty());
  EXPECT_NEAR(result.too_far[0].distance, 1.5, 1e-12);  // from the first crank's axis to its corner
  EXPECT_NEAR(result.too_far[0].reach, 1.0, 1e-12);
  EXPECT_GT(result.nearest.position_error, 0.1);
}

// The coupler has one freedom: six digits of its pose are not quite on its way.
TEST(ClosedIk, TakesAPoseThatWasRounded) {
  const Model<double> model = instantiate<double>(load("four-bar"));
  const Assembled home = assemble_home(model);
  const int frame = model.frame_index("coupler");
  Workspace<double> work(model);
  std::vector<double> q = home.q;
  q[0] += 0.3;
  const Assembled there = assemble_from(model, work, q, actuated_velocities(model));
  const Transform<double> X = pose(model, there.q, "coupler");
  const auto ik = [&](double digits) {
    IkTarget target{X, false};
    for (int k = 0; k < 3; ++k) target.pose.p[k] = std::round(target.pose.p[k] * digits) / digits;
    return closed_inverse_kinematics(model, frame, target, there, no_limits(model));
  };
  const ClosedIk typed = ik(1e6);
  ASSERT_EQ(typed.solutions.size(), 1u);
  EXPECT_TRUE(typed.rounded);
  EXPECT_GT(typed.solutions[0].position_error, 1e-9);  // and says so
  EXPECT_LE(typed.solutions[0].position_error, 1e-6);
  EXPECT_NEAR(typed.solutions[0].actuated[0], there.q[0], 1e-5);
  const ClosedIk rough = ik(1e3);
  EXPECT_TRUE(rough.solutions.empty());
  EXPECT_FALSE(rough.rounded);
}

TEST(ClosedIk, LeavesFreedomOverWhereThePositionAloneCounts) {
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  const IkTarget target{{Mat3<double>::identity(), {0.45, 0.6, 0.0}}, true};
  const ClosedIk result =
      closed_inverse_kinematics(model, model.frame_index("platform"), target, assemble_home(model), no_limits(model));
  EXPECT_EQ(result.freedom, 1);
  ASSERT_EQ(result.solutions.size(), 1u);
  EXPECT_LE(result.solutions[0].position_error, 1e-9);
}

TEST(ClosedIk, FollowsThroughFullStretch) {
  // poses of Helmy's manoeuvre, given back as a Cartesian path: leg 3 must change its working mode at t ≈ 1.856 s
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Workspace<double> work(model);
  Assembled here = assemble_home(model);
  std::vector<PathSample> path;
  std::vector<std::vector<double>> driven;
  for (int k = 0; k <= 150; ++k) {
    const double s = k / 150.0, part = s - std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi);
    driven.push_back({(90 + 30 * part) * kDeg, (60 + 60 * part) * kDeg, (120 - 120 * part) * kDeg});
    here = continue_to(model, work, here, driven.back());
    path.push_back({0.02 * k, pose(model, here.q, "platform"), {}, {}});
  }
  difference_poses(path);
  const ClosedIkPath back =
      follow_closed(model, model.frame_index("platform"), path, false, assemble_home(model), no_limits(model));
  ASSERT_EQ(back.samples.size(), path.size());
  for (std::size_t k = 0; k < path.size(); ++k) {
    ASSERT_TRUE(back.samples[k].reached) << k;
    // beside the stretch the two solutions differ by the root of rounding
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back.samples[k].solution.actuated[j], driven[k][j], 1e-7) << k;
  }
  ASSERT_EQ(back.switches.size(), 1u);
  EXPECT_NEAR(back.switches[0].t, /* oracle: helmy.py helmy.positions.stretch[1] */ 1.856, 2e-3);
  EXPECT_EQ(back.legs[static_cast<std::size_t>(back.switches[0].leg)].joints.front(), "crank3");
  // rates: where the joints are fastest, 2Δ/T in the middle
  const ClosedIkSample& middle = back.samples[75];
  ASSERT_EQ(middle.rates.size(), 3u);
  EXPECT_NEAR(middle.rates[0] / kDeg, 20.0, 0.05);  // of three-point differences
  EXPECT_NEAR(middle.rates[2] / kDeg, -80.0, 0.2);
}

TEST(ClosedIk, RefusesAFrameThatStandsStill) {
  const Model<double> model = instantiate<double>(load("five-bar"));
  EXPECT_THROW(closed_inverse_kinematics(model, 0, {}, assemble_home(model), no_limits(model)), Error);
}

}  // namespace closed_ik_test
}  // namespace lw
