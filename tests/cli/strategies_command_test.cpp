// linkwright compile --simulator, compile --strategy and strategies, as a user calls them.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "run_cli.hpp"

namespace lw {
namespace strategies_command_test {

namespace fs = std::filesystem;
using test::has;
using test::linkwright;
using Json = nlohmann::json;

std::string out_folder(const std::string& name) { return test::folder() + "/" + name; }

TEST(CompileSimulator, WritesAProgramThatWasTried) {
  const std::string out = out_folder("simulator");
  const test::Outcome run =
      linkwright({"compile", "double-pendulum", "--simulator", "--inertias", "--search", "0", "--out", out, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json json = run.json();
  EXPECT_EQ(json["self_test"], "passed");
  EXPECT_EQ(json["parameters"], Json({"m1", "m2", "l1", "l2", "r"}));  // all inertias have names
  std::set<std::string> there;
  for (const auto& entry : fs::directory_iterator(out)) there.insert(entry.path().filename().string());
  EXPECT_EQ(there, (std::set<std::string>{"double_pendulum.cpp", "double_pendulum.data", "Makefile",
                                          "double_pendulum_cpp_report.json"}));
  std::set<std::string> functions;
  for (const auto& f : json["functions"]) {
    functions.insert(f["name"].get<std::string>());
    EXPECT_LT(f["error"].get<double>(), 1e-10) << f;
  }
  EXPECT_EQ(functions, (std::set<std::string>{"forward", "forward-tangent", "inverse", "inverse-tangent", "energy",
                                              "rates", "rates-tangent"}));
}

TEST(CompileSimulator, WhatDoesNotGoTogether) {
  const auto says = [](std::vector<std::string> words, int code, const std::string& what) {
    words.insert(words.begin(), {"compile", "double-pendulum"});
    words.insert(words.end(), {"--out", out_folder("none")});
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, code) << what;
    EXPECT_TRUE(has(run.err, what)) << run.err;
  };
  says({"--simulator", "--language", "fortran"}, 2, "a simulator is written in C++, not fortran");
  says({"--simulator", "--float"}, 2, "--float cannot be combined with --simulator");
  says({"--simulator", "--strategy", "loops"}, 2, "--strategy cannot be combined with --simulator");
  says({"--simulator", "--keep", "m9"}, 2, "m9");
  says({"--inertias"}, 2, "--inertias requires --simulator");
  says({"--strategy", "loops", "--language", "python"}, 2, "--strategy loops requires C or C++, not python");
  says({"--strategy", "cse", "--functions", "forward"}, 2, "--strategy cse is for `inverse` alone");
  says({"--strategy", "cse", "--friction"}, 2, "strategies are for dynamics without friction");
  says({"--strategy", "fast"}, 2, "fast");
  EXPECT_FALSE(fs::exists(out_folder("none")));
  const test::Outcome closed = linkwright({"compile", "four-bar", "--simulator", "--out", out_folder("none")});
  EXPECT_EQ(closed.code, 3);
  EXPECT_TRUE(has(closed.err, "loop")) << closed.err;
}

TEST(CompileStrategy, InCAndCpp) {
  for (const char* strategy : {"expand", "loops", "cse"}) {
    for (const char* language : {"c", "c++"}) {
      const test::Outcome run =
          linkwright({"compile", "twu-3r", "--strategy", strategy, "--language", language, "--keep", "m2,l1", "--out",
                      out_folder(std::string(strategy) + language), "--json"});
      ASSERT_EQ(run.code, 0) << strategy << " " << language << run.err;
      EXPECT_EQ(run.json()["self_test"], "passed");
      EXPECT_EQ(run.json()["strategy"], strategy);
    }
  }
}

TEST(Strategies, ComparesAndSaysWhereItGivesUp) {
  const test::Outcome run = linkwright({"strategies", "--joints", "3..3", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json results = run.json()["results"];
  ASSERT_EQ(results.size(), 4u);
  for (const Json& r : results) {
    EXPECT_EQ(r["joints"], 3);
    for (const char* field : {"multiplications", "source_bytes", "generation_seconds", "generation_kilobytes",
                              "compilation_seconds", "compilation_kilobytes", "object_bytes", "ns"}) {
      EXPECT_GT(r[field].get<double>(), 0.0) << r["strategy"] << field;
    }
    EXPECT_LT(r["error"].get<double>(), 1e-12);
  }
  EXPECT_GT(results[0]["multiplications"].get<int>(), results[3]["multiplications"].get<int>());
  const test::Outcome large = linkwright({"strategies", "--joints", "6"});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_TRUE(has(large.out, "more than 10000 terms: given up")) << large.out;
  for (const char* bad : {"0..3", "3..2", "2..13", "two"})
    EXPECT_EQ(linkwright({"strategies", "--joints", bad}).code, 2) << bad;
}

}  // namespace strategies_command_test
}  // namespace lw
