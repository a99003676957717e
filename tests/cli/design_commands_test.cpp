// sensitivity and optimize as a user calls them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace design_commands_test {

std::string text_of(const std::string& file) {
  std::ifstream stream(folder() + "/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(SensitivityCommand, GradientsAreThoseOfDifferences) {
  const auto run = [](const std::string& l1) {
    return linkwright({"sensitivity", "double-pendulum", "--set", "l1=" + l1, "--parameters", "l1,start.qd.lower",
                       "--duration", "0.5", "--functional", "end: lower.z", "--functional", "integral: kinetic",
                       "--check", "--json", "--quiet"});
  };
  const Outcome o = run("0.5");
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json here = o.json(), up = run("0.50001").json(), down = run("0.49999").json();
  for (int f = 0; f < 2; ++f) {
    const double slope =
        (up["functionals"][f]["value"].get<double>() - down["functionals"][f]["value"].get<double>()) / 2e-5;
    EXPECT_NEAR(here["functionals"][f]["gradient"]["l1"].get<double>(), slope, 1e-6 * std::max(1.0, std::abs(slope)));
  }
  EXPECT_TRUE(here["check"]["passed"]);
  EXPECT_LT(here["check"]["complex_step"].get<double>(), 1e-10);
  EXPECT_LT(here["check"]["adjoint"].get<double>(), 1e-8);
}

TEST(SensitivityCommand, AnInverseRunIsLinearInMasses) {
  write("motion.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0.1,0.2,1,0,2,1\n0.1,0.2,0.2,1,0.1,-1,1\n");
  const Outcome o = linkwright({"sensitivity", "double-pendulum", "--parameters", "m1,m2", "--motion", "motion.csv",
                                "--functional", "end: tau1", "--out", "torques.csv", "--json", "--quiet"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json f = o.json()["functionals"][0];
  // of m1 and m2 alone, both 1: homogeneous of the first degree
  EXPECT_NEAR(f["value"].get<double>(), f["gradient"]["m1"].get<double>() + f["gradient"]["m2"].get<double>(), 1e-12);
  EXPECT_TRUE(has(text_of("torques.csv"), "t,tau1,tau2,d_tau1.m1,d_tau2.m1,d_tau1.m2,d_tau2.m2\n"))
      << text_of("torques.csv");
}

TEST(SensitivityCommand, TrajectoriesGoToAFile) {
  const Outcome o = linkwright({"sensitivity", "twu-3r", "--set", "g=0", "--parameters", "m1", "--duration", "0.1",
                                "--sample", "0.05", "--torque", "link1=6", "--out", "all.csv", "--quiet"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string text = text_of("all.csv");
  EXPECT_TRUE(has(text, "t,q1,q2,q3,qd1")) << text;
  EXPECT_TRUE(has(text, ",d_tau3.m1\n0,")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

// A scenario whose run bounces, changes its input and ends where something passes: its derivatives against differences
// of runs.
TEST(SensitivityCommand, GoesThroughEvents) {
  const std::string file = write("events.yaml", R"(scenario: 1
duration: 2
integrator: {method: dormand-prince, rtol: 1e-12, atol: 1e-13}
initial: {q: {upper: 60 deg}}
events:
  - {name: wall, crossing: q.upper, direction: down, set: {qd.upper: -0.6*qd.upper}}
  - {name: brake, crossing: qd.lower - 1, direction: up, once: true, inputs: {lower: -0.05*qd.lower}}
  - {name: level, crossing: q.upper + q.lower - 0.4, direction: up, stop: true}
)");
  const auto run = [&](const std::string& l1, std::vector<std::string> more) {
    std::vector<std::string> words{
        "sensitivity", "double-pendulum", "--set",  "l1=" + l1,     "--parameters", "l1",           "--scenario",
        file,          "--functional",    "end: t", "--functional", "end: lower.x", "--functional", "integral: kinetic",
        "--json",      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return linkwright(words);
  };
  const Outcome o = run("0.5", {"--check"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json here = o.json(), up = run("0.50001", {}).json(), down = run("0.49999", {}).json();
  EXPECT_TRUE(here["check"]["passed"]);
  ASSERT_GE(here["events"].size(), 3u) << o.out;
  EXPECT_EQ(here["events"].back()["name"], "level");
  EXPECT_EQ(here["events"].back()["t"], here["duration"]);
  for (int f = 0; f < 3; ++f) {
    const double slope =
        (up["functionals"][f]["value"].get<double>() - down["functionals"][f]["value"].get<double>()) / 2e-5;
    EXPECT_NEAR(here["functionals"][f]["gradient"]["l1"].get<double>(), slope, 1e-6 * std::max(1.0, std::abs(slope)))
        << f;
  }
  const Outcome late = run("0.5", {"--at", "1.99"});
  EXPECT_EQ(late.code, 3);
  EXPECT_TRUE(has(late.err, "--at 1.99: the event `level` has ended the run at ")) << late.err;
}

const char* kHomely = R"(linkwright: 1
name: homely
parameters: {th: 0.5, l1: 0.4, m2: 2, f: 0.5}
links:
  - name: upper
    parent: base
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0, 1]}}
    inertia: {mass: 3, com: [l1/2, 0, 0], tensor: [0.001, 3*l1^2/12, 3*l1^2/12]}
  - name: lower
    parent: upper
    joint: {type: revolute, axis: y, origin: {xyz: [l1, 0, 0]}}
    inertia: {mass: m2, com: [0.3, 0, 0.05], tensor: [0.01, 0.02, 0.02]}
forces:
  - {link: lower, force: [f*sin(3*t), 0, 0]}
home: {lower: th}
)";

// Where the run begins at home, a parameter that moves home moves all of it: against whole runs of `simulate`.
TEST(SensitivityCommand, HomeMovesWithItsParameters) {
  write("homely.yaml", kHomely);
  const Outcome o = linkwright({"sensitivity", "homely.yaml", "--duration", "0.5", "--functional", "end: qd1",
                                "--functional", "end: qd2", "--check", "--json", "--quiet"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json here = o.json();
  const auto simulated = [](const std::string& th) {
    return linkwright({"simulate", "homely.yaml", "--set", "th=" + th, "--duration", "0.5", "--integrator",
                       "dormand-prince", "--rtol", "1e-12", "--atol", "1e-14", "--json", "--quiet"})
        .json();
  };
  const nlohmann::json up = simulated("0.5001"), down = simulated("0.4999");
  for (int f = 0; f < 2; ++f) {
    const double slope = (up["final"]["qd"][f].get<double>() - down["final"]["qd"][f].get<double>()) / 2e-4;
    EXPECT_NEAR(here["functionals"][f]["gradient"]["th"].get<double>(), slope, 1e-5 * std::abs(slope)) << f;
    EXPECT_GT(std::abs(slope), 0.1);
  }
  EXPECT_LT(here["check"]["differences"].get<double>(), 1e-5);
  EXPECT_FALSE(here["parameters"].contains("t")) << "the time is no parameter";
  // given, it stays
  const nlohmann::json given = linkwright({"sensitivity", "homely.yaml", "--q", "0,0.5", "--duration", "0.5",
                                           "--functional", "end: qd1", "--parameters", "th", "--json", "--quiet"})
                                   .json();
  EXPECT_EQ(given["functionals"][0]["gradient"]["th"].get<double>(), 0.0);
}

// What methods of its own say counts: steps too long for CVODES, a corner that differences of whole runs see from both
// sides.
TEST(SensitivityCommand, ChecksCanFailAndNeedNoFunctional) {
  write("homely.yaml", kHomely);
  std::vector<std::string> words{"sensitivity", "homely.yaml", "--parameters", "l1,th",  "--duration",
                                 "0.4",         "--check",     "--json",       "--quiet"};
  const auto checked = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), words.begin(), words.end());
    const Outcome o = linkwright(more);
    EXPECT_EQ(o.code, code) << o.err;
    return o.json()["check"];
  };
  const nlohmann::json plain = checked({}, 0);
  EXPECT_TRUE(plain["passed"]);
  EXPECT_LT(plain["complex_step"].get<double>(), 1e-10);
  EXPECT_LT(plain["cvodes"].get<double>(), 1e-5);
  EXPECT_LT(plain["differences"].get<double>(), 1e-5);
  EXPECT_GT(plain["cvodes"].get<double>(), 0.0);
  const nlohmann::json coarse = checked({"--integrator", "rk4", "--step", "0.2", "--functional", "end: qd1"}, 1);
  EXPECT_GT(coarse["cvodes"].get<double>(), 1e-4);
  EXPECT_LT(coarse["adjoint"].get<double>(), 1e-8);
  const nlohmann::json corner = checked({"--functional", "0: max(q.lower - 0.5, 0)"}, 1);
  EXPECT_GT(corner["differences"].get<double>(), 0.1);
}

TEST(SensitivityCommand, StopsAreRefusedByNameAndTime) {
  write("stop.yaml", R"(linkwright: 1
name: stop
gravity: [0, 0, 0]
parameters: {u: 0.3, m: 2}
links:
  - name: s
    parent: base
    joint: {type: prismatic, axis: x, limits: {lower: -1, upper: u, stiffness: 400, damping: 30}}
    inertia: {mass: m}
)");
  const Outcome o = linkwright({"sensitivity", "stop.yaml", "--qd", "1", "--torque", "s=2", "--duration", "0.5",
                                "--functional", "end: qd1", "--check"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "`s` reaches or leaves its upper stop at t = 0.")) << o.err;
}

// The rocker's angle at the end against differences of runs, and what is said about joints that follow.
TEST(SensitivityCommand, TakesMechanismsWithLoops) {
  const auto run = [](const std::string& length, std::vector<std::string> more) {
    std::vector<std::string> words{"sensitivity",  "four-bar",
                                   "--set",        "l_coupler=" + length,
                                   "--parameters", "l_coupler,start.qd.crank",
                                   "--qd",         "6",
                                   "--torque",     "crank=0.3-0.05*qd.crank",
                                   "--duration",   "0.3",
                                   "--functional", "end: q.rocker",
                                   "--json",       "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return linkwright(words);
  };
  const Outcome o = run("0.36", {"--check", "--at", "0.3"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json here = o.json(), up = run("0.3601", {}).json(), down = run("0.3599", {}).json();
  EXPECT_TRUE(here["check"]["passed"]);
  EXPECT_EQ(here["velocity_names"], nlohmann::json({"crank"}));
  const auto value = [](const nlohmann::json& j) { return j["functionals"][0]["value"].get<double>(); };
  const double slope = here["functionals"][0]["gradient"]["l_coupler"].get<double>();
  EXPECT_NEAR(slope, (value(up) - value(down)) / 2e-4, 1e-5 * std::abs(slope));
  const nlohmann::json& end = here["instants"][0];
  EXPECT_EQ(end["q"].size(), 1u);
  EXPECT_EQ(end["dependent"]["q"].size(), 2u);
  EXPECT_NEAR(end["d_parameters"]["l_coupler"]["dependent"]["q"]["rocker"].get<double>(), slope,
              1e-12 * std::abs(slope));
  EXPECT_NEAR(end["dependent"]["q"]["rocker"].get<double>(), value(here), 1e-15);
  // the same driven by a scenario
  const std::string file =
      write("loop.yaml", "scenario: 1\nduration: 0.3\ninitial: {qd: {crank: 6}}\ninputs: {crank: 0.3-0.05*qd.crank}\n");
  const Outcome driven =
      linkwright({"sensitivity", "four-bar", "--scenario", file, "--parameters", "l_coupler", "--functional",
                  "end: q.rocker", "--rtol", "1e-10", "--atol", "1e-12", "--json", "--quiet"});
  ASSERT_EQ(driven.code, 0) << driven.err;
  EXPECT_NEAR(driven.json()["functionals"][0]["gradient"]["l_coupler"].get<double>(), slope, 1e-9 * std::abs(slope));
}

// The crank's home is a parameter of the four-bar, and all of it goes along: against whole runs of `simulate`.
TEST(SensitivityCommand, HomeOfLoopsMovesWithItsParameters) {
  const Outcome o = linkwright({"sensitivity", "four-bar", "--duration", "0.3", "--functional", "end: qd.crank",
                                "--check", "--json", "--quiet"});
  ASSERT_EQ(o.code, 0) << o.err;
  const nlohmann::json here = o.json();
  const double q0 = here["parameters"]["q0"], h = 1e-4;
  const auto end = [&](double at) {
    return linkwright({"simulate", "four-bar", "--set", "q0=" + std::to_string(at), "--duration", "0.3", "--rtol",
                       "1e-12", "--atol", "1e-14", "--no-friction", "--json", "--quiet"})
        .json()["final"]["qd"][0]
        .get<double>();
  };
  const double slope =
      (end(q0 + h) - end(q0 - h)) / (std::stod(std::to_string(q0 + h)) - std::stod(std::to_string(q0 - h)));
  EXPECT_GT(std::abs(slope), 0.1);
  EXPECT_NEAR(here["functionals"][0]["gradient"]["q0"].get<double>(), slope, 1e-5 * std::abs(slope));
}

TEST(SensitivityCommand, OfLoopsRefusesWhatItCannot) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"sensitivity", "four-bar", "--duration", "0.1"});
    const Outcome o = linkwright(words);
    EXPECT_NE(o.code, 0);
    return o.err;
  };
  EXPECT_TRUE(has(said({"--torque", "rocker=1"}), "is not actuated; actuated: crank"));
  const std::string scenario =
      write("loop-events.yaml", "scenario: 1\nevents:\n  - {name: there, crossing: q.crank - 2, stop: true}\n");
  EXPECT_TRUE(has(said({"--scenario", scenario}),
                  "the event `there`, and events are not differentiated where there are loops"));
  EXPECT_TRUE(has(said({"--qd", "1,2"}), "--qd"));
  EXPECT_TRUE(has(said({"--parameters", "start.q.rocker"}), "not part of the initial state"));
  EXPECT_TRUE(has(said({"--parameters", "l_crank", "--functional", "end: q2"}), "unknown name `q2`"));
}

TEST(SensitivityCommand, WrongUseIsRefused) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"sensitivity", "double-pendulum", "--duration", "0.1"});
    const Outcome o = linkwright(words);
    EXPECT_NE(o.code, 0);
    return o.err;
  };
  EXPECT_TRUE(has(said({"--parameters", "l7"}), "did you mean `l1`?"));
  EXPECT_TRUE(has(said({"--functional", "tau1^2"}), "`integral: FORMULA`"));
  EXPECT_TRUE(has(said({"--functional", "integral: tau9"}), "unknown name `tau9`"));
  EXPECT_TRUE(has(said({"--torque", "uper=1"}), "did you mean `upper`?"));
  EXPECT_TRUE(has(said({"--at", "0.2"}), "from 0 to 0.1 s"));
  EXPECT_TRUE(has(said({"--integrator", "rk4"}), "needs a positive step"));
}

