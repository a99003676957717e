// Assembly modes: closed forms against numbers of the theses and formulas written here, the search against the closed
// forms.
#include "dynamics/assembly/modes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/error.hpp"
#include "base/linear.hpp"
#include "base/random.hpp"
#include "dynamics/assembly/feasibility.hpp"
#include "dynamics/assembly/link_comparison.hpp"
#include "dynamics/assembly/mode_identity.hpp"
#include "dynamics/assembly/mode_path.hpp"
#include "dynamics/assembly/mode_search.hpp"
#include "dynamics/assembly/planar_platform.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace modes_test {

constexpr double kDeg = std::numbers::pi / 180.0;

// Sign changes of the Sturm sequence: distinct real roots, without finding any. In long double, since remainders lose
// digits.
int real_roots(std::vector<long double> p) {
  const auto trim = [](std::vector<long double>& x) {
    long double largest = 0;
    for (const long double c : x) largest = std::max(largest, std::abs(c));
    while (!x.empty() && std::abs(x.back()) <= 1e-14L * largest) x.pop_back();
    for (long double& c : x) c /= largest;
  };
  trim(p);
  std::vector<long double> d;
  for (std::size_t k = 1; k < p.size(); ++k) d.push_back(static_cast<long double>(k) * p[k]);
  trim(d);
  std::vector<std::vector<long double>> chain{p, d};
  while (chain.back().size() > 1) {
    std::vector<long double> r = chain[chain.size() - 2];
    const std::vector<long double>& by = chain.back();
    while (r.size() >= by.size()) {
      const long double f = r.back() / by.back();
      const std::size_t shift = r.size() - by.size();
      for (std::size_t k = 0; k < by.size(); ++k) r[k + shift] -= f * by[k];
      r.pop_back();
    }
    for (long double& c : r) c = -c;
    if (r.empty()) break;
    const long double before = std::abs(
        *std::max_element(r.begin(), r.end(), [](long double a, long double b) { return std::abs(a) < std::abs(b); }));
    if (before < 1e-16L) break;
    trim(r);
    chain.push_back(r);
  }
  int low = 0, high = 0;
  for (std::size_t k = 1; k < chain.size(); ++k) {
    const auto sign = [](const std::vector<long double>& x, bool minus) {
      const bool odd = x.size() % 2 == 0;
      return (x.back() > 0) == !(minus && odd);
    };
    low += sign(chain[k], true) != sign(chain[k - 1], true);
    high += sign(chain[k], false) != sign(chain[k - 1], false);
  }
  return low - high;
}

PlanarPlatform helmy_platform(double q1, double q2, double q3) {
  const double h = std::sqrt(3.0) / 2;
  const PlanePoint base[] = {{0, 0}, {1, 0}, {0.5, h}};
  const double q[] = {q1, q2 + 120 * kDeg, q3 + 240 * kDeg};
  PlanarPlatform p;
  for (std::size_t k = 0; k < 3; ++k) p.fixed[k] = base[k] + 0.4 * std::polar(1.0, q[k]);
  p.moving = {PlanePoint(0, 0), PlanePoint(0.4, 0), PlanePoint(0.2, 0.4 * h)};
  p.rod = {0.6, 0.6, 0.6};
  return p;
}

TEST(PlanarPlatform, HasTheSexticAndTheSixModesOfHelmysManipulator) {
  // monic, ascending, at q = (90, 60, 120)°
  const std::array<double, 7> c = platform_polynomial(helmy_platform(90 * kDeg, 60 * kDeg, 120 * kDeg));
  // oracle: helmy.py helmy.modes.sextic
  const double published[] = {-0.084650, -0.306968, -0.592838, 0.184707, 1.729306, 3.095334, 1};
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(c[k] / c[6], published[k], 6e-7) << k;
  // at q = (0, 0, 90)°: O7 and φ
  struct Mode {
    double x, y, angle;
  };
  // oracle: helmy.py helmy.modes.six
  const Mode modes[] = {{0.597582, 0.566534, -164.92806}, {0.957469, 0.221875, -44.45867},
                        {-0.092874, 0.342162, -32.99539}, {0.900924, -0.330265, 37.80963},
                        {0.515245, 0.588828, 61.18974},   {0.691929, 0.524192, 140.98087}};
  const PlatformPoses found = platform_poses(helmy_platform(0, 0, 90 * kDeg));
  ASSERT_EQ(found.poses.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(found.poses[k].p.real(), modes[k].x, 6e-7);
    EXPECT_NEAR(found.poses[k].p.imag(), modes[k].y, 6e-7);
    EXPECT_NEAR(found.poses[k].angle / kDeg, modes[k].angle, 6e-6);
  }
}

