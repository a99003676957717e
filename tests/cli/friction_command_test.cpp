// inverse and forward with --friction, and inverse along a trajectory.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace friction_command_test {

using Vector = std::vector<double>;

nlohmann::json run(std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.code == 0 ? o.json() : nlohmann::json{};
}

std::string list(const Vector& values) {
  std::string text;
  for (const double x : values) text += (text.empty() ? "" : ",") + nlohmann::json(x).dump();
  return text;
}

const Vector kQ{0.1, -0.8, 2.1, 0.3, -0.5, 0.2}, kQd{0.3, 0.2, -0.4, 0.5, 0.1, -0.2},
    kQdd{1.0, -0.5, 0.8, 0.3, 0.2, 0.1};

// 2 kg at 0.5 m/s² against 3 N: 4 N start it, and forward dynamics of 4 N gives 0.5 m/s² again.
TEST(FrictionCommands, FromRestFrictionOpposesTheMotionThatBegins) {
  const std::string block = write("block.yaml", R"(linkwright: 1
name: block
gravity: [0, 0, 0]
links:
  - {name: b, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 3}}
)");
  const nlohmann::json starts = run({"inverse", block, "--friction", "--qdd", "0.5"});
  EXPECT_EQ(starts["tau"], nlohmann::json({4.0}));
  EXPECT_EQ(starts["breakdown"][0]["bearing"], 3.0);
  EXPECT_TRUE(starts["holding"].empty());
  EXPECT_NEAR(run({"forward", block, "--friction", "--tau", "4"})["qdd"][0].get<double>(), 0.5, 1e-15);
  const nlohmann::json rests = run({"inverse", block, "--friction"});
  EXPECT_EQ(rests["tau"], nlohmann::json({0.0}));
  ASSERT_EQ(rests["holding"].size(), 1u);
  EXPECT_EQ(rests["holding"][0]["low"], -3.0);
  EXPECT_EQ(rests["holding"][0]["high"], 3.0);
}

TEST(FrictionCommands, BreakdownFollowsFromTheReactions) {
  const nlohmann::json json = run({"inverse", "puma560-dhanaraj", "--q", list(kQ), "--qd", list(kQd), "--qdd",
                                   list(kQdd), "--friction", "--reactions"}),
                       plain = run(
                           {"inverse", "puma560-dhanaraj", "--q", list(kQ), "--qd", list(kQd), "--qdd", list(kQdd)});
  ASSERT_EQ(json["breakdown"].size(), 6u);
  // table 3.4 of Dhanaraj 1990, the points of the efficiency that its table 3.5 implies, and what the file adds to
  // these
  struct Data {
    double radius, breakaway, rated;
  };
  const std::array<Data, 6> data{Data{0.1, 6.3, 97.6}, Data{0.08, 5.5, 186.4}, Data{0.07, 2.6, 89.4},
                                 Data{0.0, 1.3, 24.2}, Data{0.0, 1.0, 20.1},   Data{0.0, 1.2, 21.3}};
  const std::array<double, 6> load{0.0, 0.6801 / 89.4, 2.9943 / 97.6, 15.9646 / 186.4, 0.3, 1.0},
      value{0.3, 0.2352 / 0.6801, 2.9943 / 6.5911, 15.9646 / 28.4117, 0.68, 0.8};
  const auto efficiency = [&](double x) {
    std::size_t k = 0;
    while (k < 4 && x >= load[k + 1]) ++k;
    return value[k] + (x - load[k]) / (load[k + 1] - load[k]) * (value[k + 1] - value[k]);
  };
  const double d = 0.2, mu = 0.1;
  for (std::size_t i = 0; i < 6; ++i) {
    const nlohmann::json& row = json["breakdown"][i];
    EXPECT_EQ(row["joint"], plain["velocity_names"][i]);
    EXPECT_EQ(row["dynamic"], plain["tau"][i]);
    EXPECT_EQ(row["total"], json["tau"][i]);
    const double dynamic = row["dynamic"];
    const Vector f = json["reactions"][i]["force"], n = json["reactions"][i]["moment"];
    const double sigma = kQd[i] > 0 ? 1 : -1;
    const double bearing =
        sigma * mu * data[i].radius *
        (std::hypot(f[0] / 2 + n[1] / d, f[1] / 2 - n[0] / d) + std::hypot(f[0] / 2 - n[1] / d, f[1] / 2 + n[0] / d));
    EXPECT_NEAR(row["bearing"], bearing, 1e-12);
    const double x = dynamic + bearing, eta = efficiency(std::abs(x) / data[i].rated);
    EXPECT_NEAR(row["at_joint"], x, 1e-12);
    EXPECT_NEAR(row["total"], (x * sigma > 0 ? x / eta : x * eta) + sigma * data[i].breakaway, 1e-10);
    EXPECT_NEAR(row["transmission"], row["total"].get<double>() - x, 1e-12);
  }
  EXPECT_TRUE(json["holding"].empty());
}

