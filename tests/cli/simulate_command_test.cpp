// simulate: the scenarios that come with the project, what files hold, round trips, mistakes, interrupts.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/report/verify_page.hpp"
#include "model/read/read.hpp"
#include "run_cli.hpp"

namespace lw::test {
namespace simulate_command_test {

using Vector = std::vector<double>;

std::string content(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name.starts_with('/') ? name : folder() + "/" + name, std::ios::binary).rdbuf();
  return text.str();
}
std::string example(const std::string& name) { return LW_SOURCE_DIR "/examples/scenarios/" + name; }

struct Sheet {
  std::vector<std::string> names;
  std::vector<Vector> rows;
  std::size_t column(const std::string& name) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
};
Sheet sheet(const std::string& name) {
  std::istringstream text(content(name));
  EXPECT_TRUE(text.str().ends_with('\n')) << name << " ends within a line";
  Sheet s;
  std::string line, cell;
  std::getline(text, line);
  for (std::istringstream head(line); std::getline(head, cell, ',');) s.names.push_back(cell);
  while (std::getline(text, line)) {
    s.rows.emplace_back();
    for (std::istringstream row(line); std::getline(row, cell, ',');) s.rows.back().push_back(std::stod(cell));
    EXPECT_EQ(s.rows.back().size(), s.names.size());
  }
  return s;
}
nlohmann::json run(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json();
}

TEST(SimulateCommand, EveryExampleRuns) {
  const std::vector<std::pair<std::string, std::string>> of{{"double-pendulum-fall.yaml", "double-pendulum"},
                                                            {"puma560-reach.yaml", "puma560"},
                                                            {"excavator-swing.yaml", "cat215b"}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LW_SOURCE_DIR "/examples/scenarios")) {
    files += entry.path().extension() == ".yaml";
  }
  EXPECT_EQ(files, of.size());
  for (const auto& [file, model] : of) {
    const nlohmann::json json = run({model, "--scenario", example(file), "--no-compile", "--out", "example.csv",
                                     "--mcap", "example.mcap", "--plot", "example.svg"});
    EXPECT_GT(json["steps"], 100) << file;
    EXPECT_LT(json["energy_residual"], 1e-6) << file;
    EXPECT_GE(json["events"].size(), 1u) << file;
    const Sheet s = sheet("example.csv");
    EXPECT_EQ(s.rows.size(), json["rows"]) << file;
    EXPECT_EQ(s.rows.back()[0], json["final"]["t"]) << file;
    EXPECT_EQ(s.rows.back()[1], json["final"]["q"][0]) << file;
    EXPECT_TRUE(content("example.svg").ends_with("</svg>\n"));
    EXPECT_TRUE(content("example.mcap").ends_with(std::string("\x89MCAP0\r\n", 8)));
  }
  // the arm ends at the elbow's limit of 225 degrees
  const nlohmann::json reach = run({"puma560", "--scenario", example("puma560-reach.yaml"), "--no-compile"});
  EXPECT_EQ(reach["end"], "event");
  EXPECT_EQ(reach["ended_by"], "upper limit of link3");
  EXPECT_NEAR(reach["final"]["q"][2], 225.0 / 180.0 * M_PI, 1e-12);
}

// The tip of the pendulum as the scenario's formula has it, and the energy, from the columns.
// h ω = 3 is beyond 2.83, where rk4 ceases to be stable: an undamped oscillator gains energy with every step.
TEST(SimulateCommand, StopsWhereStepsMakeEnergy) {
  std::ofstream(folder() + "/oscillator.yaml")
      << "linkwright: 1\nname: oscillator\ngravity: [0, 0, 0]\nlinks:\n"
         "  - {name: s, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 1, tensor: [1, 1, 1]}, "
         "spring: {stiffness: 100, rest: 0}}\n";
  const std::vector<std::string> words{"simulate", "oscillator.yaml", "--q", "0.1",    "--duration",
                                       "30",       "--integrator",    "rk4", "--step", "0.3"};
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find("does not balance"), std::string::npos) << o.err;
  std::vector<std::string> unguarded = words;
  unguarded.push_back("--no-guard");
  EXPECT_EQ(linkwright(unguarded).code, 0);
}

