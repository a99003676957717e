// inverse, forward, mass-matrix, bias, derivatives, count and compile of mechanisms with loops, as their user types
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace closed_command_test {

using Vector = std::vector<double>;

nlohmann::json answer(std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json();
}

void expect_near(const nlohmann::json& got, const Vector& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(got[k].get<double>(), expected[k], tolerance) << k;
}

// Helmy 1994, appendix D: the manoeuvre at t = 0 and 1.5 s.
const std::vector<std::string> kMiddle{"--q", "105deg,90deg,60deg", "--qd", "20deg,40deg,-80deg"};
std::vector<std::string> at_middle(std::vector<std::string> words) {
  words.insert(words.end(), kMiddle.begin(), kMiddle.end());
  return words;
}

TEST(ClosedCommands, InverseGivesTheTorquesOfTheActuatedJoints) {
  const nlohmann::json home = answer({"inverse", "planar-3rrr"});
  // oracle: helmy.py helmy.start
  expect_near(home["tau"], {-3.973894533, -37.819182526, 41.895640143}, 1e-7);
  EXPECT_EQ(home["velocity_names"], (std::vector<std::string>{"crank1", "crank2", "crank3"}));
  EXPECT_LT(home["closure"]["residual"].get<double>(), 1e-12);
  EXPECT_EQ(home["dependent"].size(), 4u);
  const nlohmann::json middle = answer(at_middle({"inverse", "planar-3rrr"}));
  // oracle: helmy.py helmy.middle
  expect_near(middle["tau"], {-16.91867854, -40.28008847, 38.85012054}, 1e-7);
}

TEST(ClosedCommands, ForwardUndoesInverse) {
  const nlohmann::json tau = answer(at_middle({"inverse", "planar-3rrr", "--qdd", "1,-2,3"}))["tau"];
  const std::string torques = fmt::format("{},{},{}", tau[0].get<double>(), tau[1].get<double>(), tau[2].get<double>());
  expect_near(answer(at_middle({"forward", "planar-3rrr", "--tau", torques}))["qdd"], {1, -2, 3}, 1e-10);
}

TEST(ClosedCommands, MassMatrixAndBiasAreThoseOfTheIndependentJoints) {
  const nlohmann::json M = answer({"mass-matrix", "planar-3rrr"})["M"];
  // oracle: helmy.py helmy.H1
  expect_near(M[0], {1.527208, -0.383287, 0.157794}, 1e-6);
  // oracle: helmy.py helmy.H2
  expect_near(M[1], {-0.383287, 1.245831, -0.414454}, 1e-6);
  const nlohmann::json bias = answer(at_middle({"bias", "planar-3rrr"}));
  expect_near(bias["bias"], answer(at_middle({"inverse", "planar-3rrr"}))["tau"].get<Vector>(), 1e-12);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(bias["coriolis"][k].get<double>() + bias["gravity"][k].get<double>(), bias["bias"][k].get<double>(),
                1e-11);
}

TEST(ClosedCommands, TrajectoriesAreFollowedFromSampleToSample) {
  std::string csv = "t,q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n";
  for (int i = 0; i <= 300; ++i) {
    const double t = 0.01 * i, angle = 2.0 * M_PI * t / 3.0;
    csv += fmt::format("{}", t);
    const double from[] = {90, 60, 120}, to[] = {120, 120, 0};
    for (int part = 0; part < 3; ++part) {
      for (int k = 0; k < 3; ++k) {
        const double way = (to[k] - from[k]) * M_PI / 180.0;
        csv += fmt::format(",{}", part == 0 ? from[k] * M_PI / 180.0 + way * (t / 3.0 - std::sin(angle) / (2.0 * M_PI))
                                  : part == 1 ? way / 3.0 * (1.0 - std::cos(angle))
                                              : 2.0 * M_PI * way / 9.0 * std::sin(angle));
      }
    }
    csv += "\n";
  }
  const nlohmann::json json = answer({"inverse", "planar-3rrr", "--trajectory", write("manoeuvre.csv", csv)});
  ASSERT_EQ(json["tau"].size(), 301u);
  // oracle: helmy.py helmy.middle
  expect_near(json["tau"][150], {-16.91867854, -40.28008847, 38.85012054}, 1e-7);
  // oracle: helmy.py helmy.last
  expect_near(json["tau"][300], {-44.15613273, -5.40624675, -73.40663946}, 1e-7);
}

TEST(ClosedCommands, DerivativesByALengthAreDifferencesOfTorques) {
  const nlohmann::json d = answer({"derivatives", "planar-3rrr", "--qd", "0.3,0.2,-0.5", "--qdd", "1,2,3",
                                   "--parameters", "l2"})["d_parameters"]["l2"];
  const double h = 1e-5;
  const auto torques = [&](double l2) {
    return answer({"inverse", "planar-3rrr", "--qd", "0.3,0.2,-0.5", "--qdd", "1,2,3", "--set",
                   fmt::format("l2={}", l2)})["tau"]
        .get<Vector>();
  };
  const Vector up = torques(0.6 + h), down = torques(0.6 - h);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(d[k].get<double>(), (up[k] - down[k]) / (2.0 * h), 1e-5 * (1.0 + std::abs(d[k].get<double>())));
}

TEST(ClosedCommands, ReactionsNameTheLoopsJoints) {
  const nlohmann::json json = answer({"inverse", "four-bar", "--qd", "2", "--reactions"});
  ASSERT_EQ(json["reactions"].size(), 4u);
  EXPECT_EQ(json["reactions"][3]["joint"], "closure");
  // the rocker turns freely on both its pins: no moments there
  for (const std::size_t k : {2u, 3u}) {
    for (const auto& m : json["reactions"][k]["moment"]) EXPECT_NEAR(m.get<double>(), 0.0, 1e-12);
  }
}

TEST(ClosedCommands, CountIsBelowHelmysAlgorithmAndCodePassesItsTest) {
  const nlohmann::json count = answer({"count", "planar-3rrr"});
  EXPECT_LT(count["additions"].get<int>(), 504);
  EXPECT_LT(count["multiplications"].get<int>(), 708);
  EXPECT_LT(count["trig"].get<int>(), 18);
  EXPECT_EQ(count["newton_steps"], 3);
  EXPECT_GT(answer({"count", "planar-3rrr", "--newton-steps", "4"})["total"].get<int>(), count["total"].get<int>());
  const Outcome few = linkwright({"count", "planar-3rrr", "--newton-steps", "1"});  // from a guess 1e-3 off: 1e-6
  EXPECT_EQ(few.code, 1);
  EXPECT_TRUE(has(few.err, "does not agree with the reference")) << few.err;
  const nlohmann::json code =
      answer({"compile", "planar-3rrr", "--functions", "inverse,forward", "--out", folder() + "/code"});
  EXPECT_EQ(code["self_test"], "passed");
}

TEST(ClosedCommands, MotionKeepsEnergyAndClosuresInEitherCoordinates) {
  Vector ends[2];
  for (const char* coordinates : {"minimal", "redundant"}) {
    const nlohmann::json run =
        answer({"simulate", "four-bar", "--duration", "1", "--qd", "5", "--coordinates", coordinates});
    EXPECT_LT(run["energy_residual"].get<double>(), 1e-10);
    EXPECT_LT(run["closure_residual"].get<double>(), 1e-12);
    EXPECT_EQ(run["velocity_names"], (nlohmann::json{"crank", "coupler", "rocker"}));
    ends[std::string(coordinates) == "minimal" ? 0 : 1] = run["final"]["q"].get<Vector>();
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(ends[0][k], ends[1][k], 1e-9);
  // a crank that is turned by a torque gains what that works
  const nlohmann::json driven =
      answer({"simulate", "five-bar", "--duration", "0.1", "--tau", "0.3,-0.3", "--no-compile"});
  EXPECT_LT(driven["energy_residual"].get<double>(), 1e-9);
  EXPECT_EQ(driven["way"], "reference");
}

TEST(ClosedCommands, ScenariosDriveMotorsAndNothingElse) {
  const auto scenario = [](const std::string& text) {
    const std::string file = folder() + "/loops.yaml";
    std::ofstream(file) << "scenario: 1\nduration: 0.4\n" << text;
    return file;
  };
  // along a trajectory of both motors by computed torque, from its beginning: hardly an error
  const nlohmann::json along =
      answer({"simulate", "five-bar", "--scenario",
              scenario("controllers:\n  - {law: computed-torque, kp: 400, kd: 40, trajectory: {times: [0, 0.4], "
                       "points: [[60 deg, 120 deg], [70 deg, 105 deg]]}}\n")});
  const Vector q = along["final"]["q"].get<Vector>();
  const std::vector<std::string> names = along["coordinate_names"].get<std::vector<std::string>>();
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].starts_with("crank")) {
      EXPECT_NEAR(q[k], (names[k] == "crank1" ? 70 : 105) * M_PI / 180, 1e-6);
    }
  }
  const Outcome passive = linkwright({"simulate", "four-bar", "--scenario", scenario("inputs: {coupler: 1}\n")});
  EXPECT_EQ(passive.code, 3);
  EXPECT_TRUE(has(passive.err, "`coupler` follows the loops: nothing drives it")) << passive.err;
  EXPECT_TRUE(has(passive.err, "actuated: crank")) << passive.err;
  // a velocity that the loops do not allow
  const Outcome fast = linkwright({"simulate", "four-bar", "--scenario", scenario("initial: {qd: {rocker: 3}}\n")});
  EXPECT_EQ(fast.code, 3) << fast.err;
  EXPECT_TRUE(has(fast.err, "`rocker` cannot start with a velocity of 3")) << fast.err;
}