TEST(FrictionCommands, ForwardUndoesInverse) {
  const std::vector<std::string> state{"puma560-dhanaraj", "--q", list(kQ), "--qd", list(kQd), "--friction"};
  std::vector<std::string> there{"inverse"}, back{"forward"};
  for (auto* words : {&there, &back}) words->insert(words->end(), state.begin(), state.end());
  const std::vector<std::string> outer{"--wrench", "link6:3,-4,5", "--payload", "link6:1"};
  for (auto* words : {&there, &back}) words->insert(words->end(), outer.begin(), outer.end());
  there.insert(there.end(), {"--qdd", list(kQdd)});
  back.insert(back.end(), {"--tau", list(run(there)["tau"])});
  const Vector qdd = run(back)["qdd"];
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(qdd[i], kQdd[i], 1e-11);
}

std::string incline() {
  // 2 kg on a slide that rises by 30°
  return write("incline.yaml", R"(linkwright: 1
name: incline
gravity: [-4.905, 0, -8.49570921111]
links:
  - {name: block, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {coulomb: 12}}
)");
}

TEST(FrictionCommands, JointsAtRestHoldWithinARange) {
  const std::string file = incline();
  const nlohmann::json json = run({"inverse", file, "--friction"});
  EXPECT_NEAR(json["tau"][0], 9.81, 1e-12);
  ASSERT_EQ(json["holding"].size(), 1u);
  EXPECT_EQ(json["holding"][0]["joint"], "block");
  EXPECT_NEAR(json["holding"][0]["low"], 9.81 - 12, 1e-12);
  EXPECT_NEAR(json["holding"][0]["high"], 9.81 + 12, 1e-12);
  EXPECT_TRUE(has(linkwright({"inverse", file, "--friction"}).out, "stay at rest for any tau"));
  // inside it nothing moves, outside it slips by what is left
  const nlohmann::json still = run({"forward", file, "--friction", "--tau", "21.8"}),
                       slips = run({"forward", file, "--friction", "--tau", "22.81"});
  EXPECT_EQ(still["qdd"][0], 0.0);
  EXPECT_EQ(still["sticking"], std::vector<std::string>{"block"});
  EXPECT_NEAR(slips["qdd"][0], 0.5, 1e-12);
  EXPECT_TRUE(slips["sticking"].empty());
}

