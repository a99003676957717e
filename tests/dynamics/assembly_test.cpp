// Position assembly: against closed forms written here, and what it says where there is nothing to assemble.
#include "dynamics/assembly/assembly.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "dynamics/assembly/soundness.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace assembly_test {

constexpr double kDeg = std::numbers::pi / 180.0;

Model<double> model_from(const std::string& text) {
  const ReadResult r = read_text(text, "test.yaml");
  EXPECT_TRUE(r.mechanism);
  return instantiate<double>(*r.mechanism);
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Assembly, FourBarByTheCosineRule) {
  const Model<double> model = instantiate<double>(load("four-bar"));
  for (int k = -20; k <= 20; ++k) {
    const double q = 60 * kDeg + 0.3 * k;  // nearly a turn either way: the mode must not change
    const Assembled a = assemble_at(model, std::vector<double>{q});
    EXPECT_TRUE(a.closed);
    EXPECT_LE(a.residual, 1e-13);
    // frame 0.4, crank 0.12, coupler 0.36, rocker 0.28, the coupler above
    const double x = 0.12 * std::cos(q), z = 0.12 * std::sin(q), s = std::hypot(0.4 - x, z);
    const double coupler = std::atan2(-z, 0.4 - x) + std::acos((0.36 * 0.36 + s * s - 0.28 * 0.28) / (2 * 0.36 * s));
    EXPECT_NEAR(std::remainder(a.q[0] + a.q[1] - coupler, 2 * std::numbers::pi), 0.0, 1e-12) << q;
    EXPECT_EQ(a.q[0], q);
  }
}

TEST(Assembly, NewtonConvergesQuadratically) {
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Workspace<double> work(model);
  const std::vector<int> held = actuated_velocities(model);
  EXPECT_EQ(held, (std::vector<int>{0, 1, 2}));
  std::vector<double> guess = model.home;
  for (std::size_t k = 3; k < guess.size(); ++k) guess[k] += 0.05;
  const Assembled a = assemble_from(model, work, guess, held);
  EXPECT_TRUE(a.closed);
  EXPECT_LE(a.iterations, 6);
  for (std::size_t k = 0; k < guess.size(); ++k) EXPECT_NEAR(a.q[k], model.home[k], 1e-12);
}

TEST(Assembly, ConditionIsThatOfTheFreeColumns) {
  // of the four-bar: 2 × 2 in the plane, by the formula for such matrices
  const Model<double> model = instantiate<double>(load("four-bar"));
  Workspace<double> work(model);
  const Assembled a = assemble_from(model, work, model.home, {0});
  const ClosureState state = closure_state(model, work, a.q);
  double square = 0.0, coupler = 0.0, rocker = 0.0, both = 0.0;
  const std::size_t m = state.residual.size();
  for (std::size_t i = 0; i < m; ++i) {
    const double c = state.jacobian[m + i], r = state.jacobian[2 * m + i];
    coupler += c * c, rocker += r * r, both += c * r;
  }
  square = coupler + rocker;
  const double determinant = coupler * rocker - both * both;
  const double root = std::sqrt(square * square - 4 * determinant);
  EXPECT_NEAR(a.condition, std::sqrt((square + root) / (square - root)), 1e-9);
}

TEST(Assembly, OfAStewartPlatformHasTheLegsItWasGiven) {
  const Model<double> model = instantiate<double>(load("stewart"));
  const Assembled home = assemble_home(model);
  std::vector<double> legs;
  for (const int k : actuated_coordinates(model)) legs.push_back(home.q[static_cast<std::size_t>(k)]);
  ASSERT_EQ(legs.size(), 6u);
  const std::vector<double> change{0.05, -0.03, 0.08, 0.02, -0.06, 0.04};
  for (std::size_t k = 0; k < 6; ++k) legs[k] += change[k];
  const Assembled a = assemble_at(model, legs);
  EXPECT_LE(a.residual, 1e-12);
  // the platform's joints by its pose alone, the base's by the file: their distances are the legs
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, a.q);
  const Transform<double> X = frame_pose(model, work, model.frame_index("center"));
  for (int leg = 0; leg < 6; ++leg) {
    const double around = 120.0 * ((leg + 1) / 2), side = leg % 2 == 0 ? 15.0 : -15.0;
    const double base = (around + side) * kDeg, top = (120.0 * (leg / 2) + 60.0 + (leg % 2 == 0 ? -15.0 : 15.0)) * kDeg;
    const Vec3<double> foot(0.5 * std::cos(base), 0.5 * std::sin(base), 0.0),
        head(0.3 * std::cos(top), 0.3 * std::sin(top), 0.0);
    EXPECT_NEAR(norm(X.p + X.R * head - foot), legs[static_cast<std::size_t>(leg)], 1e-11) << leg;
  }
}