TEST(PlanarPlatform, FindsAsManyAsSturmCounts) {
  Random random(3);
  int tally[7] = {};
  for (int trial = 0; trial < 400; ++trial) {
    // any triangles, any rods
    PlanarPlatform p;
    for (std::size_t k = 0; k < 3; ++k) {
      p.fixed[k] = {random.between(-1, 1), random.between(-1, 1)};
      p.moving[k] = {random.between(-0.7, 0.7), random.between(-0.7, 0.7)};
      p.rod[k] = random.between(0.3, 1.3);
    }
    const PlatformPoses found = platform_poses(p);
    const std::array<double, 7> c = platform_polynomial(p);
    const int wanted = real_roots({c.begin(), c.end()});
    EXPECT_EQ(static_cast<int>(found.poses.size()), wanted) << trial;
    ++tally[std::min<std::size_t>(found.poses.size(), 6)];
    for (const PlanarPose& pose : found.poses) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(std::abs(pose.p + p.moving[k] * std::polar(1.0, pose.angle) - p.fixed[k]), p.rod[k], 1e-12);
      }
    }
  }
  for (const int n : {0, 2, 4, 6}) EXPECT_GT(tally[n], 0) << n;
}

TEST(PlanarPlatform, WhereTheTwoLinesCoincide) {
  // moving points on a line, fixed points on a line, unturned on each other's line: D = 0 and the two mirror images
  // have one angle
  PlanarPlatform p;
  p.fixed = {PlanePoint(0, 0), PlanePoint(1, 0), PlanePoint(2.5, 0)};
  p.moving = {PlanePoint(0, 0), PlanePoint(0.6, 0), PlanePoint(1.3, 0)};
  const PlanePoint at(0.4, 0.7);
  for (std::size_t k = 0; k < 3; ++k) p.rod[k] = std::abs(at + p.moving[k] - p.fixed[k]);
  const PlatformPoses found = platform_poses(p);
  int flat = 0;
  for (const PlanarPose& pose : found.poses) {
    if (std::abs(pose.angle) > 1e-6) continue;
    ++flat;
    EXPECT_NEAR(pose.p.real(), 0.4, 1e-9);
    EXPECT_NEAR(std::abs(pose.p.imag()), 0.7, 1e-9);
  }
  EXPECT_EQ(flat, 2);
}

TEST(PlanarPlatform, KnowsAPlatformThatMovesByItself) {
  // parallel cranks: equal triangles, equal rods. Unturned it moves along a circle; and turned about the centre of the
  // triangle's circle, of radius ρ, all corners move by 2ρ sin(φ/2) = r: two places of their own where r < 2ρ
  PlanarPlatform p;
  p.fixed = {PlanePoint(0, 0), PlanePoint(1, 0.1), PlanePoint(0.4, 0.9)};
  const double a = std::abs(p.fixed[1] - p.fixed[0]), b = std::abs(p.fixed[2] - p.fixed[1]),
               c = std::abs(p.fixed[0] - p.fixed[2]);
  const double area = 0.5 * std::abs((std::conj(p.fixed[1] - p.fixed[0]) * (p.fixed[2] - p.fixed[0])).imag()),
               radius = a * b * c / (4 * area);
  for (const double turn : {0.0, 0.8, -2.5}) {
    for (std::size_t k = 0; k < 3; ++k) p.moving[k] = p.fixed[k] * std::polar(1.0, -turn);
    p.rod = {0.5, 0.5, 0.5};
    PlatformPoses found = platform_poses(p);
    EXPECT_TRUE(found.infinite);
    ASSERT_EQ(found.poses.size(), 2u);
    for (const PlanarPose& pose : found.poses) {
      EXPECT_NEAR(std::abs(std::remainder(pose.angle - turn, 2 * std::numbers::pi)), 2 * std::asin(0.5 / (2 * radius)),
                  1e-9);
    }
    p.rod = {2.5, 2.5, 2.5};
    found = platform_poses(p);
    EXPECT_TRUE(found.infinite);
    EXPECT_TRUE(found.poses.empty());
    p.rod = {0.5, 0.5, 0.51};
    EXPECT_FALSE(platform_poses(p).infinite);
  }
}