TEST(FrictionCommands, LargeTreesAreSolvedToo) {
  // 37 velocities, floating, with viscous friction: at rest it does nothing
  const Vector with = run({"forward", "humanoid", "--friction"})["qdd"], without = run({"forward", "humanoid"})["qdd"];
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t k = 0; k < with.size(); ++k) EXPECT_NEAR(with[k], without[k], 1e-10) << k;
  EXPECT_TRUE(run({"forward", write("still.yaml", R"(linkwright: 1
name: still
links: [{name: a, parent: base, joint: {type: fixed}, inertia: {mass: 1}}]
)"),
                   "--friction"})["qdd"]
                  .empty());
  const Outcome many = linkwright({"forward", "chain-2000", "--friction"}),
                huge = linkwright({"forward", "puma560", "--qd", "1e200,0,0,0,0,0", "--friction"});
  EXPECT_EQ(many.code, 3);
  EXPECT_TRUE(has(many.err, "up to 1000")) << many.err;
  EXPECT_EQ(huge.code, 3);
  EXPECT_TRUE(has(huge.err, "the numbers overflow")) << huge.err;
}

TEST(FrictionCommands, BackDrivabilityIsReported) {
  const nlohmann::json json = run({"inverse", write("drives.yaml", R"(linkwright: 1
name: drives
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}, drive: {efficiency: 0.5, breakaway: 3, peak: 10}}
  - {name: b, parent: a, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}, drive: {efficiency: 0.2, breakaway: 3, rated: 10}}
  - {name: c, parent: b, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}, drive: {breakaway: 3}}
)"),
                                   "--friction"})["back_drivable"];
  ASSERT_EQ(json.size(), 3u);
  EXPECT_NEAR(json[0]["torque"], 6.0, 1e-12);
  EXPECT_EQ(json[0]["back_drivable"], true);
  EXPECT_NEAR(json[1]["torque"], 15.0, 1e-12);
  EXPECT_EQ(json[1]["limit"], 10.0);
  EXPECT_EQ(json[1]["back_drivable"], false);
  EXPECT_EQ(json[2]["torque"], 3.0);
  EXPECT_TRUE(json[2]["back_drivable"].is_null());
}