// From rest the first step has no velocity to measure anything by, and a heavy machine has more joules than tolerances.
TEST(SimulateCommand, GoesOnFromRestWhateverTheMethod) {
  run({"four-bar", "--duration", "1", "--integrator", "rk4", "--step", "0.01"});
  run({"four-bar", "--duration", "1", "--integrator", "verner", "--step", "0.01"});
  run({"stewart", "--duration", "0.3", "--integrator", "rk4", "--step", "0.01"});
  run({"excavator", "--duration", "0.3", "--integrator", "cvode", "--rtol", "1e-6", "--atol", "1e-6"});
  run({"cat215b", "--duration", "0.3", "--integrator", "cvode", "--rtol", "1e-8", "--atol", "1e-8"});
}

TEST(SimulateCommand, ColumnsHoldWhatTheirNamesSay) {
  run({"double-pendulum", "--scenario", example("double-pendulum-fall.yaml"), "--no-compile", "--out", "fall.csv"});
  const Sheet s = sheet("fall.csv");
  EXPECT_EQ(s.names, (std::vector<std::string>{"t", "q1", "q2", "qd1", "qd2", "qdd1", "qdd2", "tau1", "tau2", "energy",
                                               "out.height"}));
  for (const Vector& r : s.rows) {
    EXPECT_NEAR(r[10], -0.5 * std::cos(r[1]) - 0.5 * std::cos(r[1] + r[2]), 1e-12);
    EXPECT_NEAR(r[9], s.rows[0][9], 1e-9);  // nothing is lost
  }
}

// simulate, then inverse along what it wrote: the torques come back, with friction and without.
TEST(SimulateCommand, TorquesComeBackFromTheMotion) {
  for (const bool friction : {false, true}) {
    std::vector<std::string> words{
        "puma560-dhanaraj",         "--duration", "0.5",  "--tau",        "30,20,-10,1,2,1", "--qd",
        "0.5,0.5,-0.5,0.3,0.2,0.4", "--sample",   "0.02", "--no-compile", "--out",           "there.csv"};
    if (!friction) words.emplace_back("--no-friction");
    run(words);
    std::vector<std::string> back{"inverse", "puma560-dhanaraj", "--trajectory", "there.csv",
                                  "--out",   "back.csv",         "--quiet"};
    if (friction) back.emplace_back("--friction");
    const Outcome o = linkwright(back);
    ASSERT_EQ(o.code, 0) << o.err;
    const Sheet there = sheet("there.csv"), torques = sheet("back.csv");
    ASSERT_EQ(there.rows.size(), 26u);
    ASSERT_EQ(torques.rows.size(), there.rows.size());
    int compared = 0;
    for (std::size_t i = 0; i < there.rows.size(); ++i) {
      for (const char* joint : {"1", "2", "3", "4", "5", "6"}) {
        const std::string k = joint;
        if (friction && there.rows[i][there.column("qd" + k)] == 0.0) continue;  // held: no function of the motion
        EXPECT_NEAR(torques.rows[i][torques.column("tau" + k)], there.rows[i][there.column("tau" + k)], 1e-9)
            << friction;
        ++compared;
      }
    }
    EXPECT_GE(compared, 100);
  }
}

TEST(SimulateCommand, EveryIntegratorFallsAlike) {
  const nlohmann::json exact = run({"double-pendulum", "--duration", "0.5", "--rtol", "1e-12", "--no-compile"});
  const std::map<std::string, double> tolerance{{"semi-implicit-euler", 2e-2},
                                                {"taylor", 2e-2},
                                                {"implicit-midpoint", 1e-4},
                                                {"rk4", 1e-8},
                                                {"gill", 1e-8},
                                                {"verner", 1e-9},
                                                {"cvode", 1e-6}};
  for (const auto& [name, error] : tolerance) {
    const nlohmann::json json =
        run({"double-pendulum", "--duration", "0.5", "--step", "0.001", "--integrator", name, "--no-compile"});
    EXPECT_EQ(json["integrator"], name);
    EXPECT_NEAR(json["final"]["q"][1], exact["final"]["q"][1], error) << name;
    if (name != "cvode") {
      EXPECT_EQ(json["steps"], 500) << name;
    }
  }
}

