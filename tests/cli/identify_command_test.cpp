// excite and identify: a motion out, its log in, the mechanism back; what is wrong with a log is said with its line.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace identify_command_test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

nlohmann::json run(std::vector<std::string> words) {
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  return o.json();
}

std::vector<std::string> lines(const std::string& file) {
  std::vector<std::string> out;
  std::ifstream stream(folder() + "/" + file);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

Vector numbers(const std::string& line) {
  Vector out;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) out.push_back(std::stod(cell));
  return out;
}

TEST(ExciteCommand, TheFileHoldsTheSeriesOfTheJson) {
  const nlohmann::json json = run({"excite", "double-pendulum", "--harmonics", "3", "--period", "4", "--velocity", "3",
                                   "--evaluations", "60", "--rate", "20", "--q", "30deg,0.2", "--out", "motion.csv"});
  const std::vector<std::string> rows = lines("motion.csv");
  ASSERT_EQ(rows.size(), 82u);
  EXPECT_EQ(rows[0], "t,q1,q2,qd1,qd2,qdd1,qdd2");
  const Matrix A = json["A"], B = json["B"];
  ASSERT_EQ(A[0].size(), 3u);
  EXPECT_EQ(json["start"][1], 0.2);
  EXPECT_EQ(json["evaluations"], 60);
  EXPECT_LE(json["condition"], json["of_candidates"]);
  const double w = 2.0 * std::numbers::pi / 4.0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Vector row = numbers(rows[i]);
    for (std::size_t k = 0; k < 2; ++k) {
      double q = k == 0 ? std::numbers::pi / 6.0 : 0.2, qd = 0.0;
      for (int l = 1; l <= 3; ++l) {
        const double a = A[k][static_cast<std::size_t>(l - 1)], b = B[k][static_cast<std::size_t>(l - 1)],
                     s = l * w * row[0];
        q += a * (std::cos(s) - 1.0) + b * std::sin(s);
        qd += l * w * (b * std::cos(s) - a * std::sin(s));
      }
      EXPECT_NEAR(row[1 + k], q, 1e-12);
      EXPECT_NEAR(row[3 + k], qd, 1e-12);
      EXPECT_LE(std::abs(row[3 + k]), 3.0);
    }
  }
}

TEST(IdentifyCommand, GivesAMechanismBackFromItsOwnLog) {
  run({"excite", "double-pendulum", "--evaluations", "40", "--torques", "--out", "log.csv"});
  // from wrong masses; what is right is m/2 l and so on of rods
  const nlohmann::json json = run({"identify", "double-pendulum", "--set", "m1=3", "--set", "m2=0.5", "--log",
                                   "log.csv", "--holdout", "0.25", "--out", "fitted.yaml"});
  const std::map<std::string, double> expected{{"upper.mz", -0.25 - 0.5}, {"lower.mz", -0.25}, {"lower.coulomb", 0.0}};
  std::size_t found = 0;
  for (const nlohmann::json& p : json["parameters"]) {
    EXPECT_TRUE(p["identifiable"]) << p;
    if (!expected.contains(p["name"])) continue;
    EXPECT_NEAR(p["value"], expected.at(p["name"]), 1e-9) << p;
    ++found;
  }
  EXPECT_EQ(found, expected.size());
  EXPECT_EQ(json["rank"], 10);
  EXPECT_TRUE(json["filter"].is_null());
  EXPECT_EQ(json["set"][0], "m1=3");
  EXPECT_LT(json["joints"][1]["holdout_rms"], 1e-9);
  EXPECT_GT(json["joints"][1]["holdout_rows"], 240);
  const std::vector<std::string> state{"--q", "0.4,-0.3", "--qd", "2,1", "--qdd", "-3,4"};
  const auto torque = [&](const std::string& model) {
    std::vector<std::string> words{"inverse", model};
    words.insert(words.end(), state.begin(), state.end());
    return run(words)["tau"].get<Vector>();
  };
  // it says where it comes from
  const std::vector<std::string> head = lines("fitted.yaml");
  EXPECT_TRUE(head.at(0).starts_with(fmt::format("# identified from log.csv: {} samples", json["samples"].get<int>())))
      << head[0];
  EXPECT_TRUE(has(head.at(1),
                  fmt::format("rms of the estimates: upper {:.3g}", json["joints"][0]["residual_rms"].get<double>())))
      << head[1];
  const Vector fitted = torque(folder() + "/fitted.yaml"), true_one = torque("double-pendulum");
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(fitted[k], true_one[k], 1e-5);
}