TEST(OptimizeCommand, WritesTheMechanismAndAReport) {
  const Outcome o = linkwright(
      {"optimize", "examples/optimize/spring.yaml", "--out", "better.yaml", "--report", "better.html", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "cost")) << o.err;  // a line an evaluation
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["end"], "optimal");
  const double k = json["parameters"]["k"]["after"];
  EXPECT_TRUE(has(text_of("better.yaml"), "stiffness: k")) << text_of("better.yaml");
  EXPECT_EQ(linkwright({"check", "better.yaml"}).code, 0);
  EXPECT_TRUE(has(text_of("better.html"), "<svg"));
  // the better mechanism costs what was promised, and nothing is left to gain
  write("again.yaml",
        "optimize: 1\nmodel: better.yaml\nparameters: {k: {lower: 0, upper: 400}}\n"
        "motion: {times: [0, 0.6, 0.9, 1.5, 1.8], points: [[-30 deg, 0], [40 deg, 0.05], [40 deg, 0.15], [-30 deg, "
        "0.05], [-30 deg, 0]]}\n"
        "cost: {integral: tau.arm^2}\n");
  const nlohmann::json again = linkwright({"optimize", "again.yaml", "--json", "--quiet"}).json();
  EXPECT_NEAR(again["cost"]["before"].get<double>(), json["cost"]["after"].get<double>(), 1e-6);
  EXPECT_NEAR(again["parameters"]["k"]["after"].get<double>(), k, 1e-3);
}

