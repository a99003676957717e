// inverse, forward, mass-matrix, bias and kinematics against independent numbers and against each other.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "run_cli.hpp"

namespace lw::test {
namespace dynamics_commands_test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Wong 1991, PUMA 600 (section 3.5.1).
const std::vector<std::string> kState{"--q", ".1,.2,.3,.4,.5,.6"}, kRates{"--qd", ".6,.5,.4,.3,.2,.1"};

nlohmann::json run(std::vector<std::string> words, const std::vector<std::vector<std::string>>& more) {
  for (const auto& m : more) words.insert(words.end(), m.begin(), m.end());
  words.push_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json();
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(DynamicsCommands, InverseGivesTheTorquesOfAnotherProgram) {
  expect_near(run({"inverse", "puma600"}, {kState, kRates, {"--qdd", "1,2,3,4,5,6"}})["tau"],
              // oracle: wong.py wong.puma.inverse
              {16.62728771, -34.0626912685, 8.68084288821, 1.08528835535, 1.23671894335, 0.149980265992}, 1e-9);
}

TEST(DynamicsCommands, BiasTakesOuterForces) {
  // at zero acceleration it is what `inverse` says
  const std::vector<std::string> force{"--wrench", "link6:3,-4,5,0.1,0.2,0.3@0.1,0,0.2", "--payload", "link6:2"};
  const nlohmann::json bias = run({"bias", "puma600"}, {kState, kRates, force}),
                       inverse = run({"inverse", "puma600"}, {kState, kRates, force}),
                       alone = run({"bias", "puma600"}, {kState, kRates, {"--payload", "link6:2"}});
  expect_near(bias["bias"], inverse["tau"], 1e-12);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(bias["outer"][i].get<double>() + alone["bias"][i].get<double>(), bias["bias"][i], 1e-12);
  }
  EXPECT_FALSE(alone.contains("outer"));
}

TEST(DynamicsCommands, JsonRepeatsWhatChangedTheResult) {
  for (const char* command : {"inverse", "forward", "bias", "mass-matrix", "regressor"}) {
    const nlohmann::json json = run({command, "puma600", "--payload", "link6:2", "--payload", "link5:1@0,0,0.1"}, {});
    EXPECT_EQ(json["payload"], (std::vector<std::string>{"link6:2", "link5:1@0,0,0.1"})) << command;
    EXPECT_FALSE(run({command, "puma600"}, {}).contains("payload"));
  }
  EXPECT_EQ(run({"inverse", "puma600", "--wrench", "link6:1,2,3"}, {})["wrench"][0], "link6:1,2,3");
  EXPECT_EQ(run({"inverse", "twu-3r", "--set", "g=1.62"}, {})["set"][0], "g=1.62");
}

TEST(DynamicsCommands, BiasIsCoriolisPlusGravity) {
  const nlohmann::json json = run({"bias", "puma600"}, {kState, kRates});
  const Vector bias = json["bias"], gravity = json["gravity"], coriolis = json["coriolis"];
  expect_near(bias,
              {2.06388525412, -80.8465485061, -14.6510681466, -0.0311369357276, -0.136350118812, -0.00515162941341},
              1e-9);
  // oracle: wong.py wong.puma.gravity
  expect_near(gravity, {0, -81.2644095191, -13.4128678638, 0.017869545022, -0.16136341091, 0}, 1e-9);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(bias[i], gravity[i] + coriolis[i], 1e-12);
}

TEST(DynamicsCommands, ForwardInvertsInverseByEitherMethod) {
  const Vector qdd{1, 2, 3, 4, 5, 6};
  const Vector tau = run({"inverse", "puma600"}, {kState, kRates, {"--qdd", "1,2,3,4,5,6"}})["tau"];
  std::string text;
  for (const double t : tau) {
    if (!text.empty()) text += ',';
    text += nlohmann::json(t).dump();
  }
  for (const char* method : {"aba", "crba"}) {
    expect_near(run({"forward", "puma600", "--method", method}, {kState, kRates, {"--tau", text}})["qdd"], qdd, 1e-11);
  }
}

TEST(DynamicsCommands, MassMatrixIsSymmetricAndMatchesAnotherProgram) {
  const Matrix M = run({"mass-matrix", "puma600"}, {kState})["M"];
  ASSERT_EQ(M.size(), 6u);
  EXPECT_NEAR(M[0][0], /* oracle: wong.py wong.puma.M[0] */ 14.9185278592, 1e-9);
  EXPECT_NEAR(M[1][2], /* oracle: wong.py wong.puma.M[8] */ 4.82606377306, 1e-9);
  EXPECT_NEAR(M[3][5], /* oracle: wong.py wong.puma.M[23] */ 0.0123739141227, 1e-12);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(M[i][j], M[j][i]);
  }
}