TEST(Assembly, KeepsTheModeOfHomeAlongTheLine) {
  // the end of Helmy's manoeuvre, not the −46.98° in ψ that a cold start finds; oracle: helmy.py end
  const std::array<double, 3> end{0.452313, 0.117013, -106.90329};  // centroid (m) and angle (deg)
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  const Assembled a = assemble_at(model, std::vector<double>{120 * kDeg, 120 * kDeg, 0});
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, a.q);
  const Transform<double> X = frame_pose(model, work, model.frame_index("platform"));
  EXPECT_NEAR(std::atan2(X.R(1, 0), X.R(0, 0)) / kDeg, end[2], 1e-5);
  const Vec3<double> centroid = X.p + X.R * Vec3<double>(0.2, 0.4 / (2 * std::sqrt(3.0)), 0);
  EXPECT_NEAR(centroid[0], end[0], 1e-6);
  EXPECT_NEAR(centroid[1], end[1], 1e-6);
}

TEST(Assembly, NamesTheLoopThatCannotCloseAndByHowMuch) {
  const Model<double> helmy = instantiate<double>(load("planar-3rrr-helmy"));
  const std::string text = message([&] { assemble_at(helmy, std::vector<double>{90 * kDeg, 60 * kDeg, 120 * kDeg}); });
  EXPECT_TRUE(says(text, "cannot be assembled there")) << text;
  EXPECT_TRUE(says(text, "they reach 0.565 m")) << text;
  // the coupler lengthened until the crank cannot turn fully: beyond its range the polygon is open
  const Model<double> bar =
      instantiate<double>(load("four-bar"), {{"l_coupler", 0.2}, {"l_rocker", 0.15}, {"q0", 30 * kDeg}});
  const std::string open = message([&] { assemble_at(bar, std::vector<double>{180 * kDeg}); });
  EXPECT_TRUE(says(open, "cannot be assembled there") && says(open, "0.52 m") && says(open, "they reach 0.35 m") &&
              says(open, "0.17 m are missing"))
      << open;
}

TEST(Assembly, DoesNotSkipWhatLiesBetweenByWholeTurns) {
  // a crank that cannot pass 180°, where 0.52 m would have to be bridged by 0.35 m: a turn further on it stands as it
  // did, but no way leads there
  const Model<double> bar =
      instantiate<double>(load("four-bar"), {{"l_coupler", 0.2}, {"l_rocker", 0.15}, {"q0", 30 * kDeg}});
  for (const double q : {385.0, 390.0, 395.0, -330.0, 750.0}) {
    const std::string text = message([&] { assemble_at(bar, std::vector<double>{q * kDeg}); });
    EXPECT_TRUE(says(text, "its mode ends in a singularity") && says(text, "it can be assembled there") &&
                says(text, "this one does not lead to it"))
        << q << " " << text;
  }
  // the singularity is where coupler and rocker are in line
  const double end = std::acos((0.4 * 0.4 + 0.12 * 0.12 - 0.35 * 0.35) / (2 * 0.4 * 0.12)) / kDeg;
  EXPECT_EQ(message([&] { assemble_at(bar, std::vector<double>{(end - 0.01) * kDeg}); }), "");
  EXPECT_NE(message([&] { assemble_at(bar, std::vector<double>{(end + 0.01) * kDeg}); }), "");
}

TEST(Assembly, FollowsTurnAfterTurn) {
  // a crank that turns fully: the coupler swings back, so that against the crank it has turned as often the other way
  const Model<double> model = instantiate<double>(load("four-bar"));
  const Assembled home = assemble_home(model);
  for (const int turns : {1, -3, 40, 290}) {
    const double whole = 2 * std::numbers::pi * turns;
    const Assembled a = assemble_at(model, std::vector<double>{home.q[0] + whole});
    EXPECT_NEAR(a.q[1], home.q[1] - whole, 1e-10) << turns;
    EXPECT_NEAR(a.q[2], home.q[2], 1e-10) << turns;
  }
}