// Links fixed to others become one body with them.
TEST(IdentifyCommand, FittedFilesOfOtherFormatsHaveTheTorquesOfTheLog) {
  run({"excite", "arm7", "--velocity", "1", "--evaluations", "3", "--torques", "--out", "arm7.csv"});
  run({"identify", "arm7", "--log", "arm7.csv", "--out", "arm7.yaml"});
  const std::vector<std::string> state{"--q",   ".1,.2,.3,.4,.5,.6,.7", "--qd", "1,1,1,1,1,1,1",
                                       "--qdd", "1,2,3,4,5,6,7"};
  const auto torque = [&](const std::string& model) {
    std::vector<std::string> words{"inverse", model};
    words.insert(words.end(), state.begin(), state.end());
    return run(words)["tau"].get<Vector>();
  };
  const Vector fitted = torque(folder() + "/arm7.yaml"), true_one = torque("arm7");
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(fitted[k], true_one[k], 1e-6);
}

TEST(IdentifyCommand, WhatIsWrongWithALogIsSaidWithItsLine) {
  const auto with = [](const std::string& name, const std::string& text) {
    return linkwright({"identify", "double-pendulum", "--log", write(name, text)});
  };
  const std::string header = "t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n";
  std::string uneven = "t,q1,q2,tau1,tau2\n";
  for (int i = 0; i < 200; ++i) {
    uneven += fmt::format("{},{},{},0,0\n", i == 70 ? 0.707 : 0.01 * i, std::sin(0.1 * i), std::cos(0.07 * i));
  }
  struct Case {
    Outcome outcome;
    const char* says;
  };
  for (const Case& c : std::vector<Case>{
           {with("a.csv", "t,q1,q3\n0,1,2\n"),
            "a.csv:1: a log of `double-pendulum`, which has 2 coordinates and 2 velocities, has no column `q3`"},
           {with("b.csv", "t,q1,q2,qd1,qd2\n0,1,2,3,4\n"), "b.csv:1: the column `tau1` is missing"},
           {with("c.csv", "t,q1,q2,qd1,tau1,tau2\n0,1,2,3,4,5\n"), "c.csv:1: the column `qd2` is missing"},
           {with("d.csv", header + "0,1,1,1,1,1,1,1,1\n1,1,1,nan,1,1,1,1,1\n"),
            "d.csv:3: `qd1` is `nan`, but must be finite"},
           {with("e.csv", header + "0,1,1,1,1,1,1,1,x\n"), "e.csv:2: `tau2` is not a number: `x`"},
           {with("f.csv", header + "0,1,1,1,1,1,1,1\n"), "f.csv:2: 8 values, but the header has 9"},
           {with("g.csv", header + "1,1,1,1,1,1,1,1,1\n1,1,1,1,1,1,1,1,1\n"), "g.csv:3: times must increase"},
           {with("h.csv", header + "0,1,1,1,1,1,1,1,1\n1,1,1,1,1,1,1,1,1\n"), "2 samples are too few"},
           {with("i.csv", uneven), "not sampled at equal steps"},
           {with("j.csv", ""), "t,q1,qd1,tau1"}}) {
    EXPECT_EQ(c.outcome.code, 3) << c.says;
    EXPECT_TRUE(c.outcome.out.empty());
    EXPECT_TRUE(has(c.outcome.err, c.says)) << c.outcome.err;
  }
  EXPECT_EQ(linkwright({"identify", "double-pendulum", "--log", "nowhere.csv"}).code, 3);
}

TEST(IdentifyCommand, WrongUsageIsRefused) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  const std::string log = write("x.csv", "t,q1,q2,tau1,tau2\n0,0,0,0,0\n");
  for (const Case& c : std::vector<Case>{
           {{"identify", "double-pendulum"}, 2, "--log FILE.csv"},
           {{"identify", "double-pendulum", "--log", log, "--friction", "vicous"}, 2, "did you mean `viscous`?"},
           {{"identify", "double-pendulum", "--log", log, "--friction-joints", "uper"}, 2, "did you mean `upper`?"},
           {{"identify", "double-pendulum", "--log", log, "--holdout", "2"}, 2, "held out"},
           {{"identify", "double-pendulum", "--log", log, "--out", "x.urdf"}, 2, "use the name x.yaml"},
           {{"identify", "four-bar", "--log", log}, 3, "closed loop"},
           {{"excite", "double-pendulum", "--harmonics", "1"}, 2, "--harmonics needs an integer from 2"},
           {{"excite", "double-pendulum", "--velocity", "1,2,3"}, 2, "one value, or 2 values, not 3"},
           {{"excite", "double-pendulum", "--velocity=-1"}, 2, "--velocity must be positive"},
           {{"excite", "double-pendulum", "--torques"}, 2, "--out"},
           {{"excite", "double-pendulum", "--period", "0"}, 2, "a period cannot be 0 s"},
           {{"excite", "puma560", "--effort", "1"}, 3, "holding the posture"},
           {{"excite", "quadruped"}, 3, "quaternions"}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << c.says;
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

}  // namespace identify_command_test
}  // namespace lw::test