// Every way in which the links can stand with these coordinates held: Newton from anywhere, told apart by all rotations
// and places. Neither closed forms nor what the search under test takes for equal.
std::vector<std::vector<double>> stands(const Model<double>& model, const std::vector<double>& q,
                                        const std::vector<int>& held) {
  Workspace<double> work(model);
  Random random(12);
  std::vector<std::vector<double>> found;
  for (int start = 0; start < 300; ++start) {
    std::vector<double> guess = q;
    for (const Body<double>& body : model.bodies) {
      if (std::find(held.begin(), held.end(), body.v) == held.end())
        guess[static_cast<std::size_t>(body.q)] = random.between(-3.2, 3.2);
    }
    const Assembled a = assemble_from(model, work, guess, held);
    if (a.residual > 1e-12) continue;
    forward_kinematics<double>(model, work, a.q);
    std::vector<double> stand;
    for (const Transform<double>& X : work.X_W) {
      for (int i = 0; i < 3; ++i) {
        stand.push_back(X.p[i]);
        for (int j = 0; j < 3; ++j) stand.push_back(X.R(i, j));
      }
    }
    const bool known = std::any_of(found.begin(), found.end(), [&](const std::vector<double>& other) {
      double apart = 0.0;
      for (std::size_t k = 0; k < stand.size(); ++k) apart = std::max(apart, std::abs(stand[k] - other[k]));
      return apart < 1e-6;
    });
    if (!known) found.push_back(stand);
  }
  return found;
}

std::vector<std::array<double, 6>> poses_of(const AssemblyModes& all) {
  std::vector<std::array<double, 6>> poses;
  for (const AssemblyMode& m : all.modes) poses.push_back(m.pose);
  return poses;
}

TEST(Modes, OfThePlanarPlatformFromItsMechanism) {
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  const AssemblyModes all = assembly_modes(model, std::vector<double>{0, 0, 90 * kDeg}, model.frame_index("platform"));
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.modes.size(), 6u);
  const double x[] = {-0.092874, 0.515245, 0.597582, 0.691929, 0.900924, 0.957469};
  const double yaw[] = {-32.99539, 61.18974, -164.92806, 140.98087, 37.80963, -44.45867};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(all.modes[k].pose[0], x[k], 6e-7);
    EXPECT_NEAR(all.modes[k].pose[5] / kDeg, yaw[k], 6e-6);
    EXPECT_LE(all.modes[k].at.residual, 1e-12);
  }
}

TEST(Modes, OfOneSignAreAsManyAsOfTheOther) {
  // from configurations to crank angles is a map of compact manifolds that misses some angles: its degree, the sum of
  // the signs, is zero
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Random random(6);
  int modes = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const std::vector<double> q{random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)};
    int sum = 0;
    for (const AssemblyMode& m : assembly_modes(model, q, 0).modes) {
      sum += m.signs == "+" ? 1 : -1;
      ++modes;
    }
    EXPECT_EQ(sum, 0) << trial;
  }
  EXPECT_GT(modes, 30);
}