TEST(DynamicsCommands, ReactionsCarryTheWeight) {
  const nlohmann::json json = run({"inverse", "twu-3r", "--reactions"}, {});
  ASSERT_EQ(json["reactions"].size(), 3u);
  EXPECT_EQ(json["reactions"][0]["joint"], "link1");
  // at rest along x the first joint holds all three links, 100 kg, against gravity along -y
  expect_near(json["reactions"][0]["force"], {0, 981.0, 0}, 1e-10);
  EXPECT_NEAR(json["reactions"][0]["moment"][2], json["tau"][0], 1e-10);
}

TEST(DynamicsCommands, MasslessJointIsNamed) {
  const std::string file = write("massless.yaml", R"(linkwright: 1
name: massless
links:
  - {name: arm, parent: base, joint: {type: revolute, axis: y}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0.01, 0.1, 0.1]}}
  - {name: pointer, parent: arm, joint: {type: revolute, axis: x, origin: {xyz: [1, 0, 0]}}}
)");
  for (const char* method : {"aba", "crba"}) {
    const Outcome o = linkwright({"forward", file, "--method", method});
    EXPECT_EQ(o.code, 3);
    EXPECT_TRUE(o.out.empty());
    EXPECT_TRUE(has(o.err, "`pointer`")) << o.err;
  }
  EXPECT_EQ(linkwright({"inverse", file}).code, 0);
}

// Helmy 1994: torques that hold his manipulator at the start of its manoeuvre; and there and back.
TEST(DynamicsCommands, OfLoopsVectorsRunOverTheActuatedJoints) {
  // oracle: helmy.py helmy.start
  const std::vector<double> published{-3.973894533, -37.819182526, 41.895640143};
  const std::vector<double> tau = linkwright({"inverse", "planar-3rrr", "--json"}).json()["tau"];
  ASSERT_EQ(tau.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(tau[k], published[k], 1e-8);
  const std::string held = fmt::format("{:.17g}", fmt::join(tau, ","));
  const std::vector<double> qdd = linkwright({"forward", "planar-3rrr", "--tau", held, "--json"}).json()["qdd"];
  ASSERT_EQ(qdd.size(), 3u);
  for (const double a : qdd) EXPECT_NEAR(a, 0.0, 1e-12);
}

TEST(DynamicsCommands, WhatTakesNoLoopsSaysWhatDoes) {
  const Outcome o = linkwright({"regressor", "four-bar"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "`assemble`")) << o.err;
}

TEST(DynamicsCommands, TextNamesJointsAndUnits) {
  const std::string text = linkwright({"inverse", "stanford"}).out;
  EXPECT_TRUE(has(text, "link3"));
  EXPECT_TRUE(has(text, "N·m"));
  EXPECT_TRUE(has(text, "m/s²"));
}

TEST(KinematicsCommand, PutsThePinWhereAnotherProgramDoes) {
  const nlohmann::json json = run({"kinematics", "cat215b", "--q", ".1,.5,-1,-.3"}, {});
  EXPECT_EQ(json["frame"], "bucket");
  EXPECT_EQ(json["frames"].size(), 5u);
  EXPECT_EQ(json["frames"][0]["name"], "base");
  // oracle: wong.py wong.excavator.pin
  expect_near(json["frames"][4]["position"], {7.52136731, 0.593850576, 2.63004683}, 5e-9);
}

TEST(KinematicsCommand, VelocityIsJacobianTimesRates) {
  const nlohmann::json json =
      run({"kinematics", "puma560", "--frame", "link4", "--q", ".1,.2,.3,.4,.5,.6", "--qd", "1,2,3,4,5,6"}, {});
  const Matrix J = json["jacobian"];
  const Vector velocity = json["velocity"];
  ASSERT_EQ(J.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 6; ++k) sum += J[i][k] * static_cast<double>(k + 1);
    EXPECT_NEAR(velocity[i], sum, 1e-12);
  }
  EXPECT_EQ(json["bias"].size(), 6u);
  const Vector u = json["frames"][4]["quaternion"];
  EXPECT_NEAR(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3], 1.0, 1e-14);
}