// A parallelogram of which the file says not what drives it.
std::string parallelogram(const std::string& home, const std::string& driven = "") {
  return fmt::format(R"(linkwright: 1
name: bars
links:
  - {{name: left, parent: base, joint: {{type: revolute, axis: y{}}}, inertia: {{mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.01, 0.01]}}}}
  - {{name: coupler, parent: left, joint: {{type: revolute, axis: y, origin: {{xyz: [0.3, 0, 0]}}}}, inertia: {{mass: 1, com: [0.2, 0, 0], tensor: [0.01, 0.01, 0.01]}}}}
  - {{name: right, parent: base, joint: {{type: revolute, axis: y, origin: {{xyz: [0.5, 0, 0]}}}}, inertia: {{mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.01, 0.01]}}}}
loops:
  - {{name: pin, joint: {{type: revolute, axis: y}}, between: [coupler, right], at: {{coupler: {{xyz: [0.5, 0, 0]}}, right: {{xyz: [0.4, 0, 0]}}}}}}
home: {}
)",
                     driven, home);
}

TEST(ClosedCommands, SayWhichJointsAreTakenAsDriven) {
  const std::string file = write("undriven.yaml", parallelogram("{left: -60 deg, coupler: 60 deg, right: -60 deg}"));
  const std::string driven = answer({"inverse", file})["actuated"][0];
  for (const char* command : {"inverse", "assemble", "kinematics", "count"}) {
    const Outcome o = linkwright({command, file});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(has(o.err, fmt::format("no joint is marked as `actuated`: `{}` is assumed to be actuated", driven)))
        << command << ": " << o.err;
  }
  EXPECT_EQ(linkwright({"inverse", file, "--quiet"}).err, "");
  const Outcome check = linkwright({"check", file});
  EXPECT_TRUE(has(check.err, "assumed to be actuated")) << check.err;
  EXPECT_FALSE(has(linkwright({"inverse", "four-bar"}).err, "assumed to be actuated"));
}

