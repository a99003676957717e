// linkwright schedule: its contract with scripts, what it says of wrong calls, and that its files are what it prints.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "run_cli.hpp"
#include "schedule/choice.hpp"
#include "schedule/executor.hpp"

namespace lw {
namespace schedule_command_test {

using test::has;
using test::linkwright;
using Json = nlohmann::json;

Json scheduled(std::vector<std::string> words) {
  words.insert(words.begin(), "schedule");
  words.insert(words.end(), {"--json", "--search", "0"});
  const test::Outcome run = linkwright(words);
  EXPECT_EQ(run.code, 0) << run.err;
  return run.json();
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ScheduleCommand, SchedulesObeyTheirBoundsForAllMethodsAndGrains) {
  for (const char* grain : {"instruction", "tsa", "vector", "body", "auto", "25"}) {
    const Json json =
        scheduled({"stanford", "--method", "all", "--processors", "1,2,5", "--grain", grain, "--time-limit", "1"});
    ASSERT_EQ(json["schedules"].size(), 3 * scheduling_methods().size());
    for (const Json& s : json["schedules"]) {
      const double makespan = s["makespan"], bound = s["lower_bound"], p = s["processors"];
      EXPECT_TRUE(s["valid"].get<bool>());
      EXPECT_GE(makespan, bound * (1 - 1e-12)) << grain;
      EXPECT_GE(makespan, s["critical_path"].get<double>() * (1 - 1e-12));
      EXPECT_NEAR(s["efficiency"].get<double>() * p, s["speedup"].get<double>(), 1e-12);
      EXPECT_LE(s["efficiency"].get<double>(), 1.0 + 1e-12);
      EXPECT_GE(s["tasks"].get<int>(), 1);
      EXPECT_GE(s["levels"].get<int>(), 1);
    }
  }
}

// One processor takes all operations, one by one: the counts of `count`.
TEST(ScheduleCommand, OneIdealProcessorTakesWhatCountCounts) {
  const Json one = scheduled({"puma560", "--processors", "1", "--grain", "instruction"});
  const test::Outcome count = linkwright({"count", "puma560", "--json", "--search", "0"});
  EXPECT_EQ(one["makespan"].get<double>(), count.json()["total"].get<double>());
  EXPECT_EQ(one["critical_path"].get<double>(), count.json()["depth"].get<double>() - 1.0);  // its sine is free here
  EXPECT_EQ(one["speedup"].get<double>(), 1.0);
  EXPECT_TRUE(one["proven_optimal"].get<bool>());
}

TEST(ScheduleCommand, MachinesScaleAndFilesOfMachinesCount) {
  const Json steps = scheduled({"puma560", "--processors", "4", "--method", "hlf", "--grain", "instruction"});
  const Json intel =
      scheduled({"puma560", "--processors", "4", "--method", "hlf", "--grain", "instruction", "--machine", "8086"});
  EXPECT_NEAR(intel["makespan"].get<double>(), 45e-6 * steps["makespan"].get<double>(), 1e-12);
  const std::string file = test::write(
      "m.yaml", "machine: twice\nunit: steps\nprocessors: 4\noperations: {multiplication: 2, addition: 2}\n");
  const Json twice =
      scheduled({"puma560", "--processors", "4", "--method", "hlf", "--grain", "instruction", "--machine", file});
  EXPECT_EQ(twice["makespan"].get<double>(), 2.0 * steps["makespan"].get<double>());
  const Json t800 = scheduled({"puma560", "--processors", "1-3", "--machine", "t800"});
  EXPECT_LT(t800["makespan"].get<double>(), t800["schedules"][0]["makespan"].get<double>());
  EXPECT_GT(t800["recommended"]["processors"].get<int>(), 1);
}

TEST(ScheduleCommand, WritesChartsAndTables) {
  const std::string folder = test::folder();
  const Json json =
      scheduled({"twu-3r", "--processors", "2", "--gantt", folder + "/a.svg", "--csv", folder + "/a.csv"});
  const std::string svg = content(folder + "/a.svg"), csv = content(folder + "/a.csv");
  EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 80);
  EXPECT_TRUE(has(svg, "inverse of twu-3r on ideal"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), json["tasks"].get<int>() + 1);
  scheduled({"twu-3r", "--processors", "2", "--gantt", folder + "/a.html"});
  EXPECT_TRUE(content(folder + "/a.html").starts_with("<!doctype html>"));
}

TEST(ScheduleCommand, FrictionAddsTasks) {
  const Json without = scheduled({"puma560-dhanaraj", "--processors", "2"});
  const Json with = scheduled({"puma560-dhanaraj", "--processors", "2", "--friction"});
  EXPECT_GT(with["tasks"].get<int>(), without["tasks"].get<int>());
}

TEST(ScheduleCommand, SaysWhyAndWhatIsRecommended) {
  const test::Outcome run = linkwright({"schedule", "puma560", "--search", "0", "--processors", "1-3"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "Recommended: 3 processors, because")) << run.out;
  const test::Outcome dear = linkwright({"schedule", "twu-3r", "--search", "0", "--processors", "1,2", "--machine",
                                         test::write("dear.yaml",
                                                     "machine: dear\nunit: seconds\noperations: {multiplication: 1e-9, "
                                                     "addition: 1e-9}\nmessages: {start_up: 1e-3}\n")});
  EXPECT_TRUE(has(dear.out, "Recommended: 1 processor, because a hop costs 1 ms and the whole function")) << dear.out;
}

TEST(ScheduleCommand, AMechanismInWhichNothingMovesIsNotTimed) {
  const std::string block =
      test::write("block.yaml",
                  "linkwright: 1\nname: block\nlinks:\n  - {name: block, parent: base, joint: {type: fixed}, inertia: "
                  "{mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.01, 0.01]}}\n");
  const test::Outcome o =
      linkwright({"schedule", block, "--function", "inverse", "--machine", "host", "--processors", "1", "--run"});
  EXPECT_NE(o.code, 0);
  EXPECT_TRUE(has(o.err, "`block` has no degrees of freedom: there is nothing to time")) << o.err;
}

// Times are for benchmarks; here it is that all ways give the same bits, and that each has its row.
TEST(ScheduleCommand, RunsOnTheCoresOfThisComputer) {
  const std::vector<int> cores = allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "there is one core";
  for (const char* peers : {"auto", "none"}) {
    const Json json = scheduled({"ur5", "--function", "inverse-derivatives", "--machine", "host", "--processors", "2",
                                 "--run", "--seconds", "1", "--peers", peers});
    EXPECT_EQ(json["same_bits"], true);
    ASSERT_EQ(json["runs"].size(), 2u);
    for (int k = 0; k < 2; ++k) {
      const Json& run = json["runs"][static_cast<std::size_t>(k)];
      EXPECT_EQ(run["processors"], k + 1);
      EXPECT_GT(run["measured"].get<double>(), 0.0);
      EXPECT_GT(run["predicted"].get<double>(), 0.0);
    }
    EXPECT_EQ(json["runs"][0]["speedup"], 1.0);
    if (!json.contains("peers")) continue;  // no adapter
    EXPECT_STREQ(peers, "auto");
    EXPECT_EQ(json["peers"][0]["name"], "tbb");
    EXPECT_EQ(json["peers"][0]["processors"], 2);
    EXPECT_GT(json["peers"][0]["measured"].get<double>(), 0.0);
  }
}

TEST(ScheduleCommand, WrongCallsAreRefusedClearly) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  for (const Case& c : {Case{{}, 2, "needs MODEL"},
                        {{"puma560", "--processors", "0"}, 2, "from 1 to"},
                        {{"puma560", "--processors", "4-2"}, 2, "less than"},
                        {{"puma560", "--processors", "many"}, 2, "1-8"},
                        {{"puma560", "--grain", "fine"}, 2, "--grain needs"},
                        {{"puma560", "--grain", "200ns"}, 2, "counts steps"},
                        {{"puma560", "--machine", "t8000"}, 3, "t800"},
                        {{"puma560", "--machine", "t425", "--processors", "4"}, 2, "has 3 processors"},
                        {{"puma560", "--method", "luck"}, 2, "luck"},
                        {{"puma560", "--gantt", "a.png"}, 2, "SVG or HTML"},
                        {{"puma560", "--csv", "a.txt"}, 2, ".csv"},
                        {{"puma560", "--peers", "none"}, 2, "--peers requires --run"},
                        {{"puma560", "--run", "--machine", "ideal"}, 2, "--machine host"},
                        {{"puma560", "--run", "--gantt", "x.svg"}, 2, "--gantt cannot be combined with --run"},
                        {{"puma560", "--time-limit", "0"}, 2, "--time-limit"}}) {
    std::vector<std::string> words = c.words;
    words.insert(words.begin(), "schedule");
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, c.code) << c.says << "\n" << run.err;
    EXPECT_TRUE(has(run.err, c.says)) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace schedule_command_test
}  // namespace lw