const char* const kPushedCrank = R"(linkwright: 1
name: pushed
links:
  - {name: slider, parent: base, joint: {type: prismatic, axis: x, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: crank, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: rod, parent: crank, joint: {type: revolute, axis: z, origin: {xyz: [0.05, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: pin, joint: {type: revolute, axis: z}, between: [rod, slider], at: {rod: {xyz: [0.175, 0, 0]}, slider: {}}}
home: {slider: 0.2, crank: 60 deg, rod: -75 deg}
)";

TEST(Assembly, RefusesWaysThatHaveNoEnd) {
  const Model<double> model = instantiate<double>(load("four-bar"));
  for (const double q : {1e4, 1e6, -1e30}) {
    const std::string text = message([&] { assemble_at(model, std::vector<double>{q}); });
    EXPECT_TRUE(says(text, "`crank` of `four-bar` is") &&
                says(text, "turns from where it starts: a way of more than 300"))
        << q << " " << text;
  }
  const Model<double> pushed = model_from(kPushedCrank);
  for (const double q : {0.3, 1e4, -1e12}) {
    const std::string text = message([&] { assemble_at(pushed, std::vector<double>{q}); });
    EXPECT_TRUE(says(text, "cannot be assembled there: from joint")) << q << " " << text;
  }
}

TEST(Assembly, KnowsATargetInWhichModesMeet) {
  // the slider as far out as crank and rod reach: there is no other mode there, both are this one
  const Model<double> pushed = model_from(kPushedCrank);
  EXPECT_EQ(message([&] { assemble_at(pushed, std::vector<double>{0.2249}); }), "");
  const std::string text = message([&] { assemble_at(pushed, std::vector<double>{0.225}); });
  EXPECT_TRUE(says(text, "in a singular pose only") && says(text, "modes meet")) << text;
}

TEST(Assembly, SaysWhereHomeIsNoNumber) {
  const Model<double> bar = instantiate<double>(load("four-bar"), {{"l_coupler", 0.2}, {"l_rocker", 0.15}});
  EXPECT_TRUE(says(message([&] { assemble_home(bar); }), "the home of `coupler` is no number"));
}

TEST(Assembly, SaysWhereAModeEndsThoughAnotherGoesOn) {
  // planar-3rrr at random: some poses can be assembled but not in the mode of home along the line
  const Model<double> model = instantiate<double>(load("planar-3rrr"));
  Random random(5);
  int ended = 0, open = 0, reached = 0;
  for (int k = 0; k < 40; ++k) {
    const std::vector<double> q{random.between(0, 6.28), random.between(0, 6.28), random.between(0, 6.28)};
    const std::string text = message([&] { EXPECT_LE(assemble_at(model, q).residual, 1e-11); });
    if (text.empty()) {
      ++reached;
    } else if (says(text, "its mode ends")) {
      ++ended;
    } else {
      EXPECT_TRUE(says(text, "cannot be assembled there")) << text;
      ++open;
    }
  }
  EXPECT_GT(ended, 0);
  EXPECT_GT(open, 0);
  EXPECT_GT(reached, 0);
}

const char* const kBars = R"(linkwright: 1
name: bars
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: LEFT}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, actuated: RIGHT, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops:
  - {name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)";

std::string bars(const std::string& left, const std::string& right, const std::string& more = "") {
  std::string text = kBars + more;
  text.replace(text.find("LEFT"), 4, left);
  text.replace(text.find("RIGHT"), 5, right);
  return text;
}

TEST(Assembly, RefusesWhatIsNotDetermined) {
  const Model<double> loose = model_from(bars("false", "false"));
  const std::string text = message([&] { assemble_at(loose, std::vector<double>{}); });
  EXPECT_TRUE(says(text, "do not determine its motion") && says(text, "1 freedom") && says(text, "`coupler`") &&
              says(text, "mark 1 more"))
      << text;
}

TEST(Assembly, MoreActuatedJointsThanFreedomsMustFitTogether) {
  const Model<double> both = model_from(bars("true", "true"));
  const Model<double> one = model_from(bars("true", "false"));
  const double left = 70 * kDeg;
  const Assembled led = assemble_at(one, std::vector<double>{left});
  const Assembled same = assemble_at(both, std::vector<double>{left, led.q[2]});
  EXPECT_LE(same.residual, 1e-12);
  EXPECT_NEAR(same.q[1], led.q[1], 1e-12);
  const std::string text = message([&] { assemble_at(both, std::vector<double>{left, led.q[2] + 0.1}); });
  EXPECT_TRUE(says(text, "more actuated joints than freedoms") && says(text, "`right`")) << text;
}

TEST(Assembly, OfMoreMotorsThanFreedomsTheFirstLeads) {
  // the file's home fits one of them only
  const Model<double> led = led_model(model_from(bars("true", "true")));
  EXPECT_EQ(actuated_velocities(led), (std::vector<int>{0}));
  const Assembled home = assemble_home(led), one = assemble_home(model_from(bars("true", "false")));
  EXPECT_TRUE(home.closed);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(home.q[k], one.q[k], 1e-12);
}

TEST(Soundness, CountsFreedomsBothWays) {
  struct Expected {
    const char* model;
    int freedoms;
    bool planar;
  };
  for (const Expected& e :
       {Expected{"four-bar", 1, true}, Expected{"slider-crank", 1, true}, Expected{"five-bar", 2, true},
        Expected{"planar-3rrr", 3, true}, Expected{"excavator", 4, true}, Expected{"stewart", 6, false},
        Expected{"delta", 3, false}}) {
    const Model<double> model = instantiate<double>(load(e.model));
    const LoopJudgement j = judge_loops(model);
    EXPECT_EQ(j.gruebler, e.freedoms) << e.model;
    EXPECT_EQ(j.freedoms, e.freedoms) << e.model;
    EXPECT_EQ(j.planar, e.planar) << e.model;
    EXPECT_TRUE(j.redundant.empty()) << e.model;
    EXPECT_EQ(complaint(model, j), "") << e.model;
    EXPECT_EQ(remark(model, j), "") << e.model;
  }
}

TEST(Soundness, NamesTheRankOfRedundantClosures) {
  // the pin twice
  const Model<double> twice = model_from(bars("true", "false",
                                              "  - {name: again, joint: {type: revolute}, between: [coupler, right], "
                                              "at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}\n"));
  const LoopJudgement j = judge_loops(twice);
  EXPECT_EQ(j.rank, 2);
  EXPECT_EQ(j.freedoms, 1);
  EXPECT_TRUE(says(redundancy(twice, j), "redundant: the closures have rank 2")) << redundancy(twice, j);
  EXPECT_EQ(complaint(twice, j), "");  // it moves all the same
}

TEST(Soundness, TellsAConflictFromALoopThatIsTooShort) {
  // a second pin elsewhere on the same two links: each fits alone, together they would need right and coupler to be one
  // body of another shape
  const Model<double> torn = model_from(bars("true", "false",
                                             "  - {name: second, joint: {type: revolute}, between: [coupler, right], "
                                             "at: {coupler: {xyz: [0.7, 0, 0]}, right: {xyz: [0.1, 0, 0]}}}\n"));
  const LoopJudgement j = judge_loops(torn);
  EXPECT_FALSE(j.closed);
  EXPECT_TRUE(says(complaint(torn, j), "conflict: each can be closed by itself")) << complaint(torn, j);
  EXPECT_TRUE(says(complaint(torn, j), "10 equations of which 4 are independent")) << complaint(torn, j);
}

TEST(Soundness, SaysThatNothingMoves) {
  const Model<double> locked = model_from(R"(linkwright: 1
name: truss
links:
  - {name: left, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 50 deg, right: 130 deg}
loops:
  - {name: top, joint: {type: revolute}, between: [left, right], at: {left: {xyz: [0.6, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)");
  const LoopJudgement j = judge_loops(locked);
  EXPECT_EQ(j.freedoms, 0);
  EXPECT_TRUE(says(complaint(locked, j), "locked: it has 2 velocities and closures of rank 2")) << complaint(locked, j);
  EXPECT_TRUE(says(message([&] { assemble_at(locked, std::vector<double>{}); }), "is locked"));
}

TEST(Soundness, RemarksOnAThirdParallelBar) {
  // three equal cranks carry one bar: counting gives none, it has one freedom
  const Model<double> three = model_from(R"(linkwright: 1
name: three-cranks
links:
  - {name: a, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: bar, parent: a, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: base, joint: {type: revolute, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: c, parent: base, joint: {type: revolute, origin: {xyz: [2, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {a: 60 deg, bar: -60 deg, b: 60 deg, c: 60 deg}
loops:
  - {name: pin_b, joint: {type: revolute}, between: [bar, b], at: {bar: {xyz: [1, 0, 0]}, b: {xyz: [0.5, 0, 0]}}}
  - {name: pin_c, joint: {type: revolute}, between: [bar, c], at: {bar: {xyz: [2, 0, 0]}, c: {xyz: [0.5, 0, 0]}}}
)");
  const LoopJudgement j = judge_loops(three);
  EXPECT_EQ(j.gruebler, 0);
  EXPECT_EQ(j.freedoms, 1);
  EXPECT_EQ(complaint(three, j), "");
  EXPECT_TRUE(says(remark(three, j), "of 4 closure equations 3 are independent")) << remark(three, j);
  EXPECT_LE(assemble_at(three, std::vector<double>{100 * kDeg}).residual, 1e-12);
}

}  // namespace assembly_test
}  // namespace lw