TEST(KinematicsCommand, UnknownFrameGetsASuggestion) {
  const Outcome o = linkwright({"kinematics", "puma560", "--frame", "lnk4"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "did you mean `link4`?")) << o.err;
}

TEST(DynamicsCommands, AnswerWithNothingWhereNothingMoves) {
  const std::string file =
      write("still.yaml",
            "linkwright: 1\nname: still\nlinks:\n  - {name: a, parent: base, joint: {type: fixed}, "
            "inertia: {mass: 1}}\n");
  EXPECT_EQ(run({"inverse", file}, {})["tau"].size(), 0u);
  EXPECT_EQ(run({"forward", file}, {})["qdd"].size(), 0u);
  EXPECT_EQ(run({"forward", file, "--method", "crba"}, {})["qdd"].size(), 0u);
  EXPECT_EQ(run({"mass-matrix", file}, {})["M"].size(), 0u);
  EXPECT_EQ(run({"bias", file}, {})["bias"].size(), 0u);
  EXPECT_EQ(run({"kinematics", file}, {})["frames"].size(), 2u);
  for (const char* command : {"inverse", "forward", "mass-matrix", "bias", "kinematics"}) {
    EXPECT_EQ(linkwright({command, file}).code, 0) << command;
  }
}

TEST(DynamicsCommands, NumbersThatOverflowAreNoResult) {
  const std::string heavy = write("heavy.yaml", R"(linkwright: 1
name: heavy
links:
  - {name: a, parent: base, joint: {type: revolute, axis: y, origin: {xyz: [1e200, 0, 0]}}, inertia: {mass: 1e200, com: [0, 0, 1e200], tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: prismatic, axis: x, origin: {xyz: [0, 1, 0]}}, inertia: {mass: 1, com: [0, 1, 0], tensor: [1, 1, 1]}}
)");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"inverse", "puma560", "--qd", "1e200,0,0,0,0,0"},
           {"bias", "puma560", "--qd", "1e200,0,0,0,0,0"},
           {"forward", "puma560", "--qd", "1e200,0,0,0,0,0"},
           {"mass-matrix", heavy},
           {"bench", heavy, "--peers", "none"},
           {"kinematics", "stanford", "--q", "0,1,1e308,0,0,0", "--qd", "1e308,1e308,1e308,0,0,0"}}) {
    for (const bool json : {false, true}) {
      std::vector<std::string> all = words;
      if (json) all.push_back("--json");
      const Outcome o = linkwright(all);
      EXPECT_EQ(o.code, 3) << words[0];
      EXPECT_TRUE(o.out.empty()) << words[0];
      EXPECT_TRUE(has(o.err, "the numbers overflow: ")) << o.err;
    }
  }
}

TEST(DynamicsCommands, ReactionsStandAtTheLinksFrame) {
  // standard DH: the link's frame is at the far end, its y upright; a point mass there pulls straight down
  const std::string file = write("far.yaml", R"(linkwright: 1
name: far
links:
  - {name: arm, parent: base, joint: {type: revolute, dh: {alpha: 90 deg, a: 1, d: 0.5, convention: standard}}, inertia: {mass: 2}}
)");
  const nlohmann::json reactions = run({"inverse", file, "--reactions"}, {})["reactions"];
  ASSERT_EQ(reactions.size(), 1u);
  expect_near(reactions[0]["force"], {0, 2 * 9.81, 0}, 1e-14);
  expect_near(reactions[0]["moment"], {0, 0, 0}, 1e-14);
}

TEST(DynamicsCommands, ReactionsListMimicsAndNoFixedJoints) {
  const std::string file = write("follows.yaml", R"(linkwright: 1
name: follows
links:
  - {name: a, parent: base, joint: {type: prismatic, axis: z}, inertia: {mass: 1}}
  - {name: plate, parent: a, joint: {type: fixed}, inertia: {mass: 2}}
  - {name: b, parent: plate, joint: {type: prismatic, axis: z, mimic: {joint: a}}, inertia: {mass: 4}}
)");
  const nlohmann::json reactions = run({"inverse", file, "--reactions"}, {})["reactions"];
  ASSERT_EQ(reactions.size(), 2u);
  EXPECT_EQ(reactions[1]["joint"], "b");
  expect_near(reactions[0]["force"], {0, 0, 7 * 9.81}, 1e-13);
  expect_near(reactions[1]["force"], {0, 0, 4 * 9.81}, 1e-13);
}