TEST(ClosedCommands, CheckSaysWhereHomeWasMoved) {
  // at left = 0 the coupler would have to reach over 0.2 m, which it and the right bar do; at 180 deg over 0.8 m, at
  // most 0.9
  const std::string closed =
      write("closed.yaml", parallelogram("{left: -60 deg, coupler: 60 deg, right: -60 deg}", ", actuated: true"));
  const Outcome fits = linkwright({"check", closed});
  EXPECT_FALSE(has(fits.err, "moves")) << fits.err;
  EXPECT_TRUE(has(fits.out, "near home; the closure error at home")) << fits.out;  // its followers are a guess
  std::string apart = parallelogram("{left: 180 deg, coupler: 180 deg, right: 0}", ", actuated: true");
  apart.replace(apart.find("right: {xyz: [0.4"), 17, "right: {xyz: [0.2");
  const Outcome moved = linkwright({"check", write("apart.yaml", apart)});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_TRUE(has(moved.err, "moves `left` by ")) << moved.err;
  const nlohmann::json json = linkwright({"check", folder() + "/apart.yaml", "--json"}).json();
  EXPECT_GT(json["home_residual"].get<double>(), 0.01);
  // 0.5 and 0.2 m bridge at most 0.7: cos(left) of |0.3 e^i left - 0.5| = 0.7
  EXPECT_LE(std::abs(std::remainder(json["closed_home"][0].get<double>(), 2.0 * M_PI)),
            std::acos((0.09 + 0.25 - 0.49) / 0.3) + 1e-9);
}

