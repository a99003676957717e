// ik: targets and paths, against `kinematics` of the same program and against numbers of Binder 1985.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace ik_command_test {

using Vector = std::vector<double>;

std::string joined(const Vector& v) {
  std::string text;
  for (const double x : v) text += (text.empty() ? "" : ",") + fmt::format("{}", x);
  return text;
}

Vector position_of(const std::string& model, const Vector& q, const std::string& frame) {
  const nlohmann::json json = linkwright({"kinematics", model, "--q", joined(q), "--json"}).json();
  for (const auto& f : json["frames"]) {
    if (f["name"] == frame) return f["position"];
  }
  return {};
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Ik, BringsTheFrameThereOnEveryBranch) {
  const nlohmann::json json =
      linkwright({"ik", "puma560", "--target", "0.4,0.2,0.3,0,90deg,0", "--ignore-limits", "--json"}).json();
  EXPECT_TRUE(json["reached"] && json["closed_form"]);
  ASSERT_EQ(json["solutions"].size(), 8u);
  for (const auto& s : json["solutions"]) {
    EXPECT_LE(s["position_error"], 1e-12);
    EXPECT_LE(s["rotation_error"], 1e-12);
    expect_near(position_of("puma560", s["q"], "link6"), {0.4, 0.2, 0.3}, 1e-12);
    EXPECT_TRUE(has(s["branch"], "shoulder"));
  }
  // within the limits there are fewer, and their number and the rest's is eight
  const nlohmann::json inside = linkwright({"ik", "puma560", "--target", "0.4,0.2,0.3,0,90deg,0", "--json"}).json();
  EXPECT_LT(inside["solutions"].size(), 8u);
  EXPECT_EQ(inside["solutions"].size() + inside["beyond_limits"].get<std::size_t>(), 8u);
}

TEST(Ik, StanfordArmOfBinder) {
  // M0 of section 2.2: N = (0, 1, 0), S = (√3/2, 0, 1/2), A = (1/2, 0, −√3/2) is yaw 90°, pitch 0, roll 150°
  const nlohmann::json json = linkwright({"ik", "stanford", "--target", "0.3,-0.5,-0.1,150deg,0,90deg", "--q",
                                          "-75deg,100deg,.5,30deg,74deg,0", "--branch", "1", "--json"})
                                  .json();
  ASSERT_EQ(json["solutions"].size(), 1u);
  const Vector q = json["solutions"][0]["q"];
  const double degree = M_PI / 180.0;
  EXPECT_NEAR(q[0] / degree, -74.96, 0.005);
  EXPECT_NEAR(q[1] / degree, 100.11, 0.005);
  EXPECT_NEAR(q[2], 0.57, 0.005);
  EXPECT_NEAR(q[3] / degree, 30.20, 0.005);
  EXPECT_NEAR(q[4] / degree, 73.75, 0.005);
}

TEST(Ik, OutOfReachNamesTheNearestPoint) {
  const Outcome o = linkwright({"ik", "twu-3r", "--target", "100,0,0", "--json"});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "out of reach"));
  const nlohmann::json json = o.json();
  EXPECT_FALSE(json["reached"]);
  EXPECT_TRUE(json["solutions"].empty());
  const Vector p = json["nearest"]["position"], stretched = position_of("twu-3r", {0, 0, 0}, json["frame"]);
  expect_near(p, stretched, 1e-6);
  EXPECT_NEAR(json["nearest"]["position_error"], 100.0 - stretched[0], 1e-9);
  EXPECT_EQ(linkwright({"ik", "twu-3r", "--target", "100,0,0"}).code, 1);
}

// Two links of a metre together: too few joints for a closed form.
const char* kTwo = R"(linkwright: 1
name: two
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [0.4, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: tip, parent: b, joint: {type: fixed, origin: {xyz: [0.6, 0, 0]}}}
)";