TEST(FrictionCommands, JammingNamesTheJoint) {
  const std::string file = write("clamp.yaml", R"(linkwright: 1
name: clamp
links:
  - {name: clamp, parent: base, joint: {type: prismatic, axis: z}, inertia: {mass: 3, com: [0.5, 0, 0], tensor: [0.1, 0.1, 0.1]}, friction: {bearing: {type: linear, mu: 0.4, spacing: 0.2}}}
)");
  const Outcome o = linkwright({"forward", file, "--qd", "1", "--tau", "-100", "--friction"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(o.out.empty());
  EXPECT_TRUE(has(o.err, "`clamp` jams")) << o.err;
}

// A motion of the arm by a quintic of one second, 21 samples.
std::string motion_file() {
  std::string text = "# a motion\nt";
  for (const char* what : {"q", "qd", "qdd"}) {
    for (int k = 1; k <= 6; ++k) text += "," + (what + std::to_string(k));
  }
  for (int i = 0; i <= 20; ++i) {
    const double u = i / 20.0;
    const std::array<double, 3> s{u * u * u * (10 - 15 * u + 6 * u * u), 30 * u * u * (1 - u) * (1 - u),
                                  60 * u * (1 - u) * (1 - 2 * u)};
    text += "\n" + nlohmann::json(u).dump();
    for (std::size_t g = 0; g < 3; ++g) {
      for (std::size_t k = 0; k < 6; ++k) text += "," + nlohmann::json((g == 0 ? kQ[k] : 0.0) + kQdd[k] * s[g]).dump();
    }
  }
  return write("motion.csv", text + "\n");
}

TEST(InverseTrajectory, IsInverseDynamicsSampleBySample) {
  const std::string file = motion_file(), out = folder() + "/torques.csv";
  const nlohmann::json json = run({"inverse", "puma560-dhanaraj", "--trajectory", file, "--friction", "--out", out});
  ASSERT_EQ(json["t"].size(), 21u);
  ASSERT_EQ(json["breakdown"].size(), 6u);
  std::ifstream stream(file);
  std::string line;
  for (int k = 0; k < 2 + 7 + 1; ++k) std::getline(stream, line);  // the eighth sample
  std::istringstream cells(line);
  std::array<std::string, 3> groups;
  std::string t;
  std::getline(cells, t, ',');
  for (std::string& g : groups) {
    for (int k = 0; k < 6; ++k) {
      std::string cell;
      std::getline(cells, cell, ',');
      g += (k > 0 ? "," : "") + cell;
    }
  }
  const nlohmann::json one =
      run({"inverse", "puma560-dhanaraj", "--q", groups[0], "--qd", groups[1], "--qdd", groups[2], "--friction"});
  EXPECT_EQ(json["tau"][7], one["tau"]);
  EXPECT_EQ(json["breakdown"][1]["bearing"][7], one["breakdown"][1]["bearing"]);
  // and the same in the file: its columns t, dynamic1.., bearing1.., at_joint1.., transmission1.., tau1.., motor1..
  std::ifstream written(out);
  std::getline(written, line);
  EXPECT_TRUE(line.starts_with("t,dynamic1,")) << line;
  EXPECT_TRUE(has(line, ",tau1,"));
  for (int k = 0; k < 8; ++k) std::getline(written, line);
  EXPECT_TRUE(has(line, nlohmann::json(one["tau"][0].get<double>()).dump())) << line;
  // without friction it is another number, and a text of peaks
  const Outcome plain = linkwright({"inverse", "puma560-dhanaraj", "--trajectory", file, "--quiet"});
  EXPECT_TRUE(has(plain.out, "21 samples from 0 to 1 s")) << plain.out;
}

TEST(InverseTrajectory, DrawsAPanelAJoint) {
  const std::string picture = folder() + "/torques.svg";
  const Outcome o =
      linkwright({"inverse", "puma560-dhanaraj", "--trajectory", motion_file(), "--friction", "--plot", picture});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "plot written to"));
  const std::string text = shell("cat " + picture).out;
  for (const char* part :
       {"<svg", "link1", "link6", "with friction", "without friction", "bearing", "transmission", "torque (N·m)"}) {
    EXPECT_TRUE(has(text, part)) << part;
  }
  if (shell("command -v python3").code == 0) {
    EXPECT_EQ(
        shell("python3 -c 'import sys, xml.dom.minidom as m; print(m.parse(sys.argv[1]).documentElement.tagName)' " +
              picture)
            .out,
        "svg\n");
  }
}

TEST(FrictionCommands, WrongUseIsRefused) {
  const std::string file = motion_file();
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  for (const Case& c : {
           Case{{"inverse", "puma560", "--friction", "--method", "ness"}, 2, "omit --method"},
           Case{{"forward", "puma560", "--friction", "--method", "aba"}, 2, "omit --method"},
           Case{{"inverse", "puma560", "--plot", "x.svg"}, 2, "requires --trajectory"},
           Case{{"inverse", "puma560", "--trajectory", file, "--q", "0,0,0,0,0,0"},
                2,
                "--q cannot be combined with --trajectory"},
           Case{{"inverse", "puma560", "--trajectory", file, "--plot", "x.png"}, 2, "use the name x.svg"},
           Case{{"inverse", "puma560", "--trajectory", file, "--out", file}, 2, "--out"},
           Case{{"inverse", "double-pendulum", "--trajectory", file}, 3, "no column `q3`"},
           Case{{"inverse", "double-pendulum", "--trajectory", write("short.csv", "t,q1,q2,qd1,qd2\n0,0,0,0,0\n")},
                3,
                "short.csv:1: the column `qdd1` is missing"},
           Case{{"inverse", "double-pendulum", "--trajectory",
                 write("back.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n0,0,90deg,0,0,0,0\n")},
                3,
                "back.csv:3: times must increase"},
           Case{{"identify", "four-bar", "--log", file}, 3, "closed loop"},
       }) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << c.says << "\n" << o.err;
    EXPECT_TRUE(o.out.empty());
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

}  // namespace friction_command_test
}  // namespace lw::test