// A 3-RRR with unlike legs and a scalene platform, its plane askew, its loops cut elsewhere, nothing named like a leg.
const char* const kOdd = R"(linkwright: 1
name: odd
links:
  - {name: stand, parent: base, joint: {type: fixed, origin: {xyz: [0.2, -0.1, 0.3], rpy: [30 deg, -20 deg, 50 deg]}}}
  - {name: u, parent: stand, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: v, parent: stand, joint: {type: revolute, actuated: true, origin: {xyz: [1.1, 0.1, 0.05]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: w, parent: stand, joint: {type: revolute, axis: -z, actuated: true, origin: {xyz: [0.4, 0.9, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: p, parent: u, joint: {type: revolute, origin: {xyz: [0.35, 0.1, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: plate, parent: p, joint: {type: revolute, origin: {xyz: [0.5, -0.1, 0.02]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: s, parent: plate, joint: {type: revolute, origin: {xyz: [0.45, 0.05, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: t, parent: plate, joint: {type: revolute, axis: -z, origin: {xyz: [0.1, 0.3, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: at_v, joint: {type: revolute}, between: [s, v], at: {s: {xyz: [0.55, 0, 0.03]}, v: {xyz: [0.4, 0, 0]}}}
  - {name: at_w, joint: {type: revolute, axis: -z}, between: [w, t], at: {w: {xyz: [0.3, 0.15, 0.02]}, t: {xyz: [0, 0.6, 0]}}}
)";

TEST(Modes, RecognisesAPlatformByItsGeometry) {
  const ReadResult r = read_text(kOdd, "odd.yaml");
  ASSERT_TRUE(r.mechanism);
  Model<double> model = instantiate<double>(*r.mechanism);
  Workspace<double> work(model);
  model.home = mobility(model).q;  // the file gives none
  Random random(8);
  int most = 0;
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<double> q = model.home;
    for (std::size_t k = 0; k < 3; ++k) q[k] = random.between(-3, 3);
    const std::vector<int> held = actuated_velocities(model);
    const Assemblies closed = all_assemblies(model, work, q, held);
    EXPECT_TRUE(closed.complete);
    // the same by search: it finds no other, and each of these
    const SearchResult searched = search_modes(model, work, q, held);
    for (const std::vector<double>& s : searched.found) {
      EXPECT_TRUE(std::any_of(closed.found.begin(), closed.found.end(),
                              [&](const Assembled& c) { return same_assembly(model, work, c.q, s, 1e-6); }));
    }
    EXPECT_EQ(searched.found.size(), closed.found.size()) << trial;
    for (const Assembled& c : closed.found) EXPECT_LE(c.residual, 1e-12);
    most = std::max(most, static_cast<int>(closed.found.size()));
  }
  EXPECT_GE(most, 4);
}

TEST(Modes, OfTheFourBarAreTwo) {
  const Model<double> model = instantiate<double>(load("four-bar"));
  const double q = 100 * kDeg, x = 0.12 * std::cos(q), z = 0.12 * std::sin(q), s = std::hypot(0.4 - x, z);
  const AssemblyModes all = assembly_modes(model, std::vector<double>{q}, model.frame_index("rocker"));
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.modes.size(), 2u);
  std::vector<double> rocker{all.modes[0].at.q[2], all.modes[1].at.q[2]};
  std::sort(rocker.begin(), rocker.end());
  // the rocker's end from its pivot: towards the crank's end, turned either way by the cosine rule
  const double towards = std::atan2(z, x - 0.4), turn = std::acos((0.28 * 0.28 + s * s - 0.36 * 0.36) / (2 * 0.28 * s));
  std::vector<double> expected;
  for (const double sign : {-1.0, 1.0})
    expected.push_back(std::remainder(towards + sign * turn - rocker[sign < 0 ? 0 : 1], 2 * std::numbers::pi));
  EXPECT_NEAR(std::abs(expected[0]) + std::abs(expected[1]), 0.0, 1e-12);
  EXPECT_NE(all.modes[0].signs, all.modes[1].signs);
  EXPECT_EQ(all.modes[0].from_home + all.modes[1].from_home, 1);
  EXPECT_EQ(all.modes[all.modes[0].from_home ? 0 : 1].signs, "+");
}

TEST(Modes, OfTheSliderCrankAreTheTwoSidesOfTheLine) {
  const Model<double> model = instantiate<double>(load("slider-crank"), {{"offset", 0.02}});
  const double q = 130 * kDeg;
  const AssemblyModes all = assembly_modes(model, std::vector<double>{q}, model.frame_index("slider"));
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.modes.size(), 2u);
  const double rise = 0.05 * std::sin(q) - 0.02, half = std::sqrt(0.175 * 0.175 - rise * rise);
  EXPECT_NEAR(all.modes[0].pose[0], 0.05 * std::cos(q) - half, 1e-13);
  EXPECT_NEAR(all.modes[1].pose[0], 0.05 * std::cos(q) + half, 1e-13);
  EXPECT_TRUE(all.modes[1].from_home);
}

TEST(Modes, OfTheFiveBarAreWhereTwoCirclesMeet) {
  const Model<double> model = instantiate<double>(load("five-bar"));
  const double q1 = 80 * kDeg, q2 = 140 * kDeg;
  const AssemblyModes all = assembly_modes(model, std::vector<double>{q1, q2}, model.frame_index("tool"));
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.modes.size(), 2u);
  for (const AssemblyMode& m : all.modes) {
    EXPECT_NEAR(std::hypot(m.pose[0] - 0.06 - 0.16 * std::cos(q1), m.pose[1] - 0.16 * std::sin(q1)), 0.24, 1e-13);
    EXPECT_NEAR(std::hypot(m.pose[0] + 0.06 - 0.16 * std::cos(q2), m.pose[1] - 0.16 * std::sin(q2)), 0.24, 1e-13);
  }
  EXPECT_NE(all.modes[0].signs, all.modes[1].signs);
}

TEST(Modes, OfTheExcavatorAreItsLoopsTwoByTwo) {
  const Model<double> model = instantiate<double>(load("excavator"));
  std::vector<double> actuated;
  for (const int k : actuated_coordinates(model)) actuated.push_back(model.home[static_cast<std::size_t>(k)]);
  const AssemblyModes all = assembly_modes(model, actuated, model.frame_index("bucket"));
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.modes.size(), 16u);  // four triangles, each of which can be turned over
  for (const AssemblyMode& m : all.modes) {
    EXPECT_LE(m.at.residual, 1e-11);
    EXPECT_EQ(m.signs.size(), 4u);  // the idler is placed by its cylinder before the link follows
    EXPECT_EQ(std::count_if(all.modes.begin(), all.modes.end(),
                            [&](const AssemblyMode& other) { return other.signs == m.signs; }),
              1)
        << m.signs;
  }
  const auto home = std::find_if(all.modes.begin(), all.modes.end(), [](const AssemblyMode& m) { return m.from_home; });
  ASSERT_NE(home, all.modes.end());
  EXPECT_EQ(home->signs, "++++");
  for (std::size_t k = 0; k < model.home.size(); ++k) EXPECT_NEAR(home->at.q[k], model.home[k], 1e-9);
}

TEST(Modes, ASlideBetweenTurningLinksIsADyadToo) {
  // quick-return: the crank's pin slides in the rocker, by a prismatic closing joint
  const ReadResult r = read_text(R"(linkwright: 1
name: quick-return
links:
  - {name: crank, parent: base, joint: {type: revolute, actuated: true, origin: {xyz: [0, 0.3, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: block, parent: crank, joint: {type: revolute, origin: {xyz: [0.1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: rocker, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: slot, joint: {type: prismatic, axis: x}, between: [rocker, block], at: {rocker: {}, block: {}}}
home: {crank: 0, block: 1.25, rocker: 1.25}
)",
                                 "quick.yaml");
  ASSERT_TRUE(r.mechanism);
  const Model<double> model = instantiate<double>(*r.mechanism);
  const double q = 0.7;
  const AssemblyModes all = assembly_modes(model, std::vector<double>{q}, model.frame_index("rocker"));
  EXPECT_TRUE(all.complete);
  // the rocker points at the pin or away from it: all joints are in the same places, and it is another mode
  ASSERT_EQ(all.modes.size(), 2u);
  EXPECT_EQ(stands(model, {q, 0.0, 0.0}, {0}).size(), 2u);
  const std::size_t home = all.modes[0].from_home ? 0 : 1;
  const double towards = std::atan2(0.3 + 0.1 * std::sin(q), 0.1 * std::cos(q));
  EXPECT_NEAR(all.modes[home].at.q[2], towards, 1e-12);
  EXPECT_NEAR(std::abs(std::remainder(all.modes[1 - home].at.q[2] - towards, 2 * std::numbers::pi)), std::numbers::pi,
              1e-12);
  EXPECT_TRUE(all.modes[home].from_home && !all.modes[1 - home].from_home);
  EXPECT_NE(all.modes[0].signs, all.modes[1].signs);
}

TEST(Modes, OfASphericalFourBarAreTwoWhereverItsFramesAre) {
  // axes 40°, 70°, 60° and 80° apart through one point: with all frames in that point no joint moves from its place
  const std::string text = R"(linkwright: 1
name: ball
parameters: {h: 0}
links:
  - {name: crank, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: crank, joint: {type: revolute, origin: {rpy: [40 deg, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: rocker, parent: base, joint: {type: revolute, origin: {rpy: [80 deg, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - name: pin
    joint: {type: revolute}
    between: [coupler, rocker]
    at: {coupler: {xyz: [0, -h*sin(70 deg), h*cos(70 deg)], rpy: [70 deg, 0, 0]}, rocker: {xyz: [0, -h*sin(60 deg), h*cos(60 deg)], rpy: [60 deg, 0, 0]}}
home: {crank: 1, coupler: -0.0774, rocker: 1.0464}
)";
  for (const double h : {0.0, 0.3}) {
    const ReadResult r = read_text(text, "ball.yaml");
    ASSERT_TRUE(r.mechanism);
    const Model<double> model = instantiate<double>(*r.mechanism, {{"h", h}});
    for (const double q : {1.0, 0.4, 1.7}) {
      const AssemblyModes all = assembly_modes(model, std::vector<double>{q}, model.frame_index("rocker"));
      EXPECT_EQ(all.modes.size(), 2u) << h << " " << q;
      EXPECT_EQ(stands(model, {q, 0.0, 0.0}, {0}).size(), 2u) << h << " " << q;
      // the angles of the spherical triangle: both have the pin as far from either axis as the links say
      for (const AssemblyMode& m : all.modes) EXPECT_LE(m.at.residual, 1e-12);
      EXPECT_NE(all.modes[0].signs, all.modes[1].signs);
    }
  }
}

TEST(Modes, DoNotCountTheTwoSetsOfAnglesOfAUniversalJoint) {
  // leg k turned about itself by the other set: the same mode, of the same sign and condition
  const Model<double> model = instantiate<double>(load("stewart"));
  Workspace<double> work(model);
  const std::vector<double> legs{0.70, 0.66, 0.71, 0.69, 0.65, 0.68};
  const AssemblyModes all = assembly_modes(model, legs, model.frame_index("center"));
  const ModeIdentity identity(model, work, assemble_home(model).q, actuated_velocities(model));
  Random random(9);
  int minus = 0;
  for (const AssemblyMode& mode : all.modes) {
    minus += mode.signs == "-";
    const ModeIdentity::Measure first = identity.at(work, mode.at.q);
    for (int trial = 0; trial < 4; ++trial) {
      std::vector<double> q = mode.at.q;
      for (const JointInfo& joint : model.joints) {
        if (joint.type != JointType::universal || random.between(0, 1) < 0.5) continue;
        const auto k = static_cast<std::size_t>(joint.q);
        q[k] += std::numbers::pi;
        q[k + 1] = std::numbers::pi - q[k + 1];
        if (joint.name != "leg1") continue;
        // what leg 1 carries in the tree must not turn with it: half a turn back about the leg, before the ball joint
        for (const JointInfo& ball : model.joints) {
          if (ball.type != JointType::spherical) continue;
          const auto b = static_cast<std::size_t>(ball.q);
          const double x = q[b], y = q[b + 1], z = q[b + 2], w = q[b + 3];
          q[b] = -y, q[b + 1] = x, q[b + 2] = w, q[b + 3] = -z;
        }
      }
      const ClosureState state = closure_state(model, work, q);
      for (const double r : state.residual) EXPECT_NEAR(r, 0.0, 1e-12);
      EXPECT_TRUE(same_assembly(model, work, mode.at.q, q, 1e-7));
      const ModeIdentity::Measure other = identity.at(work, q);
      EXPECT_EQ(other.signs, mode.signs);
      EXPECT_NEAR(other.condition, first.condition, 1e-9 * first.condition);
    }
  }
  EXPECT_EQ(2 * minus, static_cast<int>(all.modes.size()));  // mirrored in the base's plane, a mode has the other sign
}

TEST(Modes, WhereSomethingMovesByItself) {
  // five-bar with both elbows in one place: the rods turn about it together
  const Model<double> five = instantiate<double>(load("five-bar"));
  const double lean = std::acos(0.06 / 0.16);
  AssemblyModes all =
      assembly_modes(five, std::vector<double>{std::numbers::pi - lean, lean}, five.frame_index("tool"));
  EXPECT_TRUE(all.infinite);
  EXPECT_FALSE(all.complete);
  ASSERT_EQ(all.modes.size(), 1u);
  EXPECT_LE(all.modes[0].at.residual, 1e-12);
  EXPECT_NEAR(std::hypot(all.modes[0].pose[0], all.modes[0].pose[1] - 0.16 * std::sin(lean)), 0.24, 1e-12);
  // 3-RRR with its knees as far apart as the platform's corners: radius R of the base's triangle, r of the platform's,
  // |R e^{i·210°} + l₁ e^{iq}| = r
  const Model<double> three = instantiate<double>(load("planar-3rrr"));
  const double R = 1 / std::sqrt(3.0), r = 0.4 / std::sqrt(3.0);
  for (const double side : {-1.0, 1.0}) {
    const double q = 210 * kDeg + side * std::acos((r * r - R * R - 0.4 * 0.4) / (2 * R * 0.4));
    all = assembly_modes(three, std::vector<double>{q, q, q}, three.frame_index("platform"));
    EXPECT_TRUE(all.infinite);
    EXPECT_FALSE(all.complete);
    ASSERT_GE(all.modes.size(), 1u);
    for (const AssemblyMode& m : all.modes) EXPECT_LE(m.at.residual, 1e-11);
  }
  // and beside it, none of this
  EXPECT_FALSE(assembly_modes(five, std::vector<double>{std::numbers::pi - lean + 1e-3, lean}, 0).infinite);
}

TEST(Modes, OfSpatialLoopsAreSearchedAndCertified) {
  const Model<double> stewart = instantiate<double>(load("stewart"));
  const std::vector<double> legs{0.70, 0.66, 0.71, 0.69, 0.65, 0.68};
  const AssemblyModes all = assembly_modes(stewart, legs, stewart.frame_index("center"));
  EXPECT_FALSE(all.complete);
  EXPECT_GE(all.modes.size(), 2u);
  EXPECT_EQ(all.modes.size() % 2, 0u);  // the base plane mirrors each mode
  for (const AssemblyMode& m : all.modes) {
    EXPECT_LE(m.at.residual, 1e-10);
    EXPECT_EQ(std::count_if(all.modes.begin(), all.modes.end(),
                            [&](const AssemblyMode& other) { return std::abs(other.pose[2] + m.pose[2]) < 1e-7; }),
              1);
  }
  EXPECT_EQ(std::count_if(all.modes.begin(), all.modes.end(), [](const AssemblyMode& m) { return m.from_home; }), 1);
}

TEST(Modes, OfTheDeltaHaveThePlatformWhereThreeSpheresMeet) {
  const Model<double> model = instantiate<double>(load("delta"));
  const std::vector<double> cranks{10 * kDeg, 35 * kDeg, 25 * kDeg};
  const Assembled a = assemble_at(model, cranks);
  EXPECT_LE(a.residual, 1e-11);
  Workspace<double> work(model);
  const std::array<double, 6> pose = pose_at(model, work, a.q, model.frame_index("center"));
  for (int k = 3; k < 6; ++k) EXPECT_NEAR(pose[static_cast<std::size_t>(k)], 0.0, 1e-9);  // it only translates
  for (int leg = 0; leg < 3; ++leg) {
    const double angle = 120 * kDeg * leg, q = cranks[static_cast<std::size_t>(leg)],
                 out = 0.16 + 0.25 * std::cos(q) - 0.05;
    const double dx = pose[0] - out * std::cos(angle), dy = pose[1] - out * std::sin(angle),
                 dz = pose[2] + 0.25 * std::sin(q);
    EXPECT_NEAR(std::sqrt(dx * dx + dy * dy + dz * dz), 0.55, 1e-11);
  }
}

TEST(Identity, VolumeIsTheDeterminantOfTheThesis) {
  // Helmy's matrix A: rows [a4, 0, −a6, a7] and [0, a5, −a6, a8]; its determinant along the manoeuvre is 0.068828 …
  // 0.101866
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Workspace<double> work(model);
  const Assembled home = assemble_home(model);
  const ModeIdentity identity(model, work, home.q, actuated_velocities(model));
  ASSERT_EQ(identity.blocks().size(), 1u);
  double least = 1e9, most = 0.0;
  Assembled here = home;
  for (int k = 0; k <= 300; ++k) {
    const double s = k / 300.0, part = s - std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi);
    here =
        continue_to(model, work, here,
                    std::vector<double>{(90 + 30 * part) * kDeg, (60 + 60 * part) * kDeg, (120 - 120 * part) * kDeg});
    const ModeIdentity::Measure m = identity.at(work, here.q);
    EXPECT_EQ(m.signs, "+");
    least = std::min(least, m.volumes[0]);
    most = std::max(most, m.volumes[0]);
  }
  EXPECT_NEAR(least, /* oracle: helmy.py helmy.positions.determinant[0] */ 0.068828, 6e-7);
  EXPECT_NEAR(most, /* oracle: helmy.py helmy.positions.determinant[1] */ 0.101866, 6e-7);
}

TEST(Path, AnnouncesASingularityBeforeTheModeEnds) {
  // a rocker-rocker four-bar driven beyond its range: the two modes meet where coupler and rocker are stretched
  const Model<double> model =
      instantiate<double>(load("four-bar"), {{"l_coupler", 0.2}, {"l_rocker", 0.15}, {"q0", 30 * kDeg}});
  const double end = std::acos((0.4 * 0.4 + 0.12 * 0.12 - 0.35 * 0.35) / (2 * 0.4 * 0.12));
  std::vector<DrivenSample> path;
  for (int k = 0; k <= 100; ++k) path.push_back({0.01 * k, {30 * kDeg + 1.2 * k / 100.0}});
  const ClosedPath followed = follow_modes(model, path, model.frame_index("rocker"), assemble_home(model), 0.25);
  EXPECT_FALSE(followed.complete);
  ASSERT_GE(followed.events.size(), 2u);
  EXPECT_EQ(followed.events.front().kind, PathEvent::Kind::approach);
  EXPECT_EQ(followed.events.back().kind, PathEvent::Kind::mode_ends);
  EXPECT_NEAR(followed.events.back().actuated[0], end, 1e-6);
  const double ahead = followed.events.back().t - followed.events.front().t;
  EXPECT_GT(ahead, 0.03);
  EXPECT_LT(ahead, 0.3);
  // a path far from it says nothing
  const Model<double> crank = instantiate<double>(load("four-bar"));
  const ClosedPath calm = follow_modes(crank, {{0, {1.0}}, {1, {1.1}}, {2, {1.2}}}, crank.frame_index("rocker"),
                                       assemble_home(crank), 0.25);
  EXPECT_TRUE(calm.complete && calm.events.empty());
}

TEST(Path, FindsTheStretchOfLegThree) {
  // Helmy's table manoeuvre: leg 3 stretched at t ≈ 1.856 s, q3 ≈ 32.79°
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  std::vector<DrivenSample> path;
  for (int k = 0; k <= 300; k += 2) {
    const double s = k / 300.0, part = s - std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi);
    path.push_back({0.01 * k, {(90 + 30 * part) * kDeg, (60 + 60 * part) * kDeg, (120 - 120 * part) * kDeg}});
  }
  const ClosedPath followed = follow_modes(model, path, model.frame_index("platform"), assemble_home(model));
  EXPECT_TRUE(followed.complete);
  ASSERT_EQ(followed.legs.size(), 3u);
  ASSERT_EQ(followed.events.size(), 1u);
  EXPECT_EQ(followed.events[0].kind, PathEvent::Kind::stretch);
  EXPECT_NEAR(followed.events[0].t, /* oracle: helmy.py helmy.positions.stretch[1] */ 1.856, 1e-3);
  EXPECT_NEAR(followed.events[0].actuated[2] / kDeg, /* oracle: helmy.py helmy.positions.stretch[2] */ 32.79, 2e-2);
  EXPECT_NE(followed.events[0].what.find("crank3"), std::string::npos);
}

TEST(Path, FindsTheStretchOfEitherLegOfTheFiveBar) {
  // led so that one leg passes through full stretch at t = 0.5: crank at a, rod at b against it; and the same in the
  // mirror
  const Model<double> model = instantiate<double>(load("five-bar"));
  Workspace<double> work(model);
  using Complex = std::complex<double>;
  for (const bool mirrored : {false, true}) {
    std::vector<DrivenSample> path;
    Assembled start;
    for (int k = 0; k <= 100; ++k) {
      const double t = 0.01 * k, a = 2.0 + 0.2 * t, b = 0.4 - 0.8 * t;
      const Complex tool = 0.06 + 0.16 * std::polar(1.0, a) + 0.24 * std::polar(1.0, a + b);
      // the other leg, its elbow outward
      const Complex reach = tool + 0.06;
      const double d = std::abs(reach),
                   q2 = std::arg(reach) + std::acos((0.16 * 0.16 + d * d - 0.24 * 0.24) / (2 * 0.16 * d));
      const double rod2 = std::arg(tool + 0.06 - 0.16 * std::polar(1.0, q2)) - q2;
      if (mirrored) {
        path.push_back({t, {std::numbers::pi - q2, std::numbers::pi - a}});
      } else {
        path.push_back({t, {a, q2}});
      }
      if (k > 0) continue;
      const std::vector<double> guess =
          mirrored ? std::vector<double>{std::numbers::pi - q2, std::numbers::pi - a, -rod2, -b}
                   : std::vector<double>{a, q2, b, rod2};
      start = assemble_from(model, work, guess, actuated_velocities(model));
      ASSERT_TRUE(start.closed);
    }
    const ClosedPath followed = follow_modes(model, path, model.frame_index("tool"), start);
    EXPECT_TRUE(followed.complete);
    ASSERT_EQ(followed.events.size(), 1u);
    EXPECT_EQ(followed.events[0].kind, PathEvent::Kind::stretch);
    EXPECT_NEAR(followed.events[0].t, 0.5, 1e-3);  // straight lines between samples
    EXPECT_NE(followed.events[0].what.find(mirrored ? "leg 2 (crank2-rod2-" : "leg 1 (crank1-rod1)"), std::string::npos)
        << followed.events[0].what;
    EXPECT_LT(followed.samples[50].serial_distance, 1e-9);
    EXPECT_GT(followed.samples[0].serial_distance, 1e-3);
    // the leg's determinant is the area of its parallelogram, l₁ l₂ sin b
    for (const int k : {0, 30, 80}) {
      const double b = 0.4 - 0.008 * k;
      EXPECT_NEAR(followed.samples[static_cast<std::size_t>(k)].legs[mirrored ? 1 : 0],
                  (mirrored ? -1 : 1) * 0.16 * 0.24 * std::sin(b), 1e-12);
    }
  }
}

TEST(Feasibility, HelmysPrintedLengthsCannotBeAssembled) {
  const Model<double> model = instantiate<double>(load("planar-3rrr-helmy"));
  std::vector<double> q = model.home;
  q[0] = 90 * kDeg, q[1] = 60 * kDeg, q[2] = 120 * kDeg;
  const std::vector<OpenPolygon> open = open_polygons(model, q, actuated_velocities(model));
  ASSERT_EQ(open.size(), 3u);
  std::vector<double> distances;
  for (const OpenPolygon& p : open) {
    distances.push_back(p.distance);
    EXPECT_NEAR(p.reach, 0.565, 1e-12);
  }
  std::sort(distances.begin(), distances.end());
  EXPECT_NEAR(distances[0], /* oracle: helmy.py helmy.positions.impossible[0] */ 0.5685, 5e-5);
  EXPECT_NEAR(distances[1], /* oracle: helmy.py helmy.positions.impossible[1] */ 0.8429, 5e-5);
  EXPECT_NEAR(distances[2], /* oracle: helmy.py helmy.positions.impossible[2] */ 0.8772, 5e-5);
  // and where it can, there is no certificate
  EXPECT_TRUE(open_polygons(model, model.home, actuated_velocities(model)).empty());
}

}  // namespace modes_test
}  // namespace lw