TEST(SimulateCommand, CompiledAndNotGiveTheSameMotion) {
  const nlohmann::json compiled = run({"double-pendulum", "--duration", "0.3", "--step", "0.001"}),
                       plain = run({"double-pendulum", "--duration", "0.3", "--step", "0.001", "--no-compile"});
  EXPECT_EQ(plain["way"], "reference");
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(compiled["final"]["q"][k], plain["final"]["q"][k], 1e-12);
}

TEST(SimulateCommand, MistakesAreNamed) {
  const std::string bad = write("bad.yaml", "scenario: 1\nduration: 1\ninputs: {uper: 2}\n");
  const std::string nan = write("nan.yaml", "scenario: 1\nduration: 2\ninputs: {upper: sqrt(0.5 - t)}\n");
  const std::string still = write("still.yaml", "scenario: 1\nduration: 1\nintegrator: {method: rk4, step: 0}\n");
  write("log.csv", "t,tau1\n0,1\n0.5,nan\n");
  const std::string log = write("log.yaml", "scenario: 1\nduration: 1\ninputs: {upper: {file: log.csv}}\n");
  const std::string growing =
      write("growing.yaml", "scenario: 1\nduration: 1\ninitial: {qd: {upper: 1}}\ninputs: {upper: 10*qd.upper^2}\n");
  const std::string zeno = write(
      "zeno.yaml",
      "scenario: 1\nduration: 2\nevents: [{name: again, crossing: q.upper, set: {q.upper: 1e-9, qd.upper: -1}}]\n");
  struct Case {
    std::vector<std::string> words;
    int code;
    std::vector<std::string> says;
  };
  for (const Case& c : std::vector<Case>{
           {{}, 2, {"the duration is missing"}},
           {{"--duration", "-1"}, 2, {"--duration must be positive"}},
           {{"--duration", "nan"}, 2, {"--duration needs a number"}},
           {{"--duration", "1", "--step", "0"}, 2, {"--step must be positive"}},
           {{"--duration", "1", "--step", "1e-30"},
            2,
            {"this would write 1.0e+30 rows", "increase --sample or --step"}},
           {{"--duration", "1", "--rtol", "1e-30"}, 2, {"between 1e-15, which numbers can just tell, and 1"}},
           {{"--duration", "1", "--sample", "1e-12"}, 2, {"this would write 1.0e+12 rows, one every 1e-12 s"}},
           {{"--duration", "1", "--integrator", "rk4"}, 2, {"`rk4` needs a step"}},
           {{"--duration", "1", "--integrator", "rk5"}, 2, {"did you mean `rk4`?"}},
           {{"--duration", "1", "--q", "1"}, 2, {"--q"}},
           {{"--duration", "1", "--out", "x.txt"}, 2, {"--out writes CSV: use the name x.csv"}},
           {{"--duration", "1", "--out", "no/where.csv"}, 3, {"there is no folder"}},
           {{"--scenario", "nowhere.yaml"}, 3, {"nowhere.yaml", "no such file"}},
           {{"--scenario", bad},
            3,
            {"bad.yaml:3:10: error:", "no joint `uper`", "inputs: {uper: 2}", "did you mean `upper`?"}},
           {{"--scenario", still}, 3, {"still.yaml:3:33: error: `step` should be greater than 0, not `0`"}},
           {{"--scenario", log}, 3, {"log.yaml:3:24: error: ", "log.csv:3: `nan` is not a finite number"}},
           {{"--duration", "1", "--tau", "nan,0"}, 3, {"--tau value 1 (`upper`) is `nan`"}},
           {{"--scenario", growing, "--out", "part.csv", "--sample", "0.001"},
            3,
            {"step size underflow", "`upper`", "t = 0.0", "q = ", "`cvode`"}},
           {{"--scenario", growing, "--integrator", "rk4", "--step", "0.002", "--out", "part.csv"},
            3,
            {"the energy of the motion does not balance", "at t = 0.02",
             "q = ", "with steps of 0.002 s the motion grows without bound: a shorter step"}},
           {{"--scenario", nan, "--out", "part.csv"},
            3,
            {"the torque of `upper` is not a number at t = 0.5 s", "q = ", "do not get by"}},
           {{"--scenario", zeno, "--out", "part.csv"}, 3, {"`again` recurs endlessly", "t = ", "q = ", "qd = "}}}) {
    std::vector<std::string> words{"simulate", "double-pendulum", "--no-compile"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    std::filesystem::remove(folder() + "/part.csv");
    const Outcome o = linkwright(words);
    EXPECT_EQ(o.code, c.code) << o.err;
    for (const std::string& part : c.says) EXPECT_TRUE(has(o.err, part)) << "wanted " << part << " in\n" << o.err;
    // what was computed before is there, complete
    if (std::ranges::find(words, "part.csv") != words.end()) {
      EXPECT_GE(sheet("part.csv").rows.size(), 10u) << words[4];
    }
  }
}

TEST(SimulateCommand, AnInterruptLeavesCompleteFiles) {
  const Outcome o = interrupted({"simulate", "double-pendulum", "--duration", "1e6", "--step", "0.001", "--sample",
                                 "0.1", "--no-compile", "--out", "long.csv", "--mcap", "long.mcap", "--json"},
                                1500);
  EXPECT_EQ(o.code, 130);
  EXPECT_TRUE(has(o.err, "interrupted at t = ")) << o.err;
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["end"], "interrupted");
  const Sheet s = sheet("long.csv");
  EXPECT_GE(s.rows.size(), 3u);
  EXPECT_EQ(s.rows.back()[0], json["final"]["t"]);
  EXPECT_TRUE(content("long.mcap").ends_with(std::string("\x89MCAP0\r\n", 8)));
}