TEST(ClosedCommands, ReadTheMotionThatSimulateWrites) {
  const std::string file = folder() + "/run.csv";
  ASSERT_EQ(
      linkwright({"simulate", "five-bar", "--duration", "0.1", "--tau", "0.3,-0.2", "--qd", "1,2", "--out", file}).code,
      0);
  const nlohmann::json tau = answer({"inverse", "five-bar", "--trajectory", file})["tau"];
  ASSERT_GT(tau.size(), 2u);
  for (const auto& row : tau) expect_near(row, {0.3, -0.2}, 1e-9);
  // a follower that is elsewhere
  std::ifstream in(file);
  std::string header, first, rest;
  std::getline(in, header);
  std::getline(in, first);
  first.replace(first.find(','), first.find(',', first.find(',') + 1) - first.find(','), ",1.2");
  const Outcome torn =
      linkwright({"inverse", "five-bar", "--trajectory", write("torn.csv", header + "\n" + first + "\n")});
  EXPECT_EQ(torn.code, 3);
  EXPECT_TRUE(has(torn.err, "the joints do not close the loops: loop `")) << torn.err;
}

TEST(ClosedCommands, AnEndAtADeadCentreSaysHowToGoOn) {
  std::string file = parallelogram("{left: -60 deg, coupler: 60 deg, right: -60 deg}", ", actuated: true");
  file.replace(file.find("right: {xyz: [0.4"), 17, "right: {xyz: [0.2");  // it cannot turn round
  const Outcome o = linkwright({"simulate", write("rocker.yaml", file), "--duration", "3", "--qd", "8"});
  EXPECT_NE(o.code, 0);
  EXPECT_TRUE(has(o.err, "--coordinates redundant")) << o.err;
  EXPECT_TRUE(has(o.err, "actuate another joint")) << o.err;
}

TEST(ClosedCommands, CodeOfAPlatformOnSixLegsPassesItsTest) {
  const nlohmann::json code =
      answer({"compile", "stewart", "--functions", "inverse,forward", "--out", folder() + "/code"});
  EXPECT_EQ(code["self_test"], "passed");
}

TEST(ClosedCommands, VerifyHasASecondMethod) {
  const nlohmann::json v = answer({"verify", "planar-3rrr", "--states", "10", "--duration", "0.2"});
  EXPECT_EQ(v["ok"], true) << v.dump(1);
  EXPECT_GE(v["checks"].size(), 15u);
}

TEST(ClosedCommands, SayWhatTheyCannotDo) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* said;
  };
  for (const Case& c : std::vector<Case>{
           {{"inverse", "planar-3rrr", "--q", "0,0"}, 2, "but 3 are expected: crank1, crank2, crank3"},
           {{"inverse", "puma560", "--weights", "1,1,1,1,1,1"}, 2, "--weights requires closed loops"},
           {{"forward", "four-bar", "--method", "aba"}, 2, "--method requires a tree"},
           {{"inverse", "puma560", "--mode", "1"}, 2, "--mode requires closed loops"},
           {{"derivatives", "four-bar", "--second"}, 2, "--second requires a tree"},
           {{"count", "planar-3rrr", "--newton-steps", "0"}, 2, "--newton-steps needs an integer"},
           {{"count", "planar-3rrr", "--dense"}, 2, "--dense requires a tree"},
           {{"compile", "four-bar", "--language", "fortran", "--out", folder()}, 2, "mechanisms with loops"},
           {{"simulate", "puma560", "--duration", "1", "--coordinates", "redundant"},
            2,
            "--coordinates requires closed loops"},
           {{"compile", "four-bar", "--simulator", "--out", folder()},
            3,
            "`simulate` runs closed-loop mechanisms; `compile` without --simulator writes"},
           {{"regressor", "four-bar"}, 3, "`four-bar` has 1 closed loop, which this command does not support yet"}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << o.err;
    EXPECT_TRUE(has(o.err, c.said)) << o.err;
  }
}

// Four bars in a horizontal plane, on feet so far apart; 1: a parallelogram.
std::string bars_file(const std::string& name, const std::string& actuated, const std::string& links = "",
                      const std::string& loops = "", double frame = 0.8) {
  const std::string path = folder() + "/" + name + ".yaml";
  std::ofstream(path) << fmt::format(R"(linkwright: 1
name: {}
links:
  - {{name: left, parent: base, joint: {{type: revolute, actuated: {}}}, inertia: {{mass: 1, com: [0.2, 0, 0], tensor: [1, 1, 1]}}}}
  - {{name: coupler, parent: left, joint: {{type: revolute, origin: {{xyz: [0.5, 0, 0]}}}}, inertia: {{mass: 1, tensor: [1, 1, 1]}}}}
  - {{name: right, parent: base, joint: {{type: revolute, origin: {{xyz: [{}, 0, 0]}}}}, inertia: {{mass: 1, tensor: [1, 1, 1]}}}}
{}home: {{left: 60 deg, coupler: -60 deg, right: 60 deg}}
loops:
  - {{name: pin, joint: {{type: revolute}}, between: [coupler, right], at: {{coupler: {{xyz: [1, 0, 0]}}, right: {{xyz: [{}, 0, 0]}}}}}}
{})",
                                     name, actuated, frame, links, frame == 1.0 ? 0.5 : 0.6, loops);
  return path;
}

