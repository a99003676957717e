// Scenario files: what they say is read, and every mistake is named with its place and what would be right.
#include <gtest/gtest.h>

#include <fstream>

#include "model/read/read.hpp"
#include "simulate/scenario/scenario.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace scenario_test {

struct Arm {
  Mechanism mechanism = load("double-pendulum");
  Model<double> model = instantiate<double>(mechanism);
  ScenarioResult read(const std::string& text, const std::string& file = "s.yaml") const {
    return read_scenario_text(text, file, mechanism, model);
  }
};

TEST(Scenario, SaysWhatDrivesWhat) {
  const ScenarioResult r = Arm().read(R"(scenario: 1
name: shake
parameters: {a: 2, b: a*3}
duration: b/2
friction: false
integrator: {method: rk4, step: 1e-3}
initial:
  q: {lower: 90 deg}
  qd: [0.5, -1]
inputs:
  upper: a*sin(t) - b*qd.upper + q2
  lower: {table: [[0, 1], [2, 5]], between: hold}
outputs: {step: 0.05, columns: [q, energy], formulas: {tip: q.upper + q.lower}}
events:
  - {time: 1, inputs: {lower: 0}}
  - {name: turn, crossing: qd.upper, direction: down, once: true, set: {q.upper: 0, qd2: -qd2}}
)");
  for (const Diagnostic& d : r.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(r.scenario);
  const Scenario& s = *r.scenario;
  EXPECT_EQ(s.name, "shake");
  EXPECT_EQ(s.duration, 3.0);
  EXPECT_FALSE(s.friction);
  EXPECT_EQ(s.integrator, "rk4");
  EXPECT_EQ(s.options.step, 1e-3);
  EXPECT_NEAR(s.q[0], 2.0943951023931953, 1e-15);  // home, 120 deg
  EXPECT_NEAR(s.q[1], 1.5707963267948966, 1e-15);
  EXPECT_EQ(s.qd, (std::vector<double>{0.5, -1.0}));
  EXPECT_EQ(s.inputs[1].kind, ScenarioInput::Kind::table);
  EXPECT_EQ(s.inputs[1].table.between, TimeTable::Between::hold);
  EXPECT_EQ(s.inputs[1].table.value, (std::vector<double>{1.0, 5.0}));
  EXPECT_EQ(s.sample, 0.05);
  EXPECT_EQ(s.columns, (std::vector<std::string>{"q", "energy"}));
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[0].time, 1.0);
  EXPECT_EQ(s.events[1].direction, ScenarioEvent::Direction::down);
  ASSERT_EQ(s.events[1].set.size(), 2u);
  EXPECT_TRUE(s.events[1].set[1].velocity);
  EXPECT_EQ(s.events[1].set[1].index, 1);
}