// One file on a full disk: the run ends and says so, the other files are whole, and nothing claims what is not there.
TEST(SimulateCommand, AFullDiskEndsTheRunAndKeepsTheRest) {
  const Outcome o = linkwright({"simulate", "double-pendulum", "--duration", "20", "--no-compile", "--out", "/dev/full",
                                "--mcap", "kept.mcap", "--plot", "kept.svg", "--json"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "`/dev/full` cannot be written: No space left on device, at t = ")) << o.err;
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["end"], "failed");
  EXPECT_EQ(json["files"], (std::vector<std::string>{"kept.mcap", "kept.svg"}));
  EXPECT_TRUE(content("kept.mcap").ends_with(std::string("\x89MCAP0\r\n", 8)));
  EXPECT_TRUE(content("kept.svg").ends_with("</svg>\n"));
  // a short run fills no block: it is noticed at the end
  const Outcome brief =
      linkwright({"simulate", "double-pendulum", "--duration", "0.1", "--no-compile", "--out", "/dev/full", "--json"});
  EXPECT_EQ(brief.code, 3);
  EXPECT_TRUE(has(brief.err, "`/dev/full` cannot be written: No space left on device")) << brief.err;
  EXPECT_EQ(brief.json()["end"], "duration");
  EXPECT_TRUE(brief.json()["files"].empty());
  // room for 200 blocks of 512 bytes, by a limit on the size of files: whole rows, as many as fit
  const Outcome small = shell(
      "trap '' XFSZ; ulimit -f 200; linkwright simulate double-pendulum --duration 50 --no-compile --out small.csv "
      "--sample 0.001 > /dev/null");
  EXPECT_EQ(small.code, 3);
  EXPECT_TRUE(has(small.err, "`small.csv` cannot be written: File too large; it holds what came before, at t = "))
      << small.err;
  const Sheet s = sheet("small.csv");
  ASSERT_GT(s.rows.size(), 300u);
  EXPECT_EQ(s.rows[300][0], 0.3);
}