TEST(Ik, WhatTheNumericalMethodDoesNotKnowIsNotSaid) {
  const std::string file = write("two.yaml", kTwo);
  // stretched: one solution, not its neighbours too
  const Outcome one = linkwright({"ik", file, "--target", "1,0,0", "--json"});
  EXPECT_EQ(one.json()["solutions"].size(), 1u);
  EXPECT_TRUE(one.json()["beyond_limits"].is_null());
  EXPECT_TRUE(has(linkwright({"ik", file, "--target", "0.7,0.2,0"}).out, "There may be more"));
  // beyond a metre is out of reach, the hole of 0.2 m in the middle was only not found
  const Outcome far = linkwright({"ik", file, "--target", "1.01,0,0", "--json"}),
                hole = linkwright({"ik", file, "--target", "0.1,0,0", "--json"});
  EXPECT_EQ(far.code, 1);
  EXPECT_EQ(hole.code, 1);
  EXPECT_TRUE(far.json()["out_of_reach"] && has(far.err, "out of reach: ")) << far.err;
  EXPECT_TRUE(!hole.json()["out_of_reach"] && has(hole.err, "not found: ") && has(hole.err, "0.1 m away")) << hole.err;
  // where one stands for many it says so
  EXPECT_TRUE(has(linkwright({"ik", "puma560", "--target", "0.4,0.2,0.3"}).out, "selected by --q"));
}

TEST(Ik, UniversalRobotsArmHasEightSolutions) {
  const std::vector<std::string> words{"ik", "ur5", "--target", "0.3,0.1,0.5,0,90deg,0"};
  std::vector<std::string> json = words, third = words;
  json.emplace_back("--json");
  third.insert(third.end(), {"--branch", "3"});
  EXPECT_EQ(linkwright(json).json()["solutions"].size(), 8u);
  EXPECT_TRUE(has(linkwright(third).out, "\n  3  shoulder")) << linkwright(third).out;  // under its own number
}

TEST(Ik, ManyJointsStandBelowEachOther) {
  const Outcome o = linkwright({"ik", "humanoid", "--target", "0.3,0.1,0.5"});
  EXPECT_EQ(o.code, 0) << o.err;
  std::istringstream lines(o.out.substr(0, o.out.find("\n\nOne of")));
  std::size_t longest = 0, count = 0;
  for (std::string line; std::getline(lines, line); ++count) longest = std::max(longest, line.size());
  EXPECT_LT(longest, 100u);
  EXPECT_GT(count, 37u);
}