TEST(Scenario, EveryMistakeIsNamedWithItsPlace) {
  struct Case {
    std::string text;
    int line;
    std::string says;
  };
  const Arm arm;
  const std::string head = "scenario: 1\n";
  for (const Case& c : std::vector<Case>{
           {"duration: 1\n", 1, "has no `scenario`"},
           {"scenario: 2\n", 1, "should be 1"},
           {"links: []\n", 1, "belongs to a mechanism file"},
           {head + "duratoin: 1\n", 2, "did you mean `duration`?"},
           {head + "duration: 1\nduration: 2\n", 3, "duplicate key"},
           {head + "duration: 0\n", 2, "greater than 0"},
           {head + "duration: t\n", 2, "cannot change with time"},
           {head + "duration: .nan\n", 2, "unexpected `.`"},
           {head + "duration: nan\n", 2, "unknown name `nan`"},
           {head + "duration: 1/0\n", 2, "division by zero"},
           {head + "friction: maybe\n", 2, "`false` or `true`"},
           {head + "integrator: rk5\n", 2, "did you mean `rk4`?"},
           {head + "integrator: {method: rk4, step: -1e-3}\n", 2, "`step` should be greater than 0"},
           {head + "integrator: {method: rk4, stp: 1}\n", 2, "did you mean `step`?"},
           {head + "initial: {q: {uper: 1}}\n", 2, "did you mean `upper`?"},
           {head + "initial: {q: [1, 2, 3]}\n", 2, "should have 2 values, not 3"},
           {head + "initial: {q: {upper: q.lower}}\n", 2, "cannot change with time or state"},
           {head + "inputs: {elbow: 1}\n", 2, "`double-pendulum` has no joint `elbow`"},
           {head + "inputs: {upper: q.uper}\n", 2, "did you mean `q.upper`?"},
           {head + "inputs: {upper: qd}\n", 2, "unknown name `qd`"},
           {head + "inputs: {upper: {table: [[0, 1], [0, 2]]}}\n", 2, "times must increase: 0 follows 0"},
           {head + "inputs: {upper: {table: [[0, 1, 2]]}}\n", 2, "should be [time, value]"},
           {head + "inputs: {upper: {table: []}}\n", 2, "has no rows"},
           {head + "inputs: {upper: {between: hold}}\n", 2, "either a `table` or a `file`"},
           {head + "inputs: {upper: {table: [[0, 1]], between: held}}\n", 2, "did you mean `hold`?"},
           {head + "inputs: {upper: {file: nowhere.csv}}\n", 2, "nowhere.csv"},
           {head + "controllers: [{law: pd, kp: 1}]\n", 2, "has no `trajectory`"},
           {head + "controllers: [{law: pd, trajectory: {times: [0, 1], points: [[0, 0], [1, 1]]}}]\n", 2,
            "needs gains"},
           {head + "controllers: [{law: pdi, kp: 1, trajectory: {times: [0, 1], points: [[0, 0], [1, 1]]}}]\n", 2,
            "`law` should be `pd`, `pid` or `computed-torque`"},
           {head + "controllers: [{law: pd, kp: [1, 2, 3], trajectory: {times: [0, 1], points: [[0, 0], [1, 1]]}}]\n",
            2, "one number or 2"},
           {head + "controllers: [{law: pd, kp: 1, trajectory: {times: [0, 1], points: [[0], [1]]}}]\n", 2,
            "list of 2 numbers, not 1"},
           {head + "controllers: [{law: pd, kp: 1, trajectory: {times: [1, 0], points: [[0, 0], [1, 1]]}}]\n", 2,
            "must increase"},
           {head + "controllers: [{law: pd, ki: 1, kp: 1, trajectory: {times: [0, 1], points: [[0, 0], [1, 1]]}}]\n", 2,
            "`pd` has no `ki`"},
           {head + "outputs: {step: 0}\n", 2, "`step` should be greater than 0"},
           {head + "outputs: {columns: [q, speed]}\n", 2, "`columns` should be"},
           {head + "events: [{stop: true}]\n", 2, "needs one of `time`, `crossing` and `limit`"},
           {head + "events: [{time: 1, crossing: q1}]\n", 2, "needs one of"},
           {head + "events: [{crossing: 3}]\n", 2, "never changes"},
           {head + "events: [{crossing: q1, direction: upwards}]\n", 2, "`up`, `down` or `both`"},
           {head + "events: [{limit: upper}]\n", 2, "`upper` has no limits"},
           {head + "events: [{limit: elbow}]\n", 2, "has no joint `elbow`"},
           {head + "events: [{time: 1, set: {upper: 1}}]\n", 2, "is no part of the state"},
           {head + "events: [{time: -1}]\n", 2, "at least 0"},
           {head + "parameters: {q1: 3}\n", 2, "cannot be called `q1`"},
           {head + "parameters: {sin: 3}\n", 2, "cannot be called `sin`"},
           {head + "inputs: [\n", 3, "not valid YAML"},
           {"", 0, "empty"},
       }) {
    const ScenarioResult r = arm.read(c.text);
    EXPECT_FALSE(r.scenario) << c.text;
    bool said = false;
    std::string all;
    for (const Diagnostic& d : r.diagnostics) {
      all += to_string(d) + "\n";
      said = said ||
             ((d.message + " " + d.hint).find(c.says) != std::string::npos && (c.line == 0 || d.where.line == c.line));
    }
    EXPECT_TRUE(said) << c.text << "\nwanted: " << c.says << "\ngot: " << all;
  }
}

TEST(Scenario, AllMistakesInOneGo) {
  const ScenarioResult r = Arm().read("scenario: 1\nduration: -1\ninputs: {elbow: 1}\nfricton: true\n");
  EXPECT_EQ(r.diagnostics.size(), 3u);
}

TEST(Scenario, RecordingsStandBesideIt) {
  const Scratch scratch;
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(scratch.path / name) << text; };
  write("log.csv", "t,tau1,tau2\n0,1,2\n0.5,3,4\n");
  write("bad.csv", "t,tau1\n0,1\n0.5,nan\n");
  write("back.csv", "t,tau1\n1,1\n0.5,2\n");
  const Arm arm;
  const auto read = [&](const std::string& input) {
    return arm.read("scenario: 1\ninputs: {" + input + "}\n", (scratch.path / "s.yaml").string());
  };
  const ScenarioResult good = read("lower: {file: log.csv}, upper: {file: log.csv, column: tau2, between: cubic}");
  ASSERT_TRUE(good.scenario) << to_string(good.diagnostics.at(0));
  EXPECT_EQ(good.scenario->inputs[1].table.value, (std::vector<double>{2.0, 4.0}));
  EXPECT_EQ(good.scenario->inputs[0].table.value, (std::vector<double>{2.0, 4.0}));
  const auto says = [&](const std::string& input, const std::string& what) {
    const ScenarioResult r = read(input);
    ASSERT_FALSE(r.scenario);
    EXPECT_NE(to_string(r.diagnostics.at(0)).find(what), std::string::npos) << to_string(r.diagnostics.at(0));
  };
  says("upper: {file: log.csv, column: tau3}", "has no column `tau3`");
  says("upper: {file: bad.csv}", "bad.csv:3: `nan` is not a finite number");
  says("upper: {file: back.csv}", "back.csv:3: times must increase");
}

}  // namespace scenario_test
}  // namespace lw