TEST(ClosedCommands, JudgeLoopsAlikeAndWarnWhereAnswersAreDoubtful) {
  const std::string again =
                        "  - {name: again, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, "
                        "0, 0]}, right: {xyz: [0.6, 0, 0]}}}\n",
                    torn =
                        "  - {name: second, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: "
                        "[0.7, 0, 0]}, right: {xyz: [0.1, 0, 0]}}}\n",
                    hung =
                        "  - {name: pendulum, parent: coupler, joint: {type: revolute}, inertia: {mass: 1, com: [0.3, "
                        "0, 0], tensor: [1, 1, 1]}}\n";
  const std::string twice = bars_file("twice", "true", "", again), conflict = bars_file("conflict", "true", "", torn),
                    none = bars_file("none", "false"), free = bars_file("free", "true", hung),
                    flat = bars_file("flat", "true", "", "", 1.0);
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* said;
  };
  for (const Case& c :
       std::vector<Case>{{{"check", twice}, 0, "redundant: the closures have rank 2"},
                         {{"inverse", twice}, 0, "redundant: the closures have rank 2"},
                         {{"simulate", twice, "--duration", "0.01"}, 0, "redundant: the closures have rank 2"},
                         {{"check", conflict}, 1, "conflict: each can be closed by itself"},
                         {{"inverse", conflict}, 3, "10 equations of which 4 are independent"},
                         {{"simulate", conflict, "--duration", "0.01"}, 3, "10 equations of which 4 are independent"},
                         {{"inverse", none}, 0, "no joint is marked as `actuated`: `"},
                         {{"inverse", free},
                          3,
                          "do not determine its motion: it has 2 freedoms, they 1; with `pendulum` actuated as well"},
                         {{"forward", free, "--tau", "1"}, 0, ""},
                         {{"simulate", free, "--tau", "1", "--qd", "1,2", "--duration", "0.1"}, 0, ""},
                         {{"inverse", flat, "--q", "180deg", "--qd", "1"}, 0, "near a singular pose (condition number"},
                         {{"mass-matrix", flat, "--q", "180deg"}, 0, "near a singular pose (condition number"},
                         {{"derivatives", flat, "--q", "180deg"}, 0, "near a singular pose (condition number"},
                         {{"inverse", flat, "--q", "170deg"}, 0, ""}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << fmt::format("{}", fmt::join(c.words, " ")) << "\n" << o.err;
    EXPECT_TRUE(has(o.err, c.said)) << o.err;
    if (*c.said == '\0') {
      EXPECT_EQ(o.err, "");
    }
  }
}

// Gravity across the plane of a loop of journal bearings: how much of it each of them bears, rigid bodies do not say;
// without gravity it is nothing.
TEST(ClosedCommands, SayWhichBearingsLoadsAreNotDetermined) {
  const std::string path = folder() + "/bearings.yaml";
  for (const char* gravity : {"[0, 0, -9.81]", "[0, -9.81, 0]"}) {
    std::ofstream(path) << "linkwright: 1\nname: bearings\ngravity: " << gravity << R"(
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, com: [0.2, 0, 0], tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [1, 1, 1]}, friction: {bearing: {type: journal, mu: 0.2, radius: 0.02, spacing: 0.1}}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, com: [0.3, 0, 0], tensor: [1, 1, 1]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops:
  - {name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)";
    for (const std::vector<std::string>& words : {std::vector<std::string>{"inverse", path, "--qd", "1", "--friction"},
                                                  {"forward", path, "--qd", "1", "--friction"},
                                                  {"simulate", path, "--qd", "1", "--duration", "0.01"}}) {
      const Outcome o = linkwright(words);
      EXPECT_EQ(o.code, 0) << o.err;
      EXPECT_EQ(has(o.err, "friction in the bearings of `coupler` is not determined by rigid bodies: the loop `pin`"),
                gravity[4] == '0')
          << gravity << o.err;
    }
  }
}

}  // namespace closed_command_test
}  // namespace lw::test
