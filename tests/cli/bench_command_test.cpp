// bench: the fields of the contract. Speed itself is never tested.
#include <gtest/gtest.h>

#include <set>

#include "run_cli.hpp"
#include "support/sanitizer.hpp"

namespace lw::test {
namespace bench_command_test {

TEST(BenchCommand, HasTheFieldsOfTheContract) {
  const nlohmann::json json = linkwright({"bench", "double-pendulum", "--json", "--peers", "none"}).json();
  std::set<std::pair<std::string, std::string>> seen;
  for (const nlohmann::json& r : json["results"]) {
    EXPECT_EQ(r["model"], "double-pendulum");
    EXPECT_GT(r["ns"], 0.0);
    EXPECT_GT(r["ns_dependent"], 0.0);
    if (r["backend"] == "batch") {
      EXPECT_GT(r["share_of_peak"], 0.0);
      if (!kSanitized) EXPECT_LT(r["share_of_peak"], 1.0);  // a sanitizer slows down what measures the peak
    }
    seen.emplace(r["function"], r["backend"]);
  }
  for (const char* function : {"inverse", "mass-matrix", "forward", "bias", "kinematics"}) {
    for (const char* backend : {"reference", "interpreter", "jit", "batch"}) {
      EXPECT_EQ(seen.count({function, backend}), 1u) << function << ' ' << backend;
    }
  }
  EXPECT_GT(json["peak_gflops"], 0.0);
  for (const char* function : {"inverse-derivatives", "forward-derivatives"}) {
    for (const char* backend : {"reference", "interpreter", "jit"}) {
      EXPECT_EQ(seen.count({function, backend}), 1u) << function << ' ' << backend;
    }
  }
  EXPECT_EQ(json["results"].size(), seen.size());
}

TEST(BenchCommand, CoresAreChosenForEachFunction) {
  const Outcome o = linkwright({"bench", "puma560", "--cores", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  std::set<std::string> functions;
  const nlohmann::json json = o.json();
  for (const nlohmann::json& r : json["results"]) {
    functions.insert(r["function"]);
    EXPECT_GT(r["one"], 0.0);
    EXPECT_DOUBLE_EQ(r["ratio"], r["chosen"].get<double>() / r["one"].get<double>());
    EXPECT_FALSE(r["why"].get<std::string>().empty());
  }
  EXPECT_EQ(functions, (std::set<std::string>{"inverse", "forward", "mass-matrix", "bias", "kinematics", "jacobian",
                                              "inverse-derivatives", "forward-derivatives"}));
  EXPECT_EQ(linkwright({"bench", "puma560", "--long"}).code, 2);
  EXPECT_EQ(linkwright({"bench", "puma560", "--cores", "--friction"}).code, 2);
  EXPECT_EQ(linkwright({"bench", "four-bar", "--cores"}).code, 3);
}

TEST(BenchCommand, RefusesUnknownChoices) {
  EXPECT_EQ(linkwright({"bench", "double-pendulum", "--peers", "all"}).code, 2);
}

TEST(BenchCommand, NothingThatMovesIsExit3) {
  const std::string file =
      write("still.yaml",
            "linkwright: 1\nname: still\nlinks:\n  - {name: a, parent: base, joint: {type: fixed}, "
            "inertia: {mass: 1}}\n");
  const Outcome o = linkwright({"bench", file, "--peers", "none"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "no degrees of freedom")) << o.err;
}

TEST(BenchCommand, LargeModelsAreTimedWithoutTheInterpreter) {
  const Outcome o = linkwright({"bench", "chain-320", "--peers", "none", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "the interpreter is omitted")) << o.err;
  const nlohmann::json json = o.json();
  for (const nlohmann::json& r : json["results"]) {
    EXPECT_EQ(r["backend"], "reference");
    EXPECT_GE(r["repetitions"], 3);
  }
}

}  // namespace bench_command_test
}  // namespace lw::test