// b follows a, and no value of a suits both.
const char* kPair = R"(linkwright: 1
name: pair
links:
  - {name: a, parent: base, joint: {type: revolute, limits: {lower: 0, upper: 1}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, origin: {xyz: [1, 0, 0]}, limits: {lower: 2, upper: 3}, mimic: {joint: a}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
)";

TEST(Ik, WrongUsageIsExplained) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  for (const Case& c : std::vector<Case>{
           {{"ik", "puma560"}, 2, "either --target or --path"},
           {{"ik", "puma560", "--target", "1,2"}, 2, "not 2 values"},
           {{"ik", "puma560", "--target", "1deg,2,3"}, 2, "no angle"},
           {{"ik", "puma560", "--target", "0.4,0.2,0.3", "--frame", "link7"}, 2, "no frame `link7`"},
           {{"ik", "puma560", "--target", "0.4,0.2,0.3,0,90deg,0", "--branch", "9"}, 2, "there are only"},
           {{"ik", "puma560", "--target", "0.4,0.2,0.3", "--branch", "1.5"}, 2, "number of a solution"},
           {{"ik", "puma560", "--target", "0.4,0.2,0.3", "--out", "x.csv"}, 2, "--out requires --path"},
           {{"ik", "puma560", "--path", "nowhere.csv"}, 3, "cannot be read"},
           {{"ik", "puma560", "--path", write("a.csv", "t,x,y\n0,1,2\n")},
            3,
            "a.csv:1: either all or none of `x`, `y`, `z`"},
           {{"ik", "puma560", "--path", write("b.csv", "t,x,y,z,rol\n")}, 3, "did you mean `roll`?"},
           {{"ik", "puma560", "--path", write("c.csv", "t,x,y,z\n0,.4,.2,.3\n0,.4,.2,.3\n")},
            3,
            "c.csv:3: times must increase"},
           {{"ik", "puma560", "--path", write("d.csv", "t,x,y,z\n0,.4,.2\n")},
            3,
            "d.csv:2: 3 values, but the header has 4"},
           {{"ik", "puma560", "--path", write("e.csv", "t,x,y,z\n0,.4,.2,up\n")}, 3, "e.csv:2: `z` is not a number"},
           {{"ik", "puma560", "--path", write("f.csv", "t,x,y,z\n0,.4,.2,.3\n")}, 3, "at least three"},
           {{"ik", "puma560", "--path", write("g.csv", "t,x,y,z,wx,wy,wz\n")}, 3, "without `roll`"},
           {{"ik", "puma560", "--path", write("h.csv", "t,x,y,z,ax,ay,az\n")}, 3, "accelerations without velocities"},
           {{"ik", "puma560", "--path", write("i.csv", "t,x,y,z\n")}, 3, "no samples"},
           {{"ik", "puma560", "--path", write("j.csv", "t;x;y;z\n0;0,4;0,2;0,3\n")}, 3, "not semicolons"},
           {{"ik", "puma560", "--path", folder()}, 3, "it is a folder"},
           {{"ik", "puma560", "--path", write("l.csv", "")}, 3, "l.csv: the header is missing"},
           {{"ik", "puma560", "--path", write("m.csv", "t,x,y\x1b[31m\a,z\n")}, 3, "no column `y\\x1b[31m\\x07`"},
           {{"ik", "puma560", "--path", write("n.csv", std::string("\xFF\xFEt\0,\0x\0", 8))},
            3,
            "n.csv:1: not UTF-8 text"},
           {{"ik", "puma560", "--target", "0,0,0", "--frame", "base"}, 2, "no joint of `puma560` moves `base`"},
           {{"ik", "puma560", "--target", "1e200,0,0", "--json"}, 3, "the numbers overflow"},
           {{"ik", "puma560", "--path", write("k.csv", "t,x,y,z\n0,.4,.2,.3\n1,.4,.2,.3\n2,1e200,.2,.3\n"), "--json"},
            3,
            "the numbers overflow"},
           {{"ik", write("pair.yaml", kPair), "--target", "1,0,0"},
            3,
            "the limits of `b` and `a` contradict each other"},
           {{"ik", "puma560", "--target", "0,0,0", "--mode", "1"}, 2, "--mode requires closed loops"},
           {{"ik", "four-bar", "--target", "1,0,0"}, 1, "out of reach"}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << c.says << o.err;
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

// A line of the PUMA's wrist: x = 0.45, y = z = 0.1 + 0.2 s, s = 10τ³ − 15τ⁴ + 6τ⁵ over 2 s.
std::string line_csv(int n, bool rates) {
  std::string text = rates ? "t,x,y,z,roll,pitch,yaw,vx,vy,vz,wx,wy,wz,ax,ay,az,alphax,alphay,alphaz\n"
                           : "# no rates\nt,x,y,z,roll,pitch,yaw\n";
  for (int k = 0; k < n; ++k) {
    const double t = 2.0 * k / (n - 1), u = t / 2.0;
    const double p = 0.1 + 0.2 * (10 * u * u * u - 15 * u * u * u * u + 6 * u * u * u * u * u);
    const double v = 0.2 * (30 * u * u - 60 * u * u * u + 30 * u * u * u * u) / 2.0;
    const double a = 0.2 * (60 * u - 180 * u * u + 120 * u * u * u) / 4.0;
    text += fmt::format("{},0.45,{},{},0,60deg,0", t, p, p);
    if (rates) text += fmt::format(",0,{},{},0,0,0,0,{},{},0,0,0", v, v, a, a);
    text += '\n';
  }
  return text;
}

TEST(Ik, FollowsAPathAndWritesIt) {
  const std::string out = folder() + "/joints.csv";
  const Outcome o =
      linkwright({"ik", "puma560", "--path", write("line.csv", line_csv(201, true)), "--out", out, "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["rates"], "given");
  EXPECT_TRUE(json["singular"].empty() && json["unreached"].empty());
  ASSERT_EQ(json["q"].size(), 201u);
  expect_near(position_of("puma560", json["q"][100], "link6"), {0.45, 0.2, 0.2}, 1e-12);
  // the velocity of the frame under these rates, by `kinematics`
  const nlohmann::json k =
      linkwright({"kinematics", "puma560", "--q", joined(json["q"][100]), "--qd", joined(json["qd"][100]), "--json"})
          .json();
  expect_near(k["velocity"], {0, 0, 0, 0, 0.1875, 0.1875}, 1e-12);
  // the file has the same numbers
  std::ifstream stream(out);
  std::string header, line;
  std::getline(stream, header);
  EXPECT_EQ(header, "t,q1,q2,q3,q4,q5,q6,qd1,qd2,qd3,qd4,qd5,qd6,qdd1,qdd2,qdd3,qdd4,qdd5,qdd6");
  for (int i = 0; i <= 100; ++i) std::getline(stream, line);
  std::istringstream cells(line);
  Vector values;
  for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::stod(cell));
  ASSERT_EQ(values.size(), 19u);
  EXPECT_EQ(values[0], 1.0);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_EQ(values[1 + j], json["q"][100][j]);
    EXPECT_EQ(values[7 + j], json["qd"][100][j]);
    EXPECT_EQ(values[13 + j], json["qdd"][100][j]);
  }
  // without rates in the file they come from differences: of the second order in the step
  const nlohmann::json d =
      linkwright({"ik", "puma560", "--path", write("bare.csv", line_csv(201, false)), "--json"}).json();
  EXPECT_EQ(d["rates"], "by differences");
  expect_near(d["q"][77], json["q"][77], 1e-12);
  expect_near(d["qd"][77], json["qd"][77], 2e-4);
  expect_near(d["qdd"][77], json["qdd"][77], 2e-3);
  // another branch at the begin is another all the way
  const nlohmann::json other =
      linkwright({"ik", "puma560", "--path", folder() + "/line.csv", "--branch", "2", "--ignore-limits", "--json"})
          .json();
  expect_near(position_of("puma560", other["q"][150], "link6"), position_of("puma560", json["q"][150], "link6"), 1e-12);
  double apart = 0.0;
  for (std::size_t j = 0; j < 6; ++j) {
    apart = std::max(apart, std::abs(other["q"][150][j].get<double>() - json["q"][150][j].get<double>()));
  }
  EXPECT_GT(apart, 0.1);
}

TEST(Ik, SpreadsheetsQuoteCellsAndEndLinesWithCommas) {
  const std::string plain = "t,x,y,z\n0,.4,.2,.3\n1,.4,.21,.3\n2,.4,.22,.3\n";
  const std::string dressed = "\"t\",\" x\",\"y\",\"z\",\n0,\".4\",.2,.3,\r\n1,.4,.21,.3,,\n2,.4,.22,.3\n";
  const Outcome a = linkwright({"ik", "puma560", "--path", write("plain.csv", plain), "--json"}),
                b = linkwright({"ik", "puma560", "--path", write("dressed.csv", dressed), "--json"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out) << b.err;
}

// A path of the PUMA's hand while joint `joint` goes from one angle to another, in steps of 0.1 s.
std::string joint_csv(Vector q, std::size_t joint, double from, double to, int n) {
  std::string text = "t,x,y,z,roll,pitch,yaw\n";
  for (int k = 0; k < n; ++k) {
    q[joint] = from + (to - from) * k / (n - 1);
    const nlohmann::json hand =
        linkwright({"kinematics", "puma560", "--q", joined(q), "--json"}).json()["frames"].back();
    const Vector p = hand["position"], u = hand["quaternion"];
    const double x = u[0], y = u[1], z = u[2], w = u[3];
    text +=
        fmt::format("{},{},{},{}\n", 0.1 * k, joined(p), std::atan2(2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
                    joined({std::asin(2 * (y * w - x * z)), std::atan2(2 * (x * y + z * w), 1 - 2 * (y * y + z * z))}));
  }
  return text;
}

TEST(Ik, APathThatEndsAtALimitDoesNotJumpToAnotherBranch) {
  const Vector q{2.5, -0.7, 2.5, 0.2, 0.8, 0.1};
  const std::string path = write("jump.csv", joint_csv(q, 0, 2.5, 3.1, 21)), out = folder() + "/jump_out.csv";
  const Outcome o = linkwright({"ik", "puma560", "--path", path, "--q", joined(q), "--out", out});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "sample 11 (t = 1): the branch ends at a joint limit")) << o.err;  // 2.8 > 160°
  EXPECT_FALSE(std::filesystem::exists(out));
  const Outcome through = linkwright({"ik", "puma560", "--path", path, "--q", joined(q), "--ignore-limits", "--json"});
  EXPECT_EQ(through.code, 0);
  EXPECT_NEAR(through.json()["q"][20][0], 3.1, 1e-9);
}

TEST(Ik, RatesThatMeanNothingGetAWord) {
  // through the straight wrist
  const Vector q{0.5, -0.7, 2.5, 0.5, 0.0, 0.1};
  const Outcome o = linkwright(
      {"ik", "puma560", "--path", write("wrist.csv", joint_csv(q, 4, -0.2, 0.20001, 41)), "--q", joined(q), "--json"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "rates at sample 21")) << o.err;
  EXPECT_EQ(o.json()["doubtful"][0], 21);
  // a planar arm is not singular for being planar; a byte order mark is no column
  const Outcome planar =
      linkwright({"ik", "twu-3r", "--position-only", "--path",
                  write("planar.csv", "\xEF\xBB\xBFt,x,y,z\n0,0.5,0.3,0\n1,0.5,0.31,0\n2,0.5,0.32,0\n"), "--json"});
  EXPECT_EQ(planar.code, 0) << planar.err;
  EXPECT_TRUE(planar.json()["singular"].empty());
}

TEST(Ik, VelocitiesThatContradictThePositionsGetAWord) {
  std::string text = "t,x,y,z,vx,vy,vz\n";
  for (int k = 0; k <= 20; ++k)
    text += fmt::format("{},{},{},0.3,-0.2,0.2,0\n", 0.025 * k, 0.45 + 0.005 * k, 0.1 + 0.005 * k);
  const Outcome o = linkwright({"ik", "puma560", "--path", write("contra.csv", text), "--json"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "the rates at sample 2 (t = 0.025) and 19 more are doubtful")) << o.err;
  for (std::size_t at = text.find("-0.2"); at != std::string::npos; at = text.find("-0.2")) text.erase(at, 1);
  EXPECT_TRUE(linkwright({"ik", "puma560", "--path", write("true.csv", text), "--json"}).json()["doubtful"].empty());
}

TEST(Ik, ASingularTargetSaysThatOneStandsForMany) {
  // joints 4 and 6 of the PUMA in line
  const Vector q{0.3, -0.7, 1.9, 0.4, 0.0, 0.5};
  std::istringstream lines(joint_csv(q, 4, 0.0, 0.0, 2));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  const std::string target = line.substr(line.find(',') + 1);
  const Outcome o = linkwright({"ik", "puma560", "--target", target, "--q", joined(q)});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "1 represents infinitely many")) << o.out;
  EXPECT_EQ(
      linkwright({"ik", "puma560", "--target", target, "--q", joined(q), "--json"}).json()["solutions"][0]["freedom"],
      1);
}

TEST(Ik, APathThatLeavesTheReachIsNotWritten) {
  const std::string out = folder() + "/none.csv";
  const Outcome o = linkwright(
      {"ik", "puma560", "--path", write("far.csv", "t,x,y,z\n0,.4,.2,.3\n1,.5,.2,.3\n2,3,.2,.3\n"), "--out", out});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "sample 3 (t = 2): out of reach")) << o.err;
  EXPECT_FALSE(has(o.err, "rates")) << o.err;  // none are printed
  const nlohmann::json json = linkwright({"ik", "puma560", "--path", folder() + "/far.csv", "--json"}).json();
  for (const char* field : {"q", "qd", "qdd"}) {
    EXPECT_TRUE(json[field][1].is_array() && json[field][2].is_null()) << field;
  }
  ASSERT_EQ(json["solutions"].size(), 3u);
  EXPECT_EQ(json["solutions"][1]["q"], json["q"][1]);
  EXPECT_TRUE(json["solutions"][2]["q"].is_null());
  EXPECT_GT(json["solutions"][2]["residual"], 2.0);
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace ik_command_test
}  // namespace lw::test