TEST(DynamicsCommands, AnIndefiniteMassMatrixIsNotCalledSingular) {
  // about its axis: -5 + 1 · 1² = -4 kg·m²
  const std::string file = write("negative.yaml", R"(linkwright: 1
name: negative
links:
  - {name: a, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, com: [1, 0, 0], tensor: [-5, -5, -5]}}
)");
  for (const char* method : {"aba", "crba"}) {
    const Outcome o = linkwright({"forward", file, "--tau", "1", "--allow-unphysical", "--method", method, "--json"});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NEAR(o.json()["qdd"][0], -0.25, 1e-15);
    EXPECT_TRUE(has(o.err, "not positive definite")) << o.err;
    EXPECT_FALSE(has(o.err, "singular")) << o.err;
  }
}

TEST(DynamicsCommands, APoseBeyondItsLimitsIsNotedAndTakenAsItIs) {
  const std::string file = write("slide.yaml", R"(linkwright: 1
name: slide
links:
  - {name: extend, parent: base, joint: {type: prismatic, axis: x, limits: {lower: 0, upper: 0.4}}, inertia: {mass: 1}}
)");
  const Outcome o = linkwright({"kinematics", file, "--q", "5", "--json"});
  EXPECT_EQ(o.err, "note: extend = 5 lies above its upper limit, 0.4\n");
  EXPECT_EQ(o.json()["frames"][1]["position"][0], 5.0);
  for (const char* command : {"inverse", "forward", "bias", "mass-matrix"}) {
    EXPECT_EQ(linkwright({command, file, "--q", "-1"}).err, "note: extend = -1 lies below its lower limit, 0\n");
    EXPECT_TRUE(linkwright({command, file, "--q", "-1", "--quiet"}).err.empty());
    EXPECT_TRUE(linkwright({command, file, "--q", "0.4"}).err.empty());
  }
}

TEST(DynamicsCommands, ResultsNameTheirVelocities) {
  for (const char* command : {"inverse", "forward", "bias", "mass-matrix", "kinematics"}) {
    EXPECT_EQ(run({command, "double-pendulum"}, {})["velocity_names"],
              linkwright({"check", "double-pendulum", "--json"}).json()["velocity_names"]);
  }
}

TEST(DynamicsCommands, AWideMatrixComesInBlocks) {
  const std::string text = linkwright({"mass-matrix", "chain-20"}).out;
  std::size_t widest = 0, at = 0;
  for (std::size_t end = 0; end != std::string::npos; at = end + 1) {
    end = text.find('\n', at);
    widest = std::max(widest, (end == std::string::npos ? text.size() : end) - at);
  }
  EXPECT_LT(widest, 130u) << text;
}

TEST(KinematicsCommand, DrawsAWellFormedPicture) {
  const std::string file = folder() + "/arm.svg";
  const Outcome drawn = linkwright({"kinematics", "puma560", "--draw", file});
  EXPECT_EQ(drawn.code, 0);
  EXPECT_EQ(drawn.err, "note: drawing written to " + file + "\n");
  const Outcome parsed = shell(
      "python3 -c 'import sys, xml.dom.minidom as m; print(m.parse(sys.argv[1]).documentElement.tagName)' " + file);
  if (shell("command -v python3").code == 0) {
    EXPECT_EQ(parsed.out, "svg\n") << parsed.err;
  }
  EXPECT_TRUE(has(shell("cat " + file).out, "<svg"));
  const std::string point = write("point.yaml", R"(linkwright: 1
name: point
links: [{name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}}]
)");
  const Outcome nothing = linkwright({"kinematics", point, "--draw", "point.svg"});
  EXPECT_EQ(nothing.code, 3);
  EXPECT_TRUE(has(nothing.err, "`point` has nothing to draw")) << nothing.err;
  const Outcome nowhere = linkwright({"kinematics", "puma560", "--draw", "/nowhere/arm.svg"});
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_TRUE(has(nowhere.err, "cannot be written")) << nowhere.err;
}

}  // namespace dynamics_commands_test
}  // namespace lw::test