// A block that is to stop at 1: the speed of its beginning is found, and said where the file cannot hold it.
TEST(OptimizeCommand, SaysWhatIsLeftOutAndWhatTheFileCannotHold) {
  write("block.yaml",
        "linkwright: 1\nname: block\nparameters: {c: 2}\nlinks:\n"
        "  - {name: block, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, friction: {viscous: "
        "c}}\n");
  const std::string problem =
      "optimize: 1\nmodel: block.yaml\nparameters: {start.qd.block: {lower: 0, upper: 5, start: 1}}\n"
      "scenario: {duration: 0.5}\ncost: {end: (q1 - 1)^2}\n";
  write("push.yaml", problem);
  const Outcome o = linkwright({"optimize", "push.yaml", "--out", "pushed.yaml", "--report", "pushed.html", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NEAR(o.json()["parameters"]["start.qd.block"]["after"].get<double>(), 2.0,
              1e-6);  // 1 m in 0.5 s, nothing brakes
  EXPECT_EQ(o.json()["parameters"]["start.qd.block"]["in_file"], false);
  EXPECT_TRUE(has(o.err, "friction and damping of 1 joint (block) are omitted from the runs; `friction: true`"))
      << o.err;
  EXPECT_TRUE(has(o.err, "`start.qd.block` = ") && has(o.err, "not part of a mechanism")) << o.err;
  const std::string file = text_of("pushed.yaml"), page = text_of("pushed.html");
  EXPECT_TRUE(file.starts_with("# Found by") && has(file, "`start.qd.block` = ")) << file;
  EXPECT_EQ(linkwright({"check", "pushed.yaml"}).code, 0);
  EXPECT_TRUE(has(page, "are omitted from the runs") && has(page, "start.qd.block") &&
              has(page, "not part of a mechanism"));
  // with friction: 1 = v (1 − exp(−c t/m)) m/c, and nothing is left out
  write("rough.yaml", problem + "friction: true\n");
  const Outcome rough = linkwright({"optimize", "rough.yaml", "--json"});
  EXPECT_FALSE(has(rough.err, "left out")) << rough.err;
  EXPECT_NEAR(rough.json()["parameters"]["start.qd.block"]["after"].get<double>(), 1.0 / (1.0 - std::exp(-0.5)), 1e-6);
}

TEST(OptimizeCommand, NothingToChooseIsNotOptimal) {
  write("any.yaml",
        "optimize: 1\nmodel: double-pendulum\nparameters: {l1: {lower: 0.2, upper: 1}}\n"
        "motion: {times: [0, 1], points: [[0, 0], [1, 1]]}\ncost: {integral: t}\n");
  const Outcome o = linkwright({"optimize", "any.yaml", "--report", "any.html", "--quiet"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "indifferent: ") && has(o.out, "nothing to optimise") && !has(o.out, "optimal")) << o.out;
  EXPECT_TRUE(has(text_of("any.html"), "indifferent: "));
  EXPECT_EQ(linkwright({"optimize", "any.yaml", "--json", "--quiet"}).json()["end"], "indifferent");
}

TEST(OptimizeCommand, WhatCannotBeMetEndsWith1AndBadFilesWithTheirPlace) {
  const std::string begin =
      "optimize: 1\nmodel: double-pendulum\nparameters: {l1: {lower: 0.2, upper: 1}}\n"
      "motion: {times: [0, 1], points: [[0, 0], [1, 1]]}\ncost: {integral: tau1^2}\n";
  write("far.yaml", begin + "constraints: [{end: lower.x, at_most: -5}]\n");
  const Outcome far = linkwright({"optimize", "far.yaml", "--quiet"});
  EXPECT_EQ(far.code, 1);
  EXPECT_TRUE(has(far.out, "infeasible") && has(far.out, "violated")) << far.out;
  write("bad.yaml", begin + "constraints: [{end: lower.w, at_most: 5}]\n");
  const Outcome bad = linkwright({"optimize", "bad.yaml"});
  EXPECT_EQ(bad.code, 3);
  EXPECT_TRUE(has(bad.err, "bad.yaml:6:") && has(bad.err, "lower.w")) << bad.err;
}

}  // namespace design_commands_test
}  // namespace lw::test