TEST(SimulateCommand, ProgressIsForTerminals) {
  const std::string line = "linkwright simulate double-pendulum --duration 1e6 --step 0.001 --sample 10 --no-compile";
  if (shell("command -v script").code != 0) GTEST_SKIP() << "there is no `script`";
  EXPECT_TRUE(has(shell("timeout -s INT 2 script -qec 'timeout -s INT 1.5 " + line + "' /dev/null").out, "░"));
  EXPECT_FALSE(has(shell("timeout -s INT 1.5 " + line + " 2>&1").out, "░"));
}

TEST(VerifyCommand, SaysWhatAgreesAndWritesAPage) {
  const Outcome o = linkwright(
      {"verify", "double-pendulum", "--no-compile", "--states", "10", "--json", "--out", "page.html", "--quiet"});
  EXPECT_EQ(o.code, 0) << o.out;
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["ok"], true);
  EXPECT_GE(json["checks"].size(), 20u);
  EXPECT_EQ(json["orders"].size(), 6u);
  const std::string page = content("page.html");
  EXPECT_TRUE(has(page, " passed, 1 skipped</div>"));  // compiled code was not asked for
  EXPECT_TRUE(has(page, "</html>"));
}

// A spring that swings ten million times a second: no run of a second can be checked. This is said, and says nothing
// against the spring.
TEST(VerifyCommand, SkipsWhatCannotBeCheckedAndSaysWhy) {
  const std::string file = write("stiff.yaml", R"(linkwright: 1
name: stiff
links:
  - name: a
    parent: base
    joint: {type: revolute, axis: y}
    inertia: {mass: 1, com: [0, 0, -0.1], tensor: [1e-3, 1e-3, 1e-3]}
    spring: {stiffness: 1e13, rest: 0}
)");
  const Outcome o = linkwright({"verify", file, "--no-compile", "--states", "10", "--out", "stiff.html"});
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_TRUE(has(o.out, "steps it has come to t = ")) << o.out;
  EXPECT_TRUE(has(o.out, " skipped\n")) << o.out;
  EXPECT_TRUE(has(content("stiff.html"), "– skipped"));
  EXPECT_TRUE(has(content("stiff.html"), " skipped</div>"));
  const nlohmann::json again = linkwright({"verify", file, "--no-compile", "--states", "10", "--json"}).json();
  int skipped = 0;
  for (const nlohmann::json& check : again["checks"]) {
    EXPECT_EQ(check["verdict"] == "skipped", check.contains("reason")) << check;
    if (check["verdict"] != "skipped") continue;
    ++skipped;
    EXPECT_TRUE(check["deviation"].is_null());
    EXPECT_NE(check["reason"], "");
  }
  EXPECT_GE(skipped, 3);
  EXPECT_EQ(again["ok"], true);
}

// The freedoms of a mechanism with loops are those that `check` counts, not the velocities of its tree.
TEST(VerifyCommand, PagesCountFreedomsAsCheckDoes) {
  const Outcome o =
      linkwright({"verify", "four-bar", "--no-compile", "--states", "3", "--json", "--out", "page.html", "--quiet"});
  EXPECT_EQ(o.json()["dof"], linkwright({"check", "four-bar", "--json"}).json()["dof"]);
  EXPECT_TRUE(has(content("page.html"), "<dt>degrees of freedom</dt><dd>1</dd>"));
}

TEST(VerifyCommand, PagesShowWhatFailed) {
  const Mechanism mechanism = load("double-pendulum");
  const Model<double> model = instantiate<double>(mechanism);
  VerificationReport report;
  report.checks.push_back(
      {"random states", "power", 1.0, 1e-12, VerificationCheck::Verdict::failed, "", "of it", "rounding"});
  const std::string page = cli::verify_page({mechanism, model, report, 10, 1, "double-pendulum", {}});
  EXPECT_TRUE(has(page, "✗ failed"));
  EXPECT_TRUE(has(page, "1 check failed</div>"));
}

}  // namespace simulate_command_test
}  // namespace lw::test
